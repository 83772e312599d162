#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nocopy {

inline constexpr std::size_t kLargePage = std::size_t{2} * 1024 * 1024;

// Asks for large pages for memory that was just allocated and will be filled: one page fault
// instead of 512. Only whole large pages inside of it are meant, so it takes no more memory for
// that.
inline void advise_large_pages(void* memory, std::size_t size) noexcept {
#if defined(MADV_HUGEPAGE)
  const auto begin =
      (reinterpret_cast<std::uintptr_t>(memory) + kLargePage - 1) & ~(kLargePage - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + size) & ~(kLargePage - 1);
  if (begin < end) {
    static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
  }
#else
  static_cast<void>(memory);
  static_cast<void>(size);
#endif
}

// Gives the whole pages inside of some memory back to the system. They stay usable, their contents
// are lost.
inline void give_back_pages(void* memory, std::size_t size) noexcept {
#if defined(__linux__)
  // Pages may be larger than that; then the system refuses, and nothing is given back.
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) & ~(kPage - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + size) & ~(kPage - 1);
  if (begin < end) {
    static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED));
  }
#else
  static_cast<void>(memory);
  static_cast<void>(size);
#endif
}

}  // namespace nocopy
