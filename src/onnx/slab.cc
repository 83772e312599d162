#include "onnx/slab.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "memory/pages.h"

namespace nocopy::onnx {

// Memory of several chunks, which goes when the last of them is dropped. It lies in its first
// chunk.
struct Slab::Region {
  std::atomic<std::int32_t> living;  // chunks, and the slab that still cuts from it
};

// A chunk starts at a multiple of its size, so an object's address leads to it.
struct Slab::Chunk {
  // Living objects. While a slab still cuts from the chunk the count is short of those that it
  // handed out, by an amount that only the slab knows, and long by kOpen, so it cannot reach zero.
  std::atomic<std::int64_t> living;
  Region* region;  // null for one from malloc
};

namespace {

constexpr std::size_t kChunkSize = std::size_t{64} * 1024;
constexpr std::size_t kRegionSize = kLargePage;
constexpr std::size_t kRegionsFrom = 16;  // chunks; what is smaller is not worth a large page
constexpr std::int64_t kOpen = std::int64_t{1} << 40;

// Memory at a multiple of its size, or null.
void* map_aligned(std::size_t size) noexcept {
  void* memory =
      ::mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  auto* begin = static_cast<std::byte*>(memory);
  const std::size_t before = (size - reinterpret_cast<std::uintptr_t>(begin) % size) % size;
  if (before != 0) {
    ::munmap(begin, before);
  }
  ::munmap(begin + before + size, size - before);
  advise_large_pages(begin + before, size);
  return begin + before;
}

}  // namespace

Slab::~Slab() {
  retire();
  if (region_ != nullptr) {
    drop(region_);
  }
}

void Slab::release(void* object) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  auto* chunk = reinterpret_cast<Chunk*>(address & ~(std::uintptr_t{kChunkSize} - 1));
  if (chunk->living.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    drop(chunk);
  }
}

void Slab::drop(Chunk* chunk) noexcept {
  if (chunk->region != nullptr) {
    drop(chunk->region);
  } else {
    std::free(chunk);
  }
}

void Slab::drop(Region* region) noexcept {
  if (region->living.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    const auto address = reinterpret_cast<std::uintptr_t>(region);
    ::munmap(reinterpret_cast<void*>(address & ~(std::uintptr_t{kRegionSize} - 1)), kRegionSize);
  }
}

void* Slab::chunk_of_region() {
  if (region_ != nullptr && chunks_in_region_ == kRegionSize / kChunkSize) {
    drop(region_);
    region_ = nullptr;
  }
  if (region_ == nullptr) {
    void* memory = map_aligned(kRegionSize);
    if (memory == nullptr) {
      return nullptr;
    }
    // The first chunk's own header comes first.
    region_ = new (static_cast<std::byte*>(memory) + sizeof(Chunk)) Region{1};
    chunks_in_region_ = 0;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(region_) & ~(std::uintptr_t{kRegionSize} - 1);
  region_->living.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<std::byte*>(base) + kChunkSize * chunks_in_region_++;
}

void Slab::refill() {
  retire();
  void* memory = chunks_ >= kRegionsFrom ? chunk_of_region() : nullptr;
  Region* region = memory != nullptr ? region_ : nullptr;
  if (memory == nullptr) {
    memory = std::aligned_alloc(kChunkSize, kChunkSize);
  }
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  ++chunks_;
  chunk_ = new (memory) Chunk{kOpen, region};
  // Behind the header there is room for a region's.
  static_assert(sizeof(Region) <= 8);
  next_ = static_cast<std::byte*>(memory) + sizeof(Chunk) + 8;
  end_ = static_cast<std::byte*>(memory) + kChunkSize;
}

void Slab::retire() noexcept {
  if (chunk_ != nullptr) {
    const std::int64_t surplus = kOpen - count_;
    if (chunk_->living.fetch_sub(surplus, std::memory_order_acq_rel) == surplus) {
      drop(chunk_);
    }
  }
  chunk_ = nullptr;
  next_ = end_ = nullptr;
  count_ = 0;
}

}  // namespace nocopy::onnx
