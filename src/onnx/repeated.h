#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "onnx/slab.h"
#include "onnx/string.h"

namespace nocopy::onnx {

// A repeated field: one pointer, null while there is nothing, to a block that holds the number of
// elements and then the elements. T is a number, a String, or a pointer that someone else releases
// (RepeatedMessage); all of them can be moved by copying their bits.
template <typename T>
class Repeated {
  static_assert(std::is_trivially_copyable_v<T> || std::is_same_v<T, String>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  Repeated() noexcept = default;
  Repeated(std::initializer_list<T> values) { append(std::span(values.begin(), values.size())); }
  Repeated(const Repeated& other) { append(other.span()); }
  Repeated(Repeated&& other) noexcept { swap(other); }
  Repeated& operator=(const Repeated& other) {
    Repeated(other).swap(*this);
    return *this;
  }
  Repeated& operator=(Repeated&& other) noexcept {
    Repeated(std::move(other)).swap(*this);
    return *this;
  }
  ~Repeated() { clear(); }

  [[nodiscard]] std::size_t size() const noexcept { return block_ != nullptr ? block_->size : 0; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] T* data() noexcept { return block_ != nullptr ? elements(block_) : nullptr; }
  [[nodiscard]] const T* data() const noexcept {
    return block_ != nullptr ? elements(block_) : nullptr;
  }
  [[nodiscard]] iterator begin() noexcept { return data(); }
  [[nodiscard]] iterator end() noexcept { return data() + size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return data(); }
  [[nodiscard]] const_iterator end() const noexcept { return data() + size(); }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data(), size()}; }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return data()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data()[index]; }
  [[nodiscard]] T& back() noexcept { return data()[size() - 1]; }

  void push_back(T value) { new (grow(nullptr)) T(std::move(value)); }
  void append(std::span<const T> values, Slab* slab = nullptr) {
    if (values.empty()) {
      return;
    }
    reserve(size() + values.size(), slab);
    for (const T& value : values) {
      if constexpr (std::is_same_v<T, String>) {
        (new (grow(slab)) T())->assign(value.view(), slab);
      } else {
        new (grow(slab)) T(value);
      }
    }
  }

  void insert(std::size_t index, T value) {
    grow(nullptr);
    T* at = data() + index;
    shift(at + 1, at, size() - 1 - index);
    new (at) T(std::move(value));
  }
  void erase(std::size_t index, std::size_t count = 1) noexcept {
    T* at = data() + index;
    for (std::size_t i = 0; i < count; ++i) {
      at[i].~T();
    }
    if (count != 0) {
      shift(at, at + count, size() - index - count);
      block_->size -= count;
    }
  }

  // Room for `capacity` elements in all, and no more than that when the field is new.
  void reserve(std::size_t capacity, Slab* slab = nullptr) {
    if (capacity > this->capacity()) {
      reallocate(capacity, slab);
    }
  }

  // `count` more numbers at the end, for the caller to fill.
  [[nodiscard]] T* append_uninitialized(std::size_t count, Slab* slab = nullptr)
    requires std::is_arithmetic_v<T>
  {
    const std::size_t before = size();
    if (count != 0) {
      reserve(before + count, slab);
      block_->size += count;
    }
    return data() + before;
  }

  // Room for one more element, which the caller constructs at once. Throws std::bad_alloc.
  [[nodiscard]] void* append_slot(Slab* slab) { return grow(slab); }

  void clear() noexcept {
    if (block_ == nullptr) {
      return;
    }
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (T& value : *this) {
        value.~T();
      }
    }
    free_block();
    block_ = nullptr;
  }

  void swap(Repeated& other) noexcept { std::swap(block_, other.block_); }

  // Numbers are compared by their bits, as protobuf does: a NaN equals itself, and 0 is not -0.
  friend bool operator==(const Repeated& a, const Repeated& b) noexcept {
    if (a.size() != b.size()) {
      return false;
    }
    if constexpr (std::is_arithmetic_v<T>) {
      return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!(a[i] == b[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  struct Block {
    std::uint64_t size;
    std::uint64_t capacity;  // kInSlab is set where the block was cut from a slab
  };
  static constexpr std::uint64_t kInSlab = std::uint64_t{1} << 63;
  static_assert(alignof(T) <= alignof(Block));

  [[nodiscard]] static T* elements(Block* block) noexcept {
    return reinterpret_cast<T*>(block + 1);
  }
  [[nodiscard]] std::size_t capacity() const noexcept {
    return block_ != nullptr ? block_->capacity & ~kInSlab : 0;
  }
  static void shift(T* to, const T* from, std::size_t count) noexcept {
    std::memmove(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(T));
  }

  T* grow(Slab* slab) {
    if (size() == capacity()) {
      reallocate(size() < 2 ? size() + 1 : size() * 2, slab);
    }
    return elements(block_) + block_->size++;
  }

  void reallocate(std::size_t capacity, Slab* slab) {
    if (capacity > (SIZE_MAX / 2 - sizeof(Block)) / sizeof(T)) {
      throw std::bad_alloc();
    }
    const std::size_t bytes = sizeof(Block) + capacity * sizeof(T);
    void* memory = slab != nullptr ? slab->allocate(bytes) : nullptr;
    const bool in_slab = memory != nullptr;
    if (!in_slab && block_ != nullptr && (block_->capacity & kInSlab) == 0) {
      // A large block moves by remapping its pages rather than by copying them.
      memory = std::realloc(static_cast<void*>(block_), bytes);
      if (memory == nullptr) {
        throw std::bad_alloc();
      }
      block_ = static_cast<Block*>(memory);
      block_->capacity = capacity;
      return;
    }
    if (!in_slab && (memory = std::malloc(bytes)) == nullptr) {
      throw std::bad_alloc();
    }
    auto* block = new (memory) Block{size(), capacity | (in_slab ? kInSlab : 0)};
    if (block_ != nullptr) {
      shift(elements(block), elements(block_), block_->size);
      free_block();
    }
    block_ = block;
  }

  void free_block() noexcept {
    if ((block_->capacity & kInSlab) != 0) {
      Slab::release(block_);
    } else {
      std::free(block_);
    }
  }

  Block* block_ = nullptr;
};

}  // namespace nocopy::onnx
