#include "executorch/operator_layouts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "executorch/program_schema.h"

namespace nocopy::executorch {
namespace {

using flatbuffer::Table;
using Args = flatbuffer::Vector<std::int32_t>;

constexpr std::int8_t kByteType = 0;
constexpr std::int8_t kBoolType = 11;

struct Row {
  std::string_view name;  // with its overload
  // What the kernel takes for right in its tensors, a letter per argument or one for all of them:
  //   d  the default order      m  of a list of indexes, the default order of masks
  //   s  one order for all these arguments
  //   e  one order and one shape for all of them, or the default order for all: another shape is
  //      spread over the output's as if both were contiguous
  //   o  the same, where a single element may be spread
  //   v  one order of elements: a view and what it is a view of
  //   .  nothing, or nothing that it does not check
  std::string_view letters;
};

// Found by running each kernel of this release on each of its tensors in other orders.
constexpr auto kRows = std::to_array<Row>({
    {"aten::_log_softmax.out", "d"},
    {"aten::_softmax.out", "d"},
    {"aten::_upsample_bilinear2d_aa.out", "s"},
    {"aten::add.out", "o"},
    {"aten::amax.out", "d"},
    {"aten::amin.out", "d"},
    {"aten::any.out", "d"},
    {"aten::argmax.out", "d"},
    {"aten::argmin.out", "d"},
    {"aten::atan2.out", "e"},
    {"aten::bitwise_and.Tensor_out", "e"},
    {"aten::bitwise_left_shift.Tensor_out", "e"},
    {"aten::bitwise_or.Tensor_out", "e"},
    {"aten::bitwise_right_shift.Tensor_out", "e"},
    {"aten::bitwise_xor.Tensor_out", "e"},
    {"aten::bmm.out", "d"},
    {"aten::cat.out", "d"},
    {"aten::clamp.Tensor_out", "e"},
    {"aten::constant_pad_nd.out", "d"},
    {"aten::convolution_backward.out", ".ss........ss.."},
    {"aten::cumsum.out", "d"},
    {"aten::div.out", "o"},
    {"aten::div.out_mode", "e"},
    {"aten::eq.Tensor_out", "e"},
    {"aten::exp.out", "s"},
    {"aten::flip.out", "d"},
    {"aten::floor_divide.out", "e"},
    {"aten::fmod.Tensor_out", "e"},
    {"aten::gather.out", "d"},
    {"aten::ge.Tensor_out", "e"},
    {"aten::gelu.out", "s"},
    {"aten::glu.out", "d"},
    {"aten::gt.Tensor_out", "e"},
    {"aten::index.Tensor_out", ".m.."},
    {"aten::index_put.out", ".m...."},
    {"aten::index_put_", ".m..."},
    {"aten::le.Tensor_out", "e"},
    {"aten::linear.out", "d"},
    {"aten::logical_and.out", "e"},
    {"aten::logical_or.out", "e"},
    {"aten::logical_xor.out", "e"},
    {"aten::lt.Tensor_out", "e"},
    {"aten::masked_fill.Scalar_out", "e"},
    {"aten::masked_scatter.out", "d"},
    {"aten::max_pool2d_with_indices.out", "......ss."},
    {"aten::max_pool2d_with_indices_backward.grad_input", "d"},
    {"aten::maximum.out", "e"},
    {"aten::minimum.out", "e"},
    {"aten::mm.out", "d"},
    {"aten::mul.out", "o"},
    {"aten::narrow_copy.out", "d"},
    {"aten::native_layer_norm.out", "d"},
    {"aten::ne.Tensor_out", "e"},
    {"aten::nonzero.out", "d.."},  // the output: see safe_kernels.h
    {"aten::permute_copy.out", "d"},
    {"aten::pixel_shuffle.out", "d"},
    {"aten::pixel_unshuffle.out", "d"},
    {"aten::pow.Tensor_Tensor_out", "e"},
    {"aten::prod.int_out", "....d."},
    {"aten::remainder.Tensor_out", "e"},
    {"aten::replication_pad1d.out", "d"},
    {"aten::replication_pad2d.out", "d"},
    {"aten::replication_pad3d.out", "d"},
    {"aten::roll.out", "d"},
    {"aten::scatter.src_out", "d"},
    {"aten::scatter.value_out", "d"},
    {"aten::scatter_add.out", "d"},
    {"aten::select_copy.int_out", "d"},
    {"aten::slice_copy.Tensor_out", "d"},
    {"aten::slice_scatter.out", "d"},
    {"aten::split_copy.Tensor_out", "d"},
    {"aten::split_with_sizes_copy.out", "d"},
    {"aten::sub.out", "o"},
    {"aten::topk.values", "d"},
    {"aten::transpose_copy.int_out", "d"},
    {"aten::unsqueeze_copy.out", "d"},
    {"aten::var.correction_out", "....d."},
    {"aten::var.out", "....d."},
    {"aten::var_mean.correction_out", "....dd."},
    {"aten::view_as_real_copy.out", "d"},
    {"aten::where.self_out", "e"},
    {"executorch_prim::et_copy_index.tensor", "d"},
    {"executorch_prim::et_view.default", "v.v"},
    {"quantized_decomposed::add.out", "e"},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric.out", "d"},
    {"quantized_decomposed::dequantize_per_channel.out", "s.......s."},
    {"quantized_decomposed::dequantize_per_tensor.Tensor_out", "s......s."},
    {"quantized_decomposed::dequantize_per_tensor.out", "s"},
    {"quantized_decomposed::dequantize_per_token.out", "d"},
    {"quantized_decomposed::embedding_2bit.dtype_out", "d"},
    {"quantized_decomposed::embedding_2bit.out", "d"},
    {"quantized_decomposed::embedding_4bit.dtype_out", "d"},
    {"quantized_decomposed::embedding_4bit.out", "d"},
    {"quantized_decomposed::embedding_byte.dtype_out", "d"},
    {"quantized_decomposed::embedding_byte.out", "d"},
    {"quantized_decomposed::mixed_linear.out", "d"},
    {"quantized_decomposed::mixed_mm.out", "d"},
    {"quantized_decomposed::quantize_per_channel.out", "s.......s."},
    {"quantized_decomposed::quantize_per_tensor.Tensor_out", "s......s."},
    {"quantized_decomposed::quantize_per_tensor.out", "s"},
    {"quantized_decomposed::quantize_per_token.out", "d"},
});
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

// Along the first dimension these only move whole slices, whatever the order within is.
struct Mover {
  std::string_view name;
  std::size_t argument = 0;  // its dimension or dimensions
};
constexpr auto kMovers = std::to_array<Mover>({
    {"aten::cat.out", 1},
    {"aten::flip.out", 1},
    {"aten::slice_scatter.out", 2},
});

// Neighbouring dimensions that are neighbours in memory as well, as one.
struct Block {
  std::int64_t size = 1;
  std::size_t place = 0;  // among the others in memory

