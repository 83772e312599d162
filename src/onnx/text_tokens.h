#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nocopy::onnx {

// Cuts a text into tokens: names, numbers, quoted strings, and single characters. White space and
// comments (# to the end of the line) lie between them.
class TextTokens {
 public:
  // The text must stay for as long as this does.
  explicit TextTokens(std::string_view text);

  // Empty at the end of the text.
  [[nodiscard]] std::string_view token() const noexcept { return token_; }
  [[nodiscard]] bool at_end() const noexcept { return token_.empty(); }
  void next();
  // Goes on behind the token if it is this one.
  [[nodiscard]] bool take(std::string_view wanted) {
    const bool there = token_ == wanted;
    if (there) {
      next();
    }
    return there;
  }

  // Throw TextError that points to the token, or to the one before it.
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_before(const std::string& what) const;

 private:
  [[noreturn]] void fail_at(std::size_t offset, const std::string& what) const;

  std::string_view text_;
  std::string_view token_;
  std::size_t at_ = 0;  // of the token
  std::size_t previous_ = 0;
};

// What a quoted string stands for; escapes are those of C, \u and \U. `at` throws for what is
// wrong.
[[nodiscard]] std::string unquote(std::string_view token, const TextTokens& at);

}  // namespace nocopy::onnx
