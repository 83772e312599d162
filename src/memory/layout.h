#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "memory/dims.h"

namespace nocopy {

// Strides are in bytes everywhere in this project; DLPack and torch count elements and are
// converted at the edge.

// ExecuTorch's limit on the number of dimensions (kTensorDimensionLimit in the runtime).
inline constexpr size_t kMaxRuntimeRank = 16;

// numel(shape) * itemsize, or nothing on a negative size or where the product does not fit 63 bits.
[[nodiscard]] std::optional<int64_t> packed_nbytes(std::span<const int64_t> shape,
                                                   size_t itemsize) noexcept;

// The strides of packed elements whose dimensions are laid out in `dim_order`, outermost first.
// The caller has checked that the product fits (packed_nbytes).
[[nodiscard]] Dims packed_strides(std::span<const int64_t> shape,
                                  std::span<const uint8_t> dim_order, size_t itemsize);
[[nodiscard]] Dims contiguous_strides(std::span<const int64_t> shape, size_t itemsize);

// Whether two stride lists put every element of `shape` at the same place. A dimension of size one
// says nothing about layout, and neither does any dimension of an empty tensor.
[[nodiscard]] bool same_layout(std::span<const int64_t> shape, std::span<const int64_t> a,
                               std::span<const int64_t> b) noexcept;

// The dimension order in which these strides are packed, or nothing if no order describes them (a
// gap, an overlap, a negative stride).
[[nodiscard]] std::optional<Dims> dim_order_of(std::span<const int64_t> shape,
                                               std::span<const int64_t> strides, size_t itemsize);

// The distance in bytes from the element at index 0 to the lowest and one past the highest byte
// that the view touches. Both are zero for an empty view.
struct Extent {
  int64_t low = 0;
  int64_t high = 0;
};
[[nodiscard]] std::optional<Extent> extent_of(std::span<const int64_t> shape,
                                              std::span<const int64_t> strides,
                                              size_t itemsize) noexcept;

// Copies a strided view into packed memory of the same shape.
void copy_strided(std::byte* target, std::span<const int64_t> target_strides,
                  const std::byte* source, std::span<const int64_t> source_strides,
                  std::span<const int64_t> shape, size_t itemsize) noexcept;

// "(2, 3)", "(5,)", "()": as Python writes a tuple.
[[nodiscard]] std::string to_string(std::span<const int64_t> values);

}  // namespace nocopy
