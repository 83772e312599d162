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

}  // namespace nocopy
