#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers as the text format writes and reads them, the same in every locale.
namespace nocopy::onnx {

// With as few digits as protobuf's C printer finds to suffice: as printf's %.6g or %.9g for a
// float, %.15g or %.17g for a double.
void append_short_number(std::string& text, float value);
void append_short_number(std::string& text, double value);

// As Python writes the number with the fewest digits that is the same float or double: 1.0, 1e-05.
void append_python_number(std::string& text, float value);
void append_python_number(std::string& text, double value);

// An integer: decimal, 0x, 0o, 0b, or octal from a leading 0; with single underscores between
// digits. `magnitude` is without the sign.
struct Integer {
  bool negative;
  std::uint64_t magnitude;
};
// Nothing for what is not an integer, or is one of more than 64 bits; `too_large` tells which.
[[nodiscard]] std::optional<Integer> parse_integer(std::string_view text, bool octal,
                                                   bool* too_large);

// A decimal number, inf, infinity or nan in any case, with a sign and an f at the end allowed.
// What is too large becomes infinite.
[[nodiscard]] std::optional<double> parse_float(std::string_view text);

}  // namespace nocopy::onnx
