#include "onnx/text_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace nocopy::onnx {
namespace {

// Enough for 17 digits, sign, point and exponent.
constexpr std::size_t kLongest = 32;

bool append_special(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";
    return true;
  }
  if (std::isinf(value)) {
    text += value < 0 ? "-inf" : "inf";
    return true;
  }
  return false;
}

// As printf's %.<precision>g.
std::string_view general(char (&buffer)[kLongest], double value, int precision) {
  const auto result =
      std::to_chars(buffer, buffer + kLongest, value, std::chars_format::general, precision);
  return {buffer, static_cast<std::size_t>(result.ptr - buffer)};
}

template <typename T>
T read_back(std::string_view text) {
  T value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <typename T>
void append_short(std::string& text, T value) {
  if (append_special(text, static_cast<double>(value))) {
    return;
  }
  char buffer[kLongest];
  constexpr int kFew = std::numeric_limits<T>::digits10;
  constexpr int kEnough = std::numeric_limits<T>::max_digits10;
  std::string_view written = general(buffer, static_cast<double>(value), kFew);
  if (read_back<T>(written) != value) {
    written = general(buffer, static_cast<double>(value), kEnough);
  }
  text += written;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower_case[i]) {
      return false;
    }
  }
  return true;
}

int digit_value(char c) {
  const char low = lower(c);
  return is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : 99;
}

// The text without underscores, which must be single and between digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      clean += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return clean;
}

// For digits with a point and an exponent that no double holds: whether they are too large rather
// than too close to zero.
bool is_large(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  std::string_view digits = text.substr(std::min(e + 1, text.size()));
  const bool down = digits.starts_with('-');
  if (down || digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  std::int64_t exponent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) {
    return !down;
  }
  const auto point = static_cast<std::int64_t>(std::min(text.find('.'), e));
  const auto first = static_cast<std::int64_t>(text.find_first_not_of("0."));
  return point - first + (down ? -exponent : exponent) > 0;
}

std::optional<double> parse_decimal(std::string_view text) {
  const std::optional<std::string> clean = without_underscores(text);
  if (!clean || clean->empty() || (!is_digit(clean->front()) && clean->front() != '.')) {
    return std::nullopt;
  }
  double value = 0;
  const char* const end = clean->data() + clean->size();
  const auto result = std::from_chars(clean->data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (result.ec == std::errc::result_out_of_range) {
    return is_large(*clean) ? std::numeric_limits<double>::infinity() : 0.0;
  }
  return value;
}

}  // namespace

void append_short_number(std::string& text, float value) { append_short(text, value); }
void append_short_number(std::string& text, double value) { append_short(text, value); }

void append_python_number(std::string& text, float value) {
  if (append_special(text, static_cast<double>(value))) {
    return;
  }
  char buffer[kLongest];
  double rounded = static_cast<double>(value);
  for (int precision = std::numeric_limits<float>::digits10;
       precision <= std::numeric_limits<float>::max_digits10; ++precision) {
    rounded = read_back<double>(general(buffer, static_cast<double>(value), precision));
    if (static_cast<float>(rounded) == value) {
      break;
    }
  }
  append_python_number(text, rounded);
}

void append_python_number(std::string& text, double value) {
  if (append_special(text, value)) {
    return;
  }
  // The shortest digits, as d.ddde+xx; Python puts the point itself between 1e-4 and 1e16.
  char buffer[kLongest];
  const auto result =
      std::to_chars(buffer, buffer + kLongest, value, std::chars_format::scientific);
  std::string_view written(buffer, static_cast<std::size_t>(result.ptr - buffer));
  if (written.front() == '-') {
    text += '-';
    written.remove_prefix(1);
  }
  const std::size_t e = written.find('e');
  int exponent = 0;
  const bool down = written[e + 1] == '-';
  std::from_chars(written.data() + e + 2, written.data() + written.size(), exponent);
  exponent = down ? -exponent : exponent;
  if (exponent < -4 || exponent >= 16) {
    text += written;
    return;
  }
  std::string digits(1, written[0]);
  if (e > 2) {
    digits += written.substr(2, e - 2);
  }
  if (exponent < 0) {
    text += "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    digits.append(whole + 1 - digits.size(), '0');
  }
  text += digits.substr(0, whole) + '.' + digits.substr(whole);
}

std::optional<Integer> parse_integer(std::string_view text, bool octal, bool* too_large) {
  *too_large = false;
  Integer result{text.starts_with('-'), 0};
  const bool plus = text.starts_with('+');
  if (result.negative || plus) {
    text.remove_prefix(1);
  }
  unsigned base = 10;
  bool after_prefix = false;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = lower(text[1]);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    if (base != 10) {
      text.remove_prefix(2);
      after_prefix = true;
    } else if (octal && !plus && text.find('_') == std::string_view::npos) {
      base = 8;
    } else if (text.find_first_not_of("0_") != std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (text.empty()) {
    return std::nullopt;
  }
  bool separated = after_prefix;  // whether an underscore may come next
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_') {
      if (!separated || i + 1 == text.size()) {
        return std::nullopt;
      }
      separated = false;
      continue;
    }
    const auto digit = static_cast<unsigned>(digit_value(text[i]));
    if (digit >= base) {
      return std::nullopt;
    }
    if (result.magnitude > (UINT64_MAX - digit) / base) {
      *too_large = true;
    }
    result.magnitude = result.magnitude * base + digit;
    separated = true;
  }
  return *too_large ? std::nullopt : std::optional(result);
}

std::optional<double> parse_float(std::string_view text) {
  const bool minus = text.starts_with('-');
  std::string_view number = text;
  if (minus || text.starts_with('+')) {
    number.remove_prefix(1);
  }
  if (!text.starts_with('+') && number.size() > 1 && number[0] == '0' && is_digit(number[1])) {
    return std::nullopt;  // octal, which a floating-point number cannot be
  }
  std::optional<double> value;
  if (equal_ignoring_case(number, "inf") || equal_ignoring_case(number, "infinity") ||
      equal_ignoring_case(number, "inff") || equal_ignoring_case(number, "infinityf")) {
    value = std::numeric_limits<double>::infinity();
  } else if (equal_ignoring_case(number, "nan") || equal_ignoring_case(number, "nanf")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    while (!number.empty() && lower(number.back()) == 'f') {
      number.remove_suffix(1);
    }
    value = parse_decimal(number);
  }
  if (value && minus) {
    value = -*value;
  }
  return value;
}

}  // namespace nocopy::onnx
