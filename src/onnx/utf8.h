#pragma once

#include <cstddef>
#include <cstdint>

namespace nocopy::onnx {

// Whether the bytes are UTF-8 as Unicode defines it: no surrogates, no overlong forms.
[[nodiscard]] bool is_utf8(const std::uint8_t* text, std::size_t size) noexcept;

}  // namespace nocopy::onnx
