#include "executorch/xnnpack_nodes.h"

#include <algorithm>
#include <optional>
#include <span>

#include "executorch/program_validation.h"
#include "executorch/xnnpack_schema.h"

namespace nocopy::executorch::xnnpack {
namespace {

using flatbuffer::Table;
using flatbuffer::Tables;
using Dims = std::vector<std::uint32_t>;

// Flags that change no shape; the others have a meaning per node.
constexpr std::uint32_t kKeepDims = 0x40;
constexpr std::uint32_t kTransposed = 0x1;
constexpr std::uint32_t kAlignCorners = 0x8;
constexpr std::uint64_t kLargest = 1U << 24;  // of a padding, stride, dilation or kernel size

[[nodiscard]] std::uint64_t product(std::span<const std::uint32_t> dims) noexcept {
  std::uint64_t n = 1;
  for (const std::uint32_t dim : dims) {
    if (__builtin_mul_overflow(n, std::uint64_t{dim}, &n)) return ~std::uint64_t{0};
  }
  return n;
}

[[nodiscard]] std::string text(std::span<const std::uint32_t> dims) {
  std::string out = "(";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) out.append(", ");
    out.append(std::to_string(dims[i]));
  }
  return out.append(")");
}

class NodeValidator {
 public:
  NodeValidator(Tables nodes, GraphValues& values, std::uint64_t budget, const std::string& where)
      : nodes_(nodes), values_(values), budget_(budget), where_(where) {}

  void run() {
    for (index_ = 0; index_ < nodes_.size(); ++index_) {
      check(nodes_[index_].scalar<std::uint8_t>(kType), nodes_[index_].table(kContent));
    }
    for (const auto& [id, value] : values_) {
      if (value.external_output && !value.available) {
        refuse_program(where_, "never computes its output " + std::to_string(id));
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& fault) const {
    refuse_program(where_ + ", node " + std::to_string(index_), fault);
  }
  void require(bool holds, const char* fault) const {
    if (!holds) fail(fault);
  }

  [[nodiscard]] const GraphValue& input(std::uint32_t id) const {
    const auto found = values_.find(id);
    if (found == values_.end()) fail("takes value " + std::to_string(id) + ", which is not there");
    if (!found->second.available) {
      fail("takes value " + std::to_string(id) + ", which nothing has computed by then");
    }
    return found->second;
  }

  void give(std::uint32_t id, std::span<const std::uint32_t> dims) {
    const auto found = values_.find(id);
    if (found == values_.end()) fail("gives value " + std::to_string(id) + ", which is not there");
    GraphValue& value = found->second;
    if (value.available) {
      fail("gives value " + std::to_string(id) + ", which is a constant, an input or computed");
    }
    if (!std::ranges::equal(value.dims, dims)) {
      fail("gives value " + std::to_string(id) + " of shape " + text(value.dims) +
           ", and from its inputs follows " + text(dims));
    }
    value.available = true;
  }

  void check_flags(std::uint32_t flags, std::uint32_t allowed) const {
    if ((flags & ~(allowed | kKeepDims)) != 0) fail("has flags that its operator does not take");
  }

  void check(std::uint8_t kind, Table node) {
    switch (kind) {
      case kAdd:
      case kDiv:
      case kMinimum:
      case kMultiply:
      case kSubtract:
      case kMaximum:
        binary(node);
        return;
      case kPReLU:
        prelu(node);
        return;
      case kLinear:
        linear(node);
        return;
      case kStaticTranspose:
        transpose(node);
        return;
      case kConv2d:
      case kDepthwiseConv2d:
      case kConvTranspose2d:
        convolution(kind, node);
        return;
      case kResizeBilinear2d:
        resize(node);
        return;
      case kConstantPad:
        pad(node);
        return;
      case kAvgPooling2d:
      case kMaxPooling2d:
        pool(kind, node);
        return;
      case kArgMaxPooling2d:
        arg_max_pool(node);
        return;
      case kGlobalAvgPooling2d:
        global_pool(node);
        return;
      case kStaticReshape:
        reshape(node);
        return;
      case kLeakyReLU:
      case kELU:
        unary(node, 1);
        return;
      case kConcatenate2:
        concatenate(node, 2);
        return;
      case kConcatenate3:
        concatenate(node, 3);
        return;
      case kConcatenate4:
        concatenate(node, 4);
        return;
      case kConcatenate5:
        concatenate(node, 5);
        return;
      case kStaticSlice:
        slice(node);
        return;
      case kBatchMatrixMultiply:
        batch_matrix_multiply(node);
        return;
      case kScaledDotProductAttention:
        fail("is an operator that this runtime's XNNPACK delegate does not have");
      default:
        unary(node, 0);
    }
  }

  // Slots by number: every table below is a row of 32-bit words, in the schema's order.
  [[nodiscard]] static std::uint32_t word(Table node, unsigned slot) noexcept {
    return node.scalar<std::uint32_t>(slot);
  }

  void unary(Table node, unsigned first) {
    check_flags(word(node, first + 2), 0);
    const GraphValue& in = input(word(node, first));
    give(word(node, first + 1), in.dims);
  }

  void binary(Table node) {
    check_flags(word(node, 3), 0);
    give(word(node, 2), broadcast(input(word(node, 0)).dims, input(word(node, 1)).dims));
  }

  [[nodiscard]] Dims broadcast(const Dims& a, const Dims& b) const {
    const Dims& longer = a.size() >= b.size() ? a : b;
    const Dims& shorter = a.size() >= b.size() ? b : a;
    Dims dims = longer;
    const std::size_t shift = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
      std::uint32_t& dim = dims[shift + i];
      require(dim == shorter[i] || dim == 1 || shorter[i] == 1, "combines shapes that do not fit");
      if (dim == 1) dim = shorter[i];
    }
    return dims;
  }

  void prelu(Table node) {
    check_flags(word(node, 3), 0);
    const GraphValue& in = input(word(node, 0));
    const GraphValue& slope = input(word(node, 1));
    give(word(node, 2), broadcast(in.dims, slope.dims));
  }

  void check_bias(std::uint32_t id, std::uint64_t channels) const {
    if (id == kNoId) return;
    require(product(input(id).dims) == channels, "has a bias that does not fit its output");
  }

  void linear(Table node) {
    const std::uint32_t flags = word(node, 4);
    check_flags(flags, kTransposed);
    const GraphValue& in = input(word(node, 0));
    const GraphValue& filter = input(word(node, 1));
    require(filter.dims.size() == 2, "has weights that are no matrix");
    require(!in.dims.empty(), "multiplies a scalar by a matrix");
    const bool transposed = (flags & kTransposed) != 0;
    const std::uint32_t inputs = filter.dims[transposed ? 0 : 1];
    const std::uint32_t outputs = filter.dims[transposed ? 1 : 0];
    require(in.dims.back() == inputs, "has weights that do not fit its input");
    check_bias(word(node, 2), outputs);
    Dims dims = in.dims;
    dims.back() = outputs;
    give(word(node, 3), dims);
  }

  void transpose(Table node) {
    check_flags(word(node, 4), 0);
    const auto perm = node.scalars<std::uint32_t>(1);
    const GraphValue& in = input(word(node, 2));
    require(perm.size() == in.dims.size(), "permutes another number of dimensions");
    Dims dims;
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < perm.size(); ++i) {
      require(perm[i] < perm.size() && (seen >> perm[i] & 1U) == 0, "is no permutation");
      seen |= 1U << perm[i];
      dims.push_back(in.dims[perm[i]]);
    }
    give(word(node, 3), dims);
  }

