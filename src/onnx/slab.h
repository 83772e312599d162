#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nocopy::onnx {

// Memory for the many small objects that one parse or one copy makes. Objects are cut one after the
// other from chunks; a chunk counts its living objects and goes with the last of them. Objects may
// be released in any order and on any thread; allocating is for one thread. A slab that has grown
// cuts its chunks from large pages, which cost far less to get than many small ones.
//
// Every object must remember that it lives in a slab, because it is released in another way than
// one from malloc is.
class Slab {
 public:
  // Larger objects are not served.
  static constexpr std::size_t kLargest = 4096;

  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab();

  // At multiples of 8; null when the object is too large for a slab. Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t size) {
    size = (size + 7) & ~std::size_t{7};
    if (size > static_cast<std::size_t>(end_ - next_)) [[unlikely]] {
      if (size > kLargest) {
        return nullptr;
      }
      refill();
    }
    void* object = next_;
    next_ += size;
    ++count_;
    return object;
  }

  static void release(void* object) noexcept;

 private:
  struct Chunk;
  struct Region;

  void refill();
  void retire() noexcept;
  [[nodiscard]] void* chunk_of_region();
  static void drop(Chunk* chunk) noexcept;
  static void drop(Region* region) noexcept;

  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  Chunk* chunk_ = nullptr;
  std::int64_t count_ = 0;
  std::size_t chunks_ = 0;
  Region* region_ = nullptr;
  std::size_t chunks_in_region_ = 0;
};

}  // namespace nocopy::onnx
