#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace nocopy {

// A shape or a list of strides: a short run of 64-bit integers that stays inside the object for
// the ranks that occur in practice, because one is made for every input of every call.
class Dims {
 public:
  static constexpr size_t kInline = 6;

  Dims() = default;
  explicit Dims(size_t size) { resize(size); }
  Dims(std::initializer_list<int64_t> values) { assign({values.begin(), values.size()}); }
  explicit Dims(std::span<const int64_t> values) { assign(values); }
  Dims(const Dims& other) { copy(other); }
  Dims(Dims&& other) noexcept { take(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) {
      copy(other);
    }
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) {
      take(other);
    }
    return *this;
  }
  ~Dims() = default;

  // The values after a resize are unspecified.
  void resize(size_t size) {
    if (size > kInline && size > capacity_) {
      heap_ = std::make_unique<int64_t[]>(size);
      capacity_ = size;
    }
    size_ = size;
  }

  void assign(std::span<const int64_t> values) {
    resize(values.size());
    std::copy(values.begin(), values.end(), data());
  }

  [[nodiscard]] size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] int64_t* data() noexcept { return size_ > kInline ? heap_.get() : inline_; }
  [[nodiscard]] const int64_t* data() const noexcept {
    return size_ > kInline ? heap_.get() : inline_;
  }
  [[nodiscard]] int64_t& operator[](size_t i) noexcept { return data()[i]; }
  [[nodiscard]] int64_t operator[](size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] int64_t* begin() noexcept { return data(); }
  [[nodiscard]] int64_t* end() noexcept { return data() + size_; }
  [[nodiscard]] const int64_t* begin() const noexcept { return data(); }
  [[nodiscard]] const int64_t* end() const noexcept { return data() + size_; }

  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    if (a.size_ != b.size_) {
      return false;
    }
    const int64_t* x = a.data();
    const int64_t* y = b.data();
    for (size_t i = 0; i < a.size_; ++i) {
      if (x[i] != y[i]) {
        return false;
      }
    }
    return true;
  }

 private:
  // Copying all of the inline part, used or not, is cheaper than asking how much.
  void copy(const Dims& other) {
    if (other.size_ > kInline) {
      assign(other);
      return;
    }
    size_ = other.size_;
    std::copy_n(other.inline_, kInline, inline_);
  }

  void take(Dims& other) noexcept {
    size_ = other.size_;
    capacity_ = other.capacity_;
    heap_ = std::move(other.heap_);
    std::copy_n(other.inline_, kInline, inline_);
    other.size_ = 0;
    other.capacity_ = 0;
  }

  size_t size_ = 0;
  size_t capacity_ = 0;
  int64_t inline_[kInline] = {};
  std::unique_ptr<int64_t[]> heap_;
};

}  // namespace nocopy
