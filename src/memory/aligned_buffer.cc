#include "memory/aligned_buffer.h"

#include <sys/mman.h>

#include <cstring>

namespace nocopy {

std::shared_ptr<std::byte> allocate_zeroed(size_t size) {
  constexpr size_t kLarge = 1 << 20;
  if (size < kLarge) {
    AlignedBytes bytes = allocate_aligned(size);
    std::memset(bytes.get(), 0, size);
    return {std::move(bytes)};
  }
  if (size > static_cast<size_t>(-1) / 2) {
    throw std::bad_alloc();
  }
  const size_t length = size + kReadPastEnd;
  void* p = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return {static_cast<std::byte*>(p), [length](std::byte* start) { ::munmap(start, length); }};
}

}  // namespace nocopy
