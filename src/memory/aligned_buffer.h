#pragma once

#include <cstddef>
#include <memory>

namespace nocopy {

// The alignment of every buffer made here: a cache line, and enough for any vector unit.
inline constexpr size_t kBufferAlignment = 64;

// Vectorized kernels may read (never use) up to this many bytes past the end of their inputs:
// XNN_EXTRA_BYTES in XNNPACK is the largest known. Every buffer made here has that much room.
inline constexpr size_t kReadPastEnd = 128;

// Uninitialised memory of at least `size` bytes with room at the end. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte> allocate_aligned(size_t size);

// Zeroed memory of at least `size` bytes with room at the end. Large blocks come from the kernel
// page by page as they are touched, so one that is mostly unused costs little. Throws
// std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte> allocate_zeroed(size_t size);

}  // namespace nocopy
