#pragma once

#include <string>
#include <string_view>

#include "memory/error.h"
#include "onnx/message.h"

// Messages as text for people, in protobuf's text format.
namespace nocopy::onnx {

// Messages in each other, the outermost counted, that can be printed or read at all. Bytes may hold
// a tenth of that.
inline constexpr int kDeepestText = 1000;

struct TextPrintOptions {
  // Protobuf has two printers, which differ in how they write floating-point numbers: kShort writes
  // 1e+10 and 1 as str(message) does, kPython writes 10000000000.0 and 1.0 as MessageToString does.
  enum class Numbers { kShort, kPython };

  Numbers numbers = Numbers::kShort;
  bool as_utf8 = true;  // else all but ASCII is escaped
  bool as_one_line = false;
  bool use_short_repeated_primitives = false;  // numbers: [1, 2]
  bool pointy_brackets = false;
  bool use_index_order = false;  // as declared, else by number
  bool use_field_number = false;
  bool print_unknown_fields = false;
  bool force_colon = false;  // also before a submessage
  int indent = 0;
};

// Throws Error(kGeneric) when messages lie in each other deeper than kDeepestText.
[[nodiscard]] std::string print_text(const Message& message, const TextPrintOptions& options = {});

struct TextParseOptions {
  // Whether a field that is not repeated may be said more than once, the last time counting.
  bool allow_repeats = false;
  bool allow_unknown_field = false;  // skips what is not a field of the message
  bool allow_field_number = false;   // fields by number as well as by name
  // At most kDeepestText.
  int max_recursion_depth = 100;
};

// Where a text is wrong. Lines and columns count from 1, columns in characters.
class TextError : public Error {
 public:
  TextError(std::size_t line, std::size_t column, const std::string& what)
      : Error(ErrorKind::kDecode,
              std::to_string(line) + ":" + std::to_string(column) + " : " + what),
        line_(line),
        column_(column) {}

  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

// Adds what the text says to the message. Throws TextError; the message then holds what was read up
// to there.
void parse_text(Message& message, std::string_view text, const TextParseOptions& options = {});

}  // namespace nocopy::onnx
