#include "memory/sha1.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nocopy {

void Sha1::update(std::span<const std::byte> bytes) noexcept {
  const std::size_t there = size_ % kBlock;
  size_ += bytes.size();
  if (there != 0) {
    const std::size_t taken = std::min(kBlock - there, bytes.size());
    std::copy_n(bytes.begin(), taken, waiting_.begin() + static_cast<std::ptrdiff_t>(there));
    bytes = bytes.subspan(taken);
    if (there + taken < kBlock) {
      return;
    }
    block(waiting_.data());
  }
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) {
    block(bytes.data());
  }
  std::copy(bytes.begin(), bytes.end(), waiting_.begin());
}

std::string Sha1::finish() {
  const std::uint64_t bits = size_ * 8;
  std::array<std::byte, 2 * kBlock> padding{};
  padding[0] = std::byte{0x80};
  const std::size_t there = size_ % kBlock;
  const std::size_t end = there < kBlock - 8 ? kBlock - there : 2 * kBlock - there;
  for (std::size_t i = 0; i < 8; ++i) {
    padding[end - 1 - i] = static_cast<std::byte>(bits >> (8 * i) & 0xFF);
  }
  update({padding.data(), end});
  std::string text;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      text += "0123456789abcdef"[word >> shift & 0xF];
    }
  }
  return text;
}

void Sha1::block(const std::byte* bytes) noexcept {
  std::array<std::uint32_t, 80> words;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::byte* at = bytes + 4 * i;
    words[i] = std::to_integer<std::uint32_t>(at[0]) << 24 |
               std::to_integer<std::uint32_t>(at[1]) << 16 |
               std::to_integer<std::uint32_t>(at[2]) << 8 | std::to_integer<std::uint32_t>(at[3]);
  }
  for (std::size_t i = 16; i < 80; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state_;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t mixed = 0;
    if (i < 20) {
      mixed = ((b & c) | (~b & d)) + 0x5A827999;
    } else if (i < 40) {
      mixed = (b ^ c ^ d) + 0x6ED9EBA1;
    } else if (i < 60) {
      mixed = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC;
    } else {
      mixed = (b ^ c ^ d) + 0xCA62C1D6;
    }
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
  state_[4] += e;
}

}  // namespace nocopy