  friend bool operator==(const Block&, const Block&) = default;
};

[[nodiscard]] bool is_empty(const TensorEntry& tensor) noexcept {
  return std::ranges::find(tensor.sizes, 0) != tensor.sizes.end();
}

// In the order of the tensor's dimensions. One of size 1 is nowhere in memory.
[[nodiscard]] std::vector<Block> blocks_of(const TensorEntry& tensor) {
  std::vector<Block> blocks;
  if (is_empty(tensor)) return blocks;
  std::vector<std::size_t> places(tensor.sizes.size());
  std::size_t place = 0;
  for (const std::uint8_t d : tensor.dim_order) {
    if (tensor.sizes[d] != 1) places[d] = place++;
  }
  for (std::size_t d = 0; d < places.size(); ++d) {
    if (tensor.sizes[d] == 1) continue;
    if (!blocks.empty() && blocks.back().place + 1 == places[d]) {
      blocks.back() = {blocks.back().size * tensor.sizes[d], places[d]};
    } else {
      blocks.push_back({tensor.sizes[d], places[d]});
    }
  }
  // Until here a place is the one of the last dimension among all dimensions.
  const std::vector<Block> unplaced = blocks;
  for (Block& block : blocks) {
    block.place = static_cast<std::size_t>(std::ranges::count_if(
        unplaced, [&](const Block& other) { return other.place < block.place; }));
  }
  return blocks;
}

[[nodiscard]] bool in_default_order(const TensorEntry& tensor) {
  return std::ranges::is_sorted(tensor.dim_order) || blocks_of(tensor).size() <= 1;
}

// Whether one dim order describes both: a dimension of size 1 in either may be anywhere.
[[nodiscard]] bool share_order(const TensorEntry& a, const TensorEntry& b) {
  if (std::ranges::equal(a.dim_order, b.dim_order)) return true;
  if (is_empty(a) || is_empty(b) || (in_default_order(a) && in_default_order(b))) return true;
  if (a.sizes.size() != b.sizes.size()) return false;
  const auto shared = [&](const TensorEntry& tensor) {
    std::vector<std::uint8_t> order;
    for (const std::uint8_t d : tensor.dim_order) {
      if (a.sizes[d] != 1 && b.sizes[d] != 1) order.push_back(d);
    }
    return order;
  };
  return shared(a) == shared(b);
}

template <typename Number>
[[nodiscard]] std::string text(std::span<const Number> numbers) {
  std::string list;
  for (const Number number : numbers) {
    list += (list.empty() ? "(" : ", ") + std::to_string(number);
  }
  return list.empty() ? "()" : list + ")";
}

class LayoutChecker {
 public:
  LayoutChecker(const CheckedMethod& method, const Args& args, std::string_view letters) {
    for (std::size_t k = 0; k < args.size(); ++k) {
      const char letter =
          letters.size() == 1 ? letters[0] : letters[std::min(k, letters.size() - 1)];
      if (letter != '.') add(method, args[k], {k, std::nullopt, letter, nullptr});
    }
  }

  // The first tensor that is not as its letter says.
  [[nodiscard]] std::optional<RuleFault> check() const {
    const bool all_default =
        std::ranges::all_of(given_, [](const Given& g) { return in_default_order(*g.tensor); });
    if (all_default) return std::nullopt;
    for (const Given& given : given_) {
      if (auto what = fault_of(given)) return RuleFault{given.argument, *what, kLayoutHint};
    }
    return std::nullopt;
  }

