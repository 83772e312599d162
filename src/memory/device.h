#pragma once

#include <cstdint>
#include <string>

namespace nocopy {

// Where some memory lives, in DLPack's terms: kind 1 is the host, 2 CUDA, 3 pinned host memory.
struct Device {
  int32_t kind = 1;
  int32_t index = 0;

  [[nodiscard]] bool is_host() const noexcept { return kind == 1; }
  friend bool operator==(const Device&, const Device&) = default;
};

inline constexpr Device kHost{};

// "cpu", "cuda:0", or the DLPack number of a kind that has no common name.
[[nodiscard]] std::string to_string(Device device);

}  // namespace nocopy
