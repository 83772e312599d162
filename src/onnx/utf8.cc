#include "onnx/utf8.h"

#include <cstring>

namespace nocopy::onnx {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

// The length of the sequence that starts at `text`, or 0 when it is not one.
std::size_t sequence(const std::uint8_t* text, std::size_t size) noexcept {
  const auto follows = [&](std::size_t at, unsigned low = 0x80, unsigned high = 0xbf) {
    return at < size && text[at] >= low && text[at] <= high;
  };
  const unsigned lead = text[0];
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xc2 && lead <= 0xdf) {
    return follows(1) ? 2 : 0;
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    const unsigned low = lead == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : 0xbf;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const unsigned low = lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_utf8(const std::uint8_t* text, std::size_t size) noexcept {
  std::size_t at = 0;
  while (at < size) {
    std::uint64_t word;
    while (at + 8 <= size && (std::memcpy(&word, text + at, 8), (word & kHighBits) == 0)) {
      at += 8;
    }
    // The rest of the word, or of the text, one sequence at a time.
    for (const std::size_t stop = at + 8; at < size && at < stop;) {
      const std::size_t length = sequence(text + at, size - at);
      if (length == 0) {
        return false;
      }
      at += length;
    }
  }
  return true;
}

}  // namespace nocopy::onnx
