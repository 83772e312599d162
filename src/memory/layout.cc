#include "memory/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "memory/device.h"

namespace nocopy {

std::optional<int64_t> packed_nbytes(std::span<const int64_t> shape, size_t itemsize) noexcept {
  // An empty tensor may carry any other sizes, but none that a product could not hold: sizes are
  // multiplied again wherever strides are made.
  int64_t product = static_cast<int64_t>(itemsize);
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0) {
      return std::nullopt;
    }
    empty = empty || size == 0;
    if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

Dims packed_strides(std::span<const int64_t> shape, std::span<const uint8_t> dim_order,
                    size_t itemsize) {
  Dims strides(shape.size());
  int64_t stride = static_cast<int64_t>(itemsize);
  for (size_t i = dim_order.size(); i-- > 0;) {
    const size_t dim = dim_order[i];
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

Dims contiguous_strides(std::span<const int64_t> shape, size_t itemsize) {
  Dims strides(shape.size());
  int64_t stride = static_cast<int64_t>(itemsize);
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

bool same_layout(std::span<const int64_t> shape, std::span<const int64_t> a,
                 std::span<const int64_t> b) noexcept {
  bool same = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) {
      return true;
    }
    same = same && (shape[i] == 1 || a[i] == b[i]);
  }
  return same;
}

std::optional<Dims> dim_order_of(std::span<const int64_t> shape, std::span<const int64_t> strides,
                                 size_t itemsize) {
  Dims order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  // Size-one dimensions may sit anywhere; a stable sort leaves them next to their neighbours.
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)];
  });
  int64_t expected = static_cast<int64_t>(itemsize);
  for (size_t i = order.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(order[i]);
    if (shape[dim] == 0) {
      return order;
    }
    if (shape[dim] == 1) {
      continue;
    }
    if (strides[dim] != expected || __builtin_mul_overflow(expected, shape[dim], &expected)) {
      return std::nullopt;
    }
  }
  return order;
}

std::optional<Extent> extent_of(std::span<const int64_t> shape, std::span<const int64_t> strides,
                                size_t itemsize) noexcept {
  Extent extent{0, static_cast<int64_t>(itemsize)};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) {
      return Extent{};
    }
    int64_t reach = 0;
    int64_t& edge = strides[i] < 0 ? extent.low : extent.high;
    if (shape[i] < 0 || __builtin_mul_overflow(strides[i], shape[i] - 1, &reach) ||
        __builtin_add_overflow(edge, reach, &edge)) {
      return std::nullopt;
    }
  }
  return extent;
}

void copy_strided(std::byte* target, std::span<const int64_t> target_strides,
                  const std::byte* source, std::span<const int64_t> source_strides,
                  std::span<const int64_t> shape, size_t itemsize) noexcept {
  if (shape.empty()) {
    std::memcpy(target, source, itemsize);
    return;
  }
  const int64_t count = shape[0];
  const bool run = shape.size() == 1 && source_strides[0] == static_cast<int64_t>(itemsize) &&
                   target_strides[0] == static_cast<int64_t>(itemsize);
  if (run) {
    std::memcpy(target, source, static_cast<size_t>(count) * itemsize);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    copy_strided(target + i * target_strides[0], target_strides.subspan(1),
                 source + i * source_strides[0], source_strides.subspan(1), shape.subspan(1),
                 itemsize);
  }
}

std::string to_string(std::span<const int64_t> values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) {
    text += std::to_string(values[i]);
    if (i + 1 < values.size()) {
      text += ", ";
    } else if (values.size() == 1) {
      text += ",";
    }
  }
  return text + ")";
}

std::string to_string(Device device) {
  const auto with_index = [&](const char* name) {
    return std::string(name) + ":" + std::to_string(device.index);
  };
  switch (device.kind) {
    case 1:
      return "cpu";
    case 2:
      return with_index("cuda");
    case 3:
      return "cpu (CUDA pinned)";
    case 4:
      return with_index("opencl");
    case 7:
      return with_index("vulkan");
    case 8:
      return with_index("metal");
    case 10:
      return with_index("rocm");
    default:
      return with_index(("device kind " + std::to_string(device.kind)).c_str());
  }
}

}  // namespace nocopy