  struct Window {
    std::uint64_t kernel = 1;
    std::uint64_t stride = 1;
    std::uint64_t dilation = 1;
    std::uint64_t padding = 0;  // before and after, together

    [[nodiscard]] std::uint64_t reach() const noexcept { return dilation * (kernel - 1) + 1; }
  };

  // Paddings are slots 0 (top), 1 (right), 2 (bottom) and 3 (left) in every windowed node.
  [[nodiscard]] Window window(Table node, unsigned axis, unsigned kernel, unsigned stride,
                              unsigned dilation) const {
    Window w;
    w.kernel = word(node, kernel + axis);
    if (stride != 0) w.stride = word(node, stride + axis);
    if (dilation != 0) w.dilation = word(node, dilation + axis);
    w.padding = std::uint64_t{word(node, axis == 0 ? 0 : 1)} + word(node, axis == 0 ? 2 : 3);
    require(w.kernel >= 1 && w.stride >= 1 && w.dilation >= 1 && w.kernel <= kLargest &&
                w.stride <= kLargest && w.dilation <= kLargest && w.padding <= kLargest,
            "has an impossible window");
    return w;
  }

  [[nodiscard]] std::uint32_t slide(std::uint32_t size, const Window& w) const {
    require(size + w.padding >= w.reach(), "has a window larger than its input");
    return static_cast<std::uint32_t>((size + w.padding - w.reach()) / w.stride + 1);
  }

