#include "memory/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace nocopy {
namespace {

void check_size(size_t size) {
  if (size > SIZE_MAX / 2) {
    throw std::bad_alloc();
  }
}

}  // namespace

std::shared_ptr<std::byte> allocate_aligned(size_t size) {
  check_size(size);
  // One block for the bytes and the count of their owners; aligning it by hand is several times
  // cheaper than asking malloc to, and a small result is made on every call.
  auto block =
      std::make_shared_for_overwrite<std::byte[]>(size + kReadPastEnd + kBufferAlignment - 1);
  const auto address = reinterpret_cast<uintptr_t>(block.get());
  const uintptr_t aligned = (address + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
  std::byte* start = block.get() + (aligned - address);
  return {std::move(block), start};
}

std::shared_ptr<std::byte> allocate_zeroed(size_t size) {
  constexpr size_t kLarge = 1 << 20;
  if (size < kLarge) {
    std::shared_ptr<std::byte> bytes = allocate_aligned(size);
    std::memset(bytes.get(), 0, size);
    return bytes;
  }
  check_size(size);
  const size_t length = size + kReadPastEnd;
  void* p = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return {static_cast<std::byte*>(p), [length](std::byte* start) { ::munmap(start, length); }};
}

}  // namespace nocopy
