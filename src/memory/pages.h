#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Advice to the system about memory: only about whole pages inside of it, and nothing happens where
// the system cannot follow it.
namespace nocopy {

inline constexpr std::size_t kPage = std::size_t{4} * 1024;  // or more, and then it refuses
inline constexpr std::size_t kLargePage = std::size_t{2} * 1024 * 1024;

inline void advise_pages(void* memory, std::size_t size, std::size_t page, int advice) noexcept {
#if defined(__linux__)
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) & ~(page - 1);
  const std::uintptr_t end = (address + size) & ~(page - 1);
  if (begin < end) {
    static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, advice));
  }
#else
  static_cast<void>(memory);
  static_cast<void>(size);
  static_cast<void>(page);
  static_cast<void>(advice);
#endif
}

// Takes the page faults of memory that is about to be filled in one call, instead of one by one.
inline void populate_pages([[maybe_unused]] void* memory,
                           [[maybe_unused]] std::size_t size) noexcept {
#if defined(MADV_POPULATE_WRITE)
  advise_pages(memory, size, kPage, MADV_POPULATE_WRITE);
#endif
}

// Asks for large pages: one fault instead of 512. Only for memory that is used again and again: a
// virtual machine may have given its free large pages back to its host, and then the first touch of
// one costs several times what 512 small pages do (1.7 GB of weights took 4 s instead of 0.9 s).
inline void advise_large_pages([[maybe_unused]] void* memory,
                               [[maybe_unused]] std::size_t size) noexcept {
#if defined(MADV_HUGEPAGE)
  advise_pages(memory, size, kLargePage, MADV_HUGEPAGE);
#endif
}

// Gives memory back to the system. It stays usable, its contents are lost.
inline void give_back_pages([[maybe_unused]] void* memory,
                            [[maybe_unused]] std::size_t size) noexcept {
#if defined(__linux__)
  advise_pages(memory, size, kPage, MADV_DONTNEED);
#endif
}

}  // namespace nocopy
