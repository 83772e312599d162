#include "memory/byte_span.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "memory/pages.h"

namespace nocopy {
namespace {

// The next link of the chain that is being destroyed on this thread.
thread_local std::shared_ptr<void>* next_link = nullptr;
thread_local ReleaseLater* outermost = nullptr;

constexpr std::size_t kAlignedFrom = 1024;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPopulatedFrom = std::size_t{256} * 1024;

std::uint8_t* allocate(std::size_t size) {
  void* memory = nullptr;
  if (size >= kAlignedFrom && size <= SIZE_MAX - kAlignment) {
    memory = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  } else {
    memory = std::malloc(size != 0 ? size : 1);
  }
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return static_cast<std::uint8_t*>(memory);
}

void copy(std::uint8_t* to, const void* from, std::size_t size) noexcept {
  if (size >= kPopulatedFrom) {
    populate_pages(to, size);
  }
  if (size != 0) {
    std::memcpy(to, from, size);
  }
}

}  // namespace

ByteSpan::ByteSpan(const ByteSpan& other) {
  if (other.mode_ == Mode::kOwned) {
    data_ = allocate(other.size_);
    copy(data_, other.data_, other.size_);
  } else {
    data_ = other.data_;
  }
  size_ = other.size_;
  owner_ = other.owner_;
  mode_ = other.mode_;
}

ByteSpan& ByteSpan::operator=(const ByteSpan& other) {
  if (this != &other) {
    ByteSpan(other).swap(*this);
  }
  return *this;
}

ByteSpan& ByteSpan::operator=(ByteSpan&& other) noexcept {
  if (this != &other) {
    ByteSpan(std::move(other)).swap(*this);
  }
  return *this;
}

void ByteSpan::assign(const void* data, std::size_t size) {
  // The old bytes go last: the new ones may lie among them.
  ByteSpan fresh;
  copy(fresh.assign_uninitialized(size), data, size);
  swap(fresh);
}

std::uint8_t* ByteSpan::assign_uninitialized(std::size_t size) {
  ByteSpan fresh;
  fresh.data_ = allocate(size);
  fresh.size_ = size;
  fresh.mode_ = Mode::kOwned;
  swap(fresh);
  return data_;
}

void ByteSpan::assign_borrowed(const void* data, std::size_t size,
                               std::shared_ptr<void> owner) noexcept {
  ByteSpan fresh;
  // Borrowed bytes are never written through this pointer: mutable_data() refuses.
  fresh.data_ = const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(data));
  fresh.size_ = size;
  fresh.owner_ = std::move(owner);
  fresh.mode_ = Mode::kBorrowed;
  swap(fresh);
}

std::shared_ptr<void> ByteSpan::share() {
  struct Buffer {
    std::uint8_t* data = nullptr;
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data); }
  };
  struct Kept {
    std::shared_ptr<void> buffer;
    std::shared_ptr<void> owner;  // goes first: a deleter may still look at the bytes
  };
  if (mode_ != Mode::kOwned) {
    return owner_;
  }
  if (buffer_ == nullptr) {
    auto buffer = std::make_shared<Buffer>();
    buffer->data = data_;
    buffer_ = std::move(buffer);
  }
  return owner_ == nullptr ? buffer_ : std::make_shared<Kept>(Kept{buffer_, owner_});
}

void ByteSpan::discard() noexcept {
  if (mode_ == Mode::kOwned && buffer_ == nullptr && owner_ == nullptr) {
    give_back_pages(data_, size_);
  }
}

ByteSpan::Link::~Link() {
  if (previous_ == nullptr || previous_.use_count() != 1) {
    return;
  }
  if (next_link != nullptr) {
    *next_link = std::move(previous_);
    return;
  }
  std::shared_ptr<void> next = std::move(previous_);
  next_link = &next;
  while (next != nullptr) {
    const std::shared_ptr<void> link = std::move(next);
  }
  next_link = nullptr;
}

ByteSpan::Link::Apart::Apart() noexcept : outer_(std::exchange(next_link, nullptr)) {}
ByteSpan::Link::Apart::~Apart() { next_link = outer_; }

void ByteSpan::release() noexcept {
  if (owner_ != nullptr && ReleaseLater::take(*this)) {
    return;
  }
  // The token goes first: a deleter may still look at the bytes.
  owner_.reset();
  if (mode_ == Mode::kOwned && buffer_ == nullptr) {
    std::free(data_);
  }
}

ReleaseLater::ReleaseLater() noexcept {
  if (outermost == nullptr) {
    outermost = this;
  }
}

ReleaseLater::~ReleaseLater() {
  if (outermost == this) {
    outermost = nullptr;  // what the deleters let go themselves goes at once
  }
}

bool ReleaseLater::take(ByteSpan& span) noexcept {
  if (outermost == nullptr) {
    return false;
  }
  try {
    outermost->taken_.push_back(std::move(span));
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // the span still has its bytes; they go now
  }
}

}  // namespace nocopy
