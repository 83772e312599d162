#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nocopy {

// SHA-1 (FIPS 180-4), which ONNX names for the checksum of a data file. It finds damage; it does
// not stop someone who wants two files to have the same one.
class Sha1 {
 public:
  void update(std::span<const std::byte> bytes) noexcept;
  // 40 lower-case hexadecimal digits. Nothing can be added after that.
  [[nodiscard]] std::string finish();

 private:
  static constexpr std::size_t kBlock = 64;

  void block(const std::byte* bytes) noexcept;

  std::array<std::uint32_t, 5> state_ = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476,
                                         0xC3D2E1F0};
  std::array<std::byte, kBlock> waiting_{};
  std::uint64_t size_ = 0;
};

}  // namespace nocopy