  // Whether all of them have one dim order, which begins with the first dimension.
  [[nodiscard]] bool sliced_alike() const {
    return std::ranges::all_of(given_, [&](const Given& given) {
      const auto& order = given.tensor->dim_order;
      return !order.empty() && order[0] == 0 &&
             std::ranges::equal(order, given_[0].tensor->dim_order);
    });
  }

 private:
  struct Given {
    std::size_t argument = 0;
    std::optional<std::size_t> item;
    char letter = '.';
    const TensorEntry* tensor = nullptr;
  };

  void add(const CheckedMethod& method, std::int32_t value, Given given) {
    const auto i = static_cast<std::size_t>(value);
    if (method.kinds[i] == ValueKind::kTensor) {
      given.tensor = &method.tensors[i];
      const std::int8_t type = given.tensor->scalar_type;
      if (given.letter != 'm' || type == kBoolType || type == kByteType) given_.push_back(given);
      return;
    }
    if (given.item || (method.kinds[i] != ValueKind::kTensorList &&
                       method.kinds[i] != ValueKind::kOptionalTensorList)) {
      return;
    }
    const auto items = method.plan.tables(schema::kValues)[i]
                           .table(schema::kValue)
                           .scalars<std::int32_t>(schema::kItems);
    for (std::size_t k = 0; k < items.size(); ++k) {
      given.item = k;
      if (items[k] >= 0) add(method, items[k], given);
    }
  }

  [[nodiscard]] std::optional<std::string> fault_of(const Given& given) const {
    const TensorEntry& tensor = *given.tensor;
    // The others are compared with the last one, which is an output.
    const TensorEntry& output = *given_.back().tensor;
    const std::string is = (given.item ? "has an item " + std::to_string(*given.item) : "is") +
                           " " + describe_layout(tensor);
    switch (given.letter) {
      case 'd':
      case 'm':
        if (in_default_order(tensor)) return std::nullopt;
        return is + ", which it takes for contiguous";
      case 'v':
        if (same_element_order(tensor, output)) return std::nullopt;
        return is + ", and makes a view of it " + describe_layout(output);
      case 'o':
        if (std::ranges::all_of(tensor.sizes, [](auto size) { return size == 1; }) &&
            tensor.sizes.size() == output.sizes.size()) {
          return std::nullopt;
        }
        break;
      default:
        break;
    }
    const bool shapes_count = given.letter != 's';
    if (share_order(tensor, output) &&
        (!shapes_count || std::ranges::equal(tensor.sizes, output.sizes))) {
      return std::nullopt;
    }
    return is + ", and an output " + describe_layout(output) + ", which it takes for alike";
  }

  std::vector<Given> given_;
};

// Writes its second argument to the output, and reads nothing of the first. The second is spread
// from any order, over a contiguous output.
[[nodiscard]] std::optional<RuleFault> check_copy(const CheckedMethod& method, const Args& args) {
  const TensorEntry& source = method.tensors[static_cast<std::size_t>(args[1])];
  const TensorEntry& output = method.tensors[static_cast<std::size_t>(args[3])];
  if (std::ranges::equal(source.sizes, output.sizes) ? share_order(source, output)
                                                     : in_default_order(output)) {
    return std::nullopt;
  }
  return RuleFault{1,
                   "is " + describe_layout(source) + ", and an output " + describe_layout(output) +
                       ", which it takes for alike",
                   kLayoutHint};
}

}  // namespace

std::optional<RuleFault> check_layouts(const CheckedMethod& method,
                                       const std::vector<bool>& computed, std::string_view name,
                                       const Args& args) {
  if (name == "aten::copy.out") return check_copy(method, args);
  const auto row = std::ranges::lower_bound(kRows, name, {}, &Row::name);
  if (row == kRows.end() || row->name != name) return std::nullopt;
  const LayoutChecker checker(method, args, row->letters);
  auto fault = checker.check();
  if (!fault) return std::nullopt;
  const auto mover = std::ranges::find(kMovers, name, &Mover::name);
  if (mover != kMovers.end() && checker.sliced_alike()) {
    const auto dims = fixed_numbers(method, computed, args[mover->argument]);
    if (dims.size() == 1 && dims[0] == 0) return std::nullopt;
  }
  return fault;
}

bool same_element_order(const TensorEntry& a, const TensorEntry& b) {
  if (std::ranges::is_sorted(a.dim_order) && std::ranges::is_sorted(b.dim_order)) return true;
  const std::vector<Block> blocks = blocks_of(a);
  const std::vector<Block> others = blocks_of(b);
  return blocks.size() <= 1 ? others.size() <= 1 : blocks == others;
}

std::string describe_layout(const TensorEntry& tensor) {
  return std::string("of shape ") + (tensor.dynamic ? "up to " : "") + text(tensor.sizes) +
         " in the dim order " + text(tensor.dim_order);
}

}  // namespace nocopy::executorch
