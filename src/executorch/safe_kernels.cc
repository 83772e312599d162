#include "executorch/safe_kernels.h"

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/log.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

namespace nocopy::executorch {
namespace {

namespace et = ::executorch::runtime;

constexpr std::array<const char*, 4> kDividing = {
    "executorch_prim::floordiv.Scalar", "executorch_prim::floordiv.int",
    "executorch_prim::mod.Scalar", "executorch_prim::mod.int"};
constexpr const char* kNonzero = "aten::nonzero.out";

// Refuses what integer division cannot do, and leaves the rest to the registered kernel.
template <std::size_t I>
void divide(et::KernelRuntimeContext& context, et::Span<et::EValue*> stack) {
  static const auto registered = et::get_op_function_from_registry(kDividing[I]);
  if (!registered.ok()) {
    context.fail(et::Error::OperatorMissing);
    return;
  }
  if (stack.size() == 3 && stack[0]->isInt() && stack[1]->isInt()) {
    const std::int64_t dividend = stack[0]->toInt();
    const std::int64_t divisor = stack[1]->toInt();
    if (divisor == 0 || (divisor == -1 && dividend == std::numeric_limits<std::int64_t>::min())) {
      ET_LOG(Error, "%s cannot divide %" PRId64 " by %" PRId64, kDividing[I], dividend, divisor);
      context.fail(et::Error::InvalidArgument);
      return;
    }
  }
  registered.get()(context, stack);
}

// Lists its rows one after the other whatever the order of its output, and that is told to be
// column by column: so are the strides that torch gives its own. They are put in that order here.
void nonzero(et::KernelRuntimeContext& context, et::Span<et::EValue*> stack) {
  static const auto registered = et::get_op_function_from_registry(kNonzero);
  if (!registered.ok()) {
    context.fail(et::Error::OperatorMissing);
    return;
  }
  registered.get()(context, stack);
  if (context.failure_state() != et::Error::Ok || stack.size() < 2 || !stack[1]->isTensor()) return;
  const auto& out = stack[1]->toTensor();
  if (out.dim() != 2) return;
  const auto rows = static_cast<std::size_t>(out.size(0));
  const auto columns = static_cast<std::size_t>(out.size(1));
  if (rows <= 1 || columns <= 1 || out.dim_order()[0] == 0) return;
  auto* const data = out.mutable_data_ptr<std::int64_t>();
  const std::size_t count = rows * columns;
  const std::unique_ptr<std::int64_t[]> by_row(new (std::nothrow) std::int64_t[count]);
  if (by_row == nullptr) {
    ET_LOG(Error, "%s found no memory for %zu rows", kNonzero, rows);
    context.fail(et::Error::MemoryAllocationFailed);
    return;
  }
  std::copy_n(data, count, by_row.get());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) data[c * rows + r] = by_row[r * columns + c];
  }
}

}  // namespace

et::Span<const et::Kernel> safe_kernels() {
  static const std::array<et::Kernel, 5> kernels = {
      et::Kernel(kDividing[0], divide<0>), et::Kernel(kDividing[1], divide<1>),
      et::Kernel(kDividing[2], divide<2>), et::Kernel(kDividing[3], divide<3>),
      et::Kernel(kNonzero, nonzero)};
  return {kernels.data(), kernels.size()};
}

}  // namespace nocopy::executorch