  // The table of input addresses that XNNPACK keeps: one per output pixel and kernel element.
  void spend_index(std::uint64_t pixels, std::uint64_t kernel) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(pixels, kernel * sizeof(void*), &bytes) || bytes > budget_) {
      fail("needs more memory for its windows than this machine has");
    }
    budget_ -= bytes;
  }

  void convolution(std::uint8_t kind, Table node) {
    check_flags(word(node, 19), 0);
    const GraphValue& in = input(word(node, 15));
    const GraphValue& filter = input(word(node, 16));
    const std::uint64_t in_channels = word(node, 10);
    const std::uint64_t out_channels = word(node, 11);
    const std::uint64_t groups = word(node, 12);
    require(in_channels >= 1 && out_channels >= 1 && groups >= 1 && in_channels <= kLargest &&
                out_channels <= kLargest && groups <= kLargest,
            "has an impossible number of channels");
    require(in.dims.size() == 4 && filter.dims.size() == 4, "convolves something that is no image");
    require(filter.constant, "has weights that are no constant");
    const Window rows = window(node, 0, 4, 6, 8);
    const Window columns = window(node, 1, 4, 6, 8);
    require(filter.dims[1] == rows.kernel && filter.dims[2] == columns.kernel,
            "has weights that do not fit its window");
    const bool depthwise = kind == kDepthwiseConv2d;
    std::uint64_t outputs = groups * out_channels;
    if (depthwise) {
      require(out_channels % in_channels == 0, "has weights that do not fit its channels");
      outputs = groups * (out_channels / in_channels);
      require(filter.dims[0] == 1 && filter.dims[3] == outputs && in.dims[3] == groups,
              "has weights that do not fit its channels");
    } else {
      require(filter.dims[0] == outputs && filter.dims[3] == in_channels &&
                  in.dims[3] == groups * in_channels,
              "has weights that do not fit its channels");
    }
    check_bias(word(node, 17), outputs);
    Dims dims = {in.dims[0], 0, 0, static_cast<std::uint32_t>(outputs)};
    if (kind == kConvTranspose2d) {
      dims[1] = spread(in.dims[1], rows, word(node, 13));
      dims[2] = spread(in.dims[2], columns, word(node, 14));
    } else {
      dims[1] = slide(in.dims[1], rows);
      dims[2] = slide(in.dims[2], columns);
    }
    spend_index(std::uint64_t{dims[1]} * dims[2], rows.kernel * columns.kernel);
    give(word(node, 18), dims);
  }

  [[nodiscard]] std::uint32_t spread(std::uint32_t size, const Window& w,
                                     std::uint32_t adjustment) const {
    require(size >= 1 && size <= kLargest && adjustment < w.stride, "has an impossible window");
    const std::uint64_t full = w.stride * (size - 1) + adjustment + w.reach();
    require(full > w.padding && full - w.padding <= kLargest, "has an impossible window");
    return static_cast<std::uint32_t>(full - w.padding);
  }

  void pool(std::uint8_t kind, Table node) {
    check_flags(word(node, 12), 0);
    const GraphValue& in = input(word(node, 10));
    require(in.dims.size() == 4, "pools something that is no image");
    const unsigned dilation = kind == kMaxPooling2d ? 8 : 0;
    const Window rows = window(node, 0, 4, 6, dilation);
    const Window columns = window(node, 1, 4, 6, dilation);
    const Dims dims = {in.dims[0], slide(in.dims[1], rows), slide(in.dims[2], columns), in.dims[3]};
    spend_index(std::uint64_t{dims[1]} * dims[2], rows.kernel * columns.kernel);
    give(word(node, 11), dims);
  }

  void arg_max_pool(Table node) {
    check_flags(word(node, 9), 0);
    const GraphValue& in = input(word(node, 6));
    require(in.dims.size() == 4, "pools something that is no image");
    Window rows = window(node, 0, 4, 0, 0);
    Window columns = window(node, 1, 4, 0, 0);
    rows.stride = rows.kernel;
    columns.stride = columns.kernel;
    const Dims dims = {in.dims[0], slide(in.dims[1], rows), slide(in.dims[2], columns), in.dims[3]};
    spend_index(std::uint64_t{dims[1]} * dims[2], rows.kernel * columns.kernel);
    give(word(node, 7), dims);
    give(word(node, 8), dims);
  }

  void global_pool(Table node) {
    check_flags(word(node, 2), 0);
    const GraphValue& in = input(word(node, 0));
    require(in.dims.size() == 4, "pools something that is no image");
    const Dims kept = {in.dims[0], 1, 1, in.dims[3]};
    const Dims dropped = {in.dims[0], in.dims[3]};
    give(word(node, 1), (word(node, 2) & kKeepDims) != 0 ? kept : dropped);
  }

  void resize(Table node) {
    check_flags(word(node, 4), kAlignCorners);
    const GraphValue& in = input(word(node, 2));
    const std::uint32_t height = word(node, 0);
    const std::uint32_t width = word(node, 1);
    require(in.dims.size() == 4 && height >= 1 && width >= 1 && height <= kLargest &&
                width <= kLargest && in.dims[1] >= 1 && in.dims[2] >= 1,
            "resizes something that is no image");
    spend_index(std::uint64_t{height} * width, 8);
    give(word(node, 3), Dims{in.dims[0], height, width, in.dims[3]});
  }

  void pad(Table node) {
    check_flags(word(node, 5), 0);
    const auto before = node.scalars<std::uint32_t>(0);
    const auto after = node.scalars<std::uint32_t>(1);
    const GraphValue& in = input(word(node, 3));
    require(before.size() == in.dims.size() && after.size() == in.dims.size(),
            "pads another number of dimensions");
    Dims dims = in.dims;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const std::uint64_t size = std::uint64_t{dims[i]} + before[i] + after[i];
      require(before[i] <= kLargest && after[i] <= kLargest && size <= 0x7fffffffU,
              "pads by an impossible size");
      dims[i] = static_cast<std::uint32_t>(size);
    }
    give(word(node, 4), dims);
  }

  void reshape(Table node) {
    check_flags(word(node, 4), 0);
    const auto shape = node.scalars<std::uint32_t>(1);
    const GraphValue& in = input(word(node, 2));
    Dims dims;
    std::optional<std::size_t> inferred;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      dims.push_back(shape[i]);
      if (shape[i] == 0) {
        require(!inferred, "leaves two dimensions open");
        inferred = i;
        dims[i] = 1;
      }
    }
    const std::uint64_t have = product(in.dims);
    const std::uint64_t given = product(dims);
    if (inferred) {
      require(given != 0 && have % given == 0, "cannot be reshaped as it says");
      dims[*inferred] = static_cast<std::uint32_t>(have / given);
    }
    require(product(dims) == have, "cannot be reshaped as it says");
    give(word(node, 3), dims);
  }

  void concatenate(Table node, unsigned count) {
    check_flags(word(node, 6), 0);
    constexpr std::array<unsigned, 5> kInputs = {1, 2, 3, 4, 7};
    Dims dims = input(word(node, kInputs[0])).dims;
    // A negative axis counts from the end.
    const auto signed_axis = static_cast<std::int32_t>(word(node, 0));
    const auto rank = static_cast<std::int64_t>(dims.size());
    const std::int64_t axis = signed_axis < 0 ? rank + signed_axis : signed_axis;
    require(axis >= 0 && axis < rank, "joins along an axis that is not there");
    for (unsigned k = 1; k < count; ++k) {
      const Dims& other = input(word(node, kInputs[k])).dims;
      require(other.size() == dims.size(), "joins shapes that do not fit");
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if (static_cast<std::int64_t>(i) == axis) {
          require(!__builtin_add_overflow(dims[i], other[i], &dims[i]), "joins too much");
        } else {
          require(other[i] == dims[i], "joins shapes that do not fit");
        }
      }
    }
    give(word(node, 5), dims);
  }

  void slice(Table node) {
    check_flags(word(node, 5), 0);
    const auto offsets = node.scalars<std::uint32_t>(1);
    const auto sizes = node.scalars<std::uint32_t>(2);
    const GraphValue& in = input(word(node, 3));
    require(offsets.size() == in.dims.size() && sizes.size() == in.dims.size(),
            "slices another number of dimensions");
    Dims dims;
    for (std::size_t i = 0; i < in.dims.size(); ++i) {
      require(offsets[i] <= in.dims[i], "slices past the end");
      // A size of 0 means all that is left.
      const std::uint32_t left = in.dims[i] - offsets[i];
      require(sizes[i] <= left, "slices past the end");
      dims.push_back(sizes[i] == 0 ? left : sizes[i]);
    }
    give(word(node, 4), dims);
  }

  void batch_matrix_multiply(Table node) {
    const std::uint32_t flags = word(node, 3);
    check_flags(flags, kTransposed);
    const Dims& a = input(word(node, 0)).dims;
    const Dims& b = input(word(node, 1)).dims;
    require(a.size() >= 2 && b.size() >= 2, "multiplies something that is no matrix");
    const bool transposed = (flags & kTransposed) != 0;
    const std::uint32_t inner = b[b.size() - (transposed ? 1 : 2)];
    const std::uint32_t outer = b[b.size() - (transposed ? 2 : 1)];
    require(a.back() == inner, "multiplies matrices that do not fit");
    Dims dims = broadcast(Dims(a.begin(), a.end() - 2), Dims(b.begin(), b.end() - 2));
    dims.push_back(a[a.size() - 2]);
    dims.push_back(outer);
    give(word(node, 2), dims);
  }

  Tables nodes_;
  GraphValues& values_;
  std::uint64_t budget_;
  const std::string& where_;
  std::size_t index_ = 0;
};

}  // namespace

void check_nodes(Tables nodes, GraphValues& values, std::uint64_t budget,
                 const std::string& where) {
  NodeValidator(nodes, values, budget, where).run();
}

}  // namespace nocopy::executorch::xnnpack
