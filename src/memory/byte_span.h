#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace nocopy {

// Bytes with an owner, in one of two modes.
//   owned:    the span has a buffer of its own.
//   borrowed: the span has a pointer and, optionally, an owner token that keeps the bytes alive.
//             Without a token whoever lent the bytes must outlive the span and all its copies.
//
// Copying copies owned bytes and shares a token; moving keeps the mode. A token goes when the last
// span that shares it is destroyed, overwritten or cleared, and it goes exactly once.
//
// A deleter may do anything, also to what the span is a part of: it runs when the span has its new
// state. Code that changes more than a span at a time puts deleters off until it is done with
// `ReleaseLater`.
//
// A span that never got bytes has no value, which is not the same as having zero bytes.
class ByteSpan {
 public:
  ByteSpan() noexcept = default;
  ByteSpan(const ByteSpan& other);
  ByteSpan(ByteSpan&& other) noexcept { swap(other); }
  ByteSpan& operator=(const ByteSpan& other);
  ByteSpan& operator=(ByteSpan&& other) noexcept;
  ~ByteSpan() { release(); }

  [[nodiscard]] const std::uint8_t* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool has_value() const noexcept { return mode_ != Mode::kNone; }
  [[nodiscard]] bool is_borrowed() const noexcept { return mode_ == Mode::kBorrowed; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] const std::shared_ptr<void>& owner() const noexcept { return owner_; }

  // The bytes for writing: null where they are borrowed, as writing would change what was lent.
  [[nodiscard]] std::uint8_t* mutable_data() noexcept {
    return mode_ == Mode::kOwned ? data_ : nullptr;
  }

  // Copies the bytes. They may lie inside this span.
  void assign(const void* data, std::size_t size);

  // Makes an owned buffer of `size` bytes for the caller to fill; what it holds is undefined.
  // Buffers of 1 KiB and more start at a multiple of 64. No memory is taken for a large one until
  // it is filled.
  [[nodiscard]] std::uint8_t* assign_uninitialized(std::size_t size);

  // What keeps the present bytes alive for someone who reads them longer than this span has them,
  // or null where only the one who lent them can. An owned buffer stays owned and writable, and
  // goes with the last who keeps it.
  [[nodiscard]] std::shared_ptr<void> share();

  // Borrows the bytes, kept alive by `owner` where there is one.
  void assign_borrowed(const void* data, std::size_t size,
                       std::shared_ptr<void> owner = nullptr) noexcept;

  // Borrows the bytes and calls `deleter`, which must not throw, when the last copy is done with
  // them. The bytes stay untouched until then.
  template <typename Deleter>
  void assign_with_deleter(const void* data, std::size_t size, Deleter&& deleter) {
    assign_borrowed(data, size, make_token(std::forward<Deleter>(deleter), nullptr));
  }

  // Calls `deleter`, which must not throw, when this span and its copies are done with the bytes it
  // has now. The bytes, their mode and an owner that is already there stay; that owner goes after
  // the deleter has run.
  template <typename Deleter>
  void attach_deleter(Deleter&& deleter) {
    owner_ = make_token(std::forward<Deleter>(deleter), owner_);
  }

  // To be called before the bytes are dropped, where free() would keep the memory for later: gives
  // whole pages of an owned buffer back to the system at once, unless someone else may look at it.
  // What the bytes are is undefined then.
  void discard() noexcept;

  // Leaves the span without a value.
  void clear() noexcept { ByteSpan().swap(*this); }

  void swap(ByteSpan& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(owner_, other.owner_);
    std::swap(buffer_, other.buffer_);
    std::swap(mode_, other.mode_);
  }

 private:
  enum class Mode : std::uint8_t { kNone, kOwned, kBorrowed };

  // A deleter's place in a chain of owners. Destroying a chain takes no more stack than a link.
  class Link {
   public:
    explicit Link(std::shared_ptr<void> previous) noexcept : previous_(std::move(previous)) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

   protected:
    ~Link();
    // While a deleter runs: the chains that it lets go are not part of this one.
    class Apart {
     public:
      Apart() noexcept;
      Apart(const Apart&) = delete;
      Apart& operator=(const Apart&) = delete;
      ~Apart();

     private:
      std::shared_ptr<void>* outer_;
    };

   private:
    std::shared_ptr<void> previous_;
  };

  template <typename Deleter>
  [[nodiscard]] static std::shared_ptr<void> make_token(Deleter&& deleter,
                                                        std::shared_ptr<void> previous) {
    struct Token : Link {
      std::decay_t<Deleter> deleter;
      Token(std::shared_ptr<void> p, Deleter&& d)
          : Link(std::move(p)), deleter(std::forward<Deleter>(d)) {}
      Token(const Token&) = delete;
      Token& operator=(const Token&) = delete;
      ~Token() {
        const Apart apart;
        deleter();
      }
    };
    return std::make_shared<Token>(std::move(previous), std::forward<Deleter>(deleter));
  }

  void release() noexcept;

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<void> owner_;
  std::shared_ptr<void> buffer_;  // an owned buffer that was shared
  Mode mode_ = Mode::kNone;
};

// While one exists, bytes with an owner that spans let go on this thread stay as they are; they go
// when the outermost one ends.
class ReleaseLater {
 public:
  ReleaseLater() noexcept;
  ReleaseLater(const ReleaseLater&) = delete;
  ReleaseLater& operator=(const ReleaseLater&) = delete;
  ~ReleaseLater();

 private:
  friend class ByteSpan;
  // Whether the bytes were taken from the span to go later.
  [[nodiscard]] static bool take(ByteSpan& span) noexcept;

  std::vector<ByteSpan> taken_;
};

}  // namespace nocopy
