#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "onnx/slab.h"

namespace nocopy::onnx {

static_assert(std::endian::native == std::endian::little,
              "the wire format's fixed-size numbers are read as they lie in memory");

// The value of a string or bytes field: 16 bytes, up to 15 characters without an allocation, and a
// state of its own for "was never set", which an empty string is not. All bits zero is never set.
// Holds no pointer into itself, so it can be moved by copying its bits.
class String {
 public:
  static constexpr std::size_t kInline = 15;

  String() noexcept = default;
  String(std::string_view text) { assign(text); }  // NOLINT: converts like std::string
  String(const char* text) : String(std::string_view(text)) {}
  String(const String& other) {
    if (other.has_value()) {
      assign(other.view());
    }
  }
  String(String&& other) noexcept { swap(other); }
  String& operator=(const String& other) {
    String(other).swap(*this);
    return *this;
  }
  String& operator=(String&& other) noexcept {
    String(std::move(other)).swap(*this);
    return *this;
  }
  String& operator=(std::string_view text) {
    assign(text);
    return *this;
  }
  String& operator=(const char* text) { return *this = std::string_view(text); }
  ~String() { release(); }

  [[nodiscard]] bool has_value() const noexcept { return tag() != 0; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const char* data() const noexcept {
    if (tag() >= kSlab) {
      return std::bit_cast<const char*>(low_);
    }
    return reinterpret_cast<const char*>(&low_);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    const unsigned t = tag();
    if (t >= kSlab) {
      return high_ & kSizeMask;
    }
    return t == 0 ? 0 : t - 1;
  }
  [[nodiscard]] std::string_view view() const noexcept { return {data(), size()}; }
  operator std::string_view() const noexcept {
    return view();
  }  // NOLINT: converts like std::string
  operator std::string() const { return std::string(view()); }  // NOLINT: converts like std::string

  // The text may lie inside this string.
  void assign(std::string_view text, Slab* slab = nullptr);

  // The first 16 bytes of a text of at most 15 bytes, as two numbers; what lies behind the text in
  // them is cut off. For readers that may read a little too far. Returns a number whose bytes have
  // their high bit set only if one of the text's bytes has.
  std::uint64_t assign_inline(std::uint64_t low, std::uint64_t high, std::size_t size) noexcept {
    release();
    const std::uint64_t tag_bits = static_cast<std::uint64_t>(size + 1) << kTagShift;
    if (size <= 8) {
      low_ = size == 8 ? low : low & ((std::uint64_t{1} << (size * 8)) - 1);
      high_ = tag_bits;
    } else {
      low_ = low;
      high_ = (high & ((std::uint64_t{1} << ((size - 8) * 8)) - 1)) | tag_bits;
    }
    return low_ | high_;
  }

  // Back to "was never set".
  void clear() noexcept {
    release();
    low_ = high_ = 0;
  }

  void swap(String& other) noexcept {
    std::swap(low_, other.low_);
    std::swap(high_, other.high_);
  }

  friend bool operator==(const String& a, const String& b) noexcept { return a.view() == b.view(); }
  friend bool operator==(const String& a, std::string_view b) noexcept { return a.view() == b; }
  friend bool operator==(const String& a, const char* b) noexcept { return a.view() == b; }

 private:
  // The last byte says what the others are: 0 never set, 1 + length for characters in place, else
  // low_ points to them and the rest of high_ is their number.
  static constexpr unsigned kTagShift = 56;
  static constexpr unsigned kSlab = 0xfe;
  static constexpr unsigned kMalloc = 0xff;
  static constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << kTagShift) - 1;

  [[nodiscard]] unsigned tag() const noexcept { return static_cast<unsigned>(high_ >> kTagShift); }
  void release() noexcept {
    if (tag() >= kSlab) [[unlikely]] {
      release_heap();
    }
  }
  void release_heap() noexcept;

  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace nocopy::onnx
