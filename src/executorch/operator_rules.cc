#include "executorch/operator_rules.h"

#include <algorithm>
#include <array>

#include "executorch/operator_layouts.h"
#include "executorch/program_schema.h"

namespace nocopy::executorch {
namespace {

using flatbuffer::Table;
using Args = flatbuffer::Vector<std::int32_t>;
using Numbers = std::vector<std::int64_t>;

enum class Rule : unsigned char {
  kPositive,   // at least 1
  kDivisor,    // not 0, and not -1, by which the smallest number cannot be divided
  kDimension,  // a dimension of argument 0, not counted from the end; of a list, at least one
  kHalved,     // half of it and one is argument 0's size, along the last dimension of argument 1
  kWindow,     // at least 1, and no wider than argument 0 with as much padding again
};

struct Row {
  std::string_view name;  // with its overload
  std::size_t argument = 0;
  Rule rule = Rule::kPositive;  // for each item, where the argument is a list
};

constexpr auto kRows = std::to_array<Row>({
    {"aten::_fft_c2r.out", 1, Rule::kDimension},
    {"aten::_fft_c2r.out", 3, Rule::kHalved},
    {"aten::_fft_r2c.out", 1, Rule::kDimension},
    {"aten::avg_pool2d.out", 1, Rule::kWindow},
    {"aten::avg_pool2d.out", 2, Rule::kPositive},
    {"aten::convolution.out", 3, Rule::kPositive},
    {"aten::convolution.out", 5, Rule::kPositive},
    {"aten::convolution.out", 8, Rule::kPositive},
    {"aten::max_pool2d_with_indices.out", 1, Rule::kWindow},
    {"aten::max_pool2d_with_indices.out", 2, Rule::kPositive},
    {"aten::max_pool2d_with_indices.out", 4, Rule::kPositive},
    {"aten::native_group_norm.out", 6, Rule::kPositive},
    {"aten::pixel_shuffle.out", 1, Rule::kPositive},
    {"aten::pixel_unshuffle.out", 1, Rule::kPositive},
    {"aten::slice_copy.Tensor_out", 4, Rule::kPositive},
    {"aten::split_copy.Tensor_out", 1, Rule::kPositive},
    {"aten::unfold_copy.out", 3, Rule::kPositive},
    {"executorch_prim::floordiv.Scalar", 1, Rule::kDivisor},
    {"executorch_prim::floordiv.int", 1, Rule::kDivisor},
    {"executorch_prim::mod.Scalar", 1, Rule::kDivisor},
    {"executorch_prim::mod.int", 1, Rule::kDivisor},
});
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

class RuleChecker {
 public:
  RuleChecker(const CheckedMethod& method, const std::vector<bool>& computed, const Args& args)
      : method_(method), computed_(computed), args_(args) {
    const auto first = static_cast<std::size_t>(args[0]);
    if (method.kinds[first] == ValueKind::kTensor) self_ = &method.tensors[first];
  }

  [[nodiscard]] std::optional<RuleFault> check(const Row& row) const {
    const Numbers numbers = fixed_numbers(method_, computed_, args_[row.argument]);
    if (row.rule == Rule::kHalved) return check_halved(row, numbers);
    if (row.rule == Rule::kDimension && numbers.empty()) return RuleFault{row.argument, "is empty"};
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!follows(row.rule, numbers[k], k, numbers.size())) {
        return RuleFault{row.argument, "cannot be " + std::to_string(numbers[k])};
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<RuleFault> check_halved(const Row& row, const Numbers& whole) const {
    if (whole.empty() || self_->dynamic) return std::nullopt;
    // That the dimensions exist was checked: their row comes first.
    const Numbers dims = fixed_numbers(method_, computed_, args_[1]);
    const std::int64_t half = self_->sizes[static_cast<std::size_t>(dims.back())];
    if (whole[0] >= 0 && whole[0] / 2 + 1 == half) return std::nullopt;
    return RuleFault{row.argument, "does not go with the size of its input"};
  }

  [[nodiscard]] bool follows(Rule rule, std::int64_t number, std::size_t k,
                             std::size_t count) const {
    const std::size_t rank = self_ == nullptr ? 0 : self_->sizes.size();
    switch (rule) {
      case Rule::kPositive:
        return number >= 1;
      case Rule::kDivisor:
        return number != 0 && number != -1;
      case Rule::kDimension:
        return number >= 0 && static_cast<std::uint64_t>(number) < rank;
      case Rule::kWindow:
        // Windows lie over the last dimensions. Padding is at most half of a window, so that a
        // wider one would see nothing else.
        return number >= 1 && rank >= count &&
               number <= 2 * std::int64_t{self_->sizes[rank - count + k]} + 1;
      case Rule::kHalved:
        return true;
    }
    return false;
  }

  const CheckedMethod& method_;
  const std::vector<bool>& computed_;
  const Args& args_;
  const TensorEntry* self_ = nullptr;
};

// Quantized and sub-byte types are names in the format that no kernel computes with; some kernels
// call a function that they look up by dtype and did not find.
bool has_kernels(std::int8_t dtype, std::string_view name) noexcept {
  const bool real = (dtype >= 0 && dtype <= 7) || dtype == 15;
  if (name == "aten::convolution.out") return real;
  return real || (dtype >= 8 && dtype <= 11) || dtype >= 22;
}

}  // namespace

Numbers fixed_numbers(const CheckedMethod& method, const std::vector<bool>& computed,
                      std::int32_t value) {
  const auto i = static_cast<std::size_t>(value);
  const Table content = method.plan.tables(schema::kValues)[i].table(schema::kValue);
  if (method.kinds[i] == ValueKind::kInt && !computed[i]) {
    return {content.scalar<std::int64_t>(0)};
  }
  Numbers numbers;
  if (method.kinds[i] == ValueKind::kIntList) {
    const auto items = content.scalars<std::int64_t>(schema::kItems);
    for (std::size_t k = 0; k < items.size(); ++k) {
      const Numbers item = fixed_numbers(method, computed, static_cast<std::int32_t>(items[k]));
      numbers.push_back(item.empty() ? 1 : item[0]);
    }
  }
  return numbers;
}

std::optional<RuleFault> check_rules(const CheckedMethod& method, const std::vector<bool>& computed,
                                     std::string_view name, const Args& args) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    const auto i = static_cast<std::size_t>(args[k]);
    if (method.kinds[i] == ValueKind::kTensor &&
        !has_kernels(method.tensors[i].scalar_type, name)) {
      return RuleFault{k, "is of a dtype that it does not compute with"};
    }
  }
  const auto rows = std::ranges::equal_range(kRows, name, {}, &Row::name);
  if (!rows.empty()) {
    const RuleChecker checker(method, computed, args);
    for (const Row& row : rows) {
      if (auto fault = checker.check(row)) return fault;
    }
  }
  return check_layouts(method, computed, name, args);
}

}  // namespace nocopy::executorch
