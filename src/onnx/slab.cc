#include "onnx/slab.h"

#include <cstdlib>
#include <new>

namespace nocopy::onnx {

// A chunk starts at a multiple of its size, so an object's address leads to it.
struct Slab::Chunk {
  // Living objects. While a slab still cuts from the chunk the count is short of those that it
  // handed out, by an amount that only the slab knows, and long by kOpen, so it cannot reach zero.
  std::atomic<std::int64_t> living;
};

namespace {

constexpr std::size_t kChunkSize = std::size_t{64} * 1024;
constexpr std::int64_t kOpen = std::int64_t{1} << 40;

}  // namespace

void Slab::release(void* object) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  auto* chunk = reinterpret_cast<Chunk*>(address & ~(std::uintptr_t{kChunkSize} - 1));
  if (chunk->living.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    std::free(chunk);
  }
}

void Slab::refill() {
  retire();
  void* memory = std::aligned_alloc(kChunkSize, kChunkSize);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  chunk_ = new (memory) Chunk{kOpen};
  next_ = static_cast<std::byte*>(memory) + sizeof(Chunk);
  end_ = static_cast<std::byte*>(memory) + kChunkSize;
}

void Slab::retire() noexcept {
  if (chunk_ != nullptr) {
    const std::int64_t surplus = kOpen - count_;
    if (chunk_->living.fetch_sub(surplus, std::memory_order_acq_rel) == surplus) {
      std::free(chunk_);
    }
  }
  chunk_ = nullptr;
  next_ = end_ = nullptr;
  count_ = 0;
}

}  // namespace nocopy::onnx
