#include "executorch/safe_kernels.h"

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/log.h>

#include <array>
#include <cinttypes>
#include <cstdint>
#include <limits>

namespace nocopy::executorch {
namespace {

namespace et = ::executorch::runtime;

constexpr std::array<const char*, 4> kDividing = {
    "executorch_prim::floordiv.Scalar", "executorch_prim::floordiv.int",
    "executorch_prim::mod.Scalar", "executorch_prim::mod.int"};

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

}  // namespace

et::Span<const et::Kernel> safe_kernels() {
  static const std::array<et::Kernel, 4> kernels = {
      et::Kernel(kDividing[0], divide<0>), et::Kernel(kDividing[1], divide<1>),
      et::Kernel(kDividing[2], divide<2>), et::Kernel(kDividing[3], divide<3>)};
  return {kernels.data(), kernels.size()};
}

}  // namespace nocopy::executorch
