#include "onnx/text_tokens.h"

#include <algorithm>
#include <cstdint>

#include "onnx/text_format.h"

namespace nocopy::onnx {
namespace {

constexpr std::size_t kMostShown = 60;

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '+' || c == '-'; }
bool in_number(char c) { return in_name(c) || c == '.'; }

template <typename Predicate>
std::size_t run(std::string_view text, Predicate&& part) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, part) - text.begin());
}

// The length of a quoted string, up to the end of the line when it is not closed.
std::size_t quoted_length(std::string_view text) {
  std::size_t i = 1;
  while (i < text.size() && text[i] != '\n') {
    if (text[i] == text[0]) {
      return i + 1;
    }
    i += text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n' ? 2 : 1;
  }
  return i;
}

std::size_t token_length(std::string_view text) {
  const char first = text[0];
  if (is_letter(first) || first == '_') {
    return run(text, in_name);
  }
  if (is_digit(first) || first == '+' || first == '-' ||
      (first == '.' && text.size() > 1 && is_digit(text[1]))) {
    return run(text, in_number);
  }
  if (first == '"' || first == '\'') {
    return quoted_length(text);
  }
  // One character, however many bytes it has.
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) {
    ++size;
  }
  return static_cast<unsigned char>(first) < 0x80 ? 1 : size;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

int hex_value(char c) {
  return is_digit(c)            ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// Reads up to `most` digits and leaves `i` behind them; `least` of them must be there.
std::uint32_t read_digits(std::string_view text, std::size_t* i, unsigned base, std::size_t least,
                          std::size_t most, const TextTokens& at) {
  std::uint32_t value = 0;
  std::size_t count = 0;
  while (count < most && *i < text.size()) {
    const int digit = hex_value(text[*i]);
    if (digit < 0 || static_cast<unsigned>(digit) >= base) {
      break;
    }
    value = value * base + static_cast<std::uint32_t>(digit);
    ++*i;
    ++count;
  }
  if (count < least) {
    at.fail("An escape in a string has too few digits.");
  }
  return value;
}

// Appends what the escape stands for; `i` is behind the backslash and gets behind the escape.
void unescape(std::string_view text, std::size_t* i, const TextTokens& at, std::string* result) {
  constexpr std::string_view kNames = "abfnrtv\\'\"?";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"?";
  const char kind = text[*i];
  if (const std::size_t known = kNames.find(kind); known != std::string_view::npos) {
    ++*i;
    *result += kValues[known];
    return;
  }
  if (kind >= '0' && kind <= '7') {
    const std::uint32_t value = read_digits(text, i, 8, 1, 3, at);
    if (value > 0xff) {
      at.fail("An octal escape in a string is larger than one byte.");
    }
    *result += static_cast<char>(value);
    return;
  }
  ++*i;
  if (kind == 'x' || kind == 'X') {
    *result += static_cast<char>(read_digits(text, i, 16, 1, 2, at));
  } else if (kind == 'u' || kind == 'U') {
    const std::size_t digits = kind == 'u' ? 4 : 8;
    const std::uint32_t code = read_digits(text, i, 16, digits, digits, at);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      at.fail("An escape in a string is not a Unicode character.");
    }
    append_utf8(*result, code);
  } else {
    at.fail(std::string("Unknown escape in a string: \\") + kind);
  }
}

}  // namespace

TextTokens::TextTokens(std::string_view text) : text_(text) { next(); }

void TextTokens::next() {
  previous_ = at_;
  at_ += token_.size();
  while (at_ != text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      break;
    }
  }
  token_ =
      at_ == text_.size() ? std::string_view() : text_.substr(at_, token_length(text_.substr(at_)));
}

void TextTokens::fail(const std::string& what) const {
  const std::string_view shown = token_.substr(0, kMostShown);
  fail_at(at_, what + (at_end() ? " The text ends here."
                                : " Found '" + std::string(shown) +
                                      (shown.size() < token_.size() ? "...'." : "'.")));
}

void TextTokens::fail_before(const std::string& what) const { fail_at(previous_, what); }

void TextTokens::fail_at(std::size_t offset, const std::string& what) const {
  const std::string_view before = text_.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::string_view line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto starts_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  };
  throw TextError(static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
                  static_cast<std::size_t>(std::ranges::count_if(line, starts_character)) + 1,
                  what);
}

std::string unquote(std::string_view token, const TextTokens& at) {
  if (token.empty() || (token[0] != '"' && token[0] != '\'')) {
    at.fail("Expected a string in quotes.");
  }
  if (token.size() < 2 || token.back() != token[0]) {
    at.fail("The string has no ending quote in its line.");
  }
  token = token.substr(1, token.size() - 2);
  std::string result;
  result.reserve(token.size());
  std::size_t i = 0;
  while (i < token.size()) {
    const std::size_t plain = std::min(token.find('\\', i), token.size());
    result += token.substr(i, plain - i);
    i = plain;
    if (i < token.size()) {
      ++i;
      if (i == token.size()) {
        at.fail("The string has no ending quote in its line.");
      }
      unescape(token, &i, at, &result);
    }
  }
  return result;
}

}  // namespace nocopy::onnx
