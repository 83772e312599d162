#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// The protobuf wire format's numbers.
namespace nocopy::onnx::wire {

inline constexpr unsigned kVarint = 0;
inline constexpr unsigned kFixed64 = 1;
inline constexpr unsigned kLength = 2;
inline constexpr unsigned kGroupStart = 3;
inline constexpr unsigned kGroupEnd = 4;
inline constexpr unsigned kFixed32 = 5;

inline constexpr std::size_t kLongestVarint = 10;
// Messages in messages, groups counted, as protobuf's own readers and writers limit it.
inline constexpr int kDeepest = 100;

// The bytes that a number takes.
[[nodiscard]] constexpr std::size_t varint_size(std::uint64_t value) noexcept {
  // One byte for each started seven bits; 9/64 is close enough to 1/7 for 64 bits.
  return static_cast<std::size_t>((std::bit_width(value | 1) * 9 + 64) / 64);
}

// Writes at most kLongestVarint bytes and returns the end of them.
inline std::uint8_t* write_varint(std::uint8_t* to, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

// Reads a number that may have any length. Returns the end of it, or null when it is cut off or
// longer than 64 bits.
[[nodiscard]] inline const std::uint8_t* read_varint(const std::uint8_t* from,
                                                     const std::uint8_t* end,
                                                     std::uint64_t* value) noexcept {
  std::uint64_t result = 0;
  for (unsigned shift = 0; from != end && shift < 70; shift += 7) {
    const std::uint8_t byte = *from++;
    if (shift == 63 && byte > 1) {
      return nullptr;
    }
    result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return from;
    }
  }
  return nullptr;
}

template <typename T>
[[nodiscard]] T read_fixed(const std::uint8_t* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace nocopy::onnx::wire
