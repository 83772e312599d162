#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "onnx/fields.h"
#include "onnx/text_format.h"
#include "onnx/text_numbers.h"
#include "onnx/text_tokens.h"
#include "onnx/utf8.h"

namespace nocopy::onnx {
namespace {

std::string quote(std::string_view text) { return '"' + std::string(text) + '"'; }

bool starts_name(std::string_view token) {
  const char c = token.empty() ? '\0' : token[0];
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Parser {
 public:
  Parser(std::string_view text, const TextParseOptions& options)
      : tokens_(text), options_(options) {}

  void top(Message& message) {
    check_depth(1);
    while (!tokens_.at_end()) {
      field(message, 1);
    }
  }

 private:
  void check_depth(int depth) const {
    if (depth > options_.max_recursion_depth) {
      tokens_.fail_before("Message too deep. Max recursion depth is " +
                          std::to_string(options_.max_recursion_depth));
    }
  }
  void expect(std::string_view token) {
    if (!tokens_.take(token)) {
      tokens_.fail("Expected " + quote(token) + ".");
    }
  }
  // The bracket that opens a message; returns the one that closes it.
  std::string_view open() {
    if (tokens_.take("<")) {
      return ">";
    }
    expect("{");
    return "}";
  }

  void field(Message& message, int depth);
  const FieldSchema* find(const Message& message);
  void value(Message& message, const FieldSchema& field, int depth);
  void submessage(Message& message, const FieldSchema& field, int depth);
  void number(Message& message, const FieldSchema& field);
  template <typename T>
  T read_number(const FieldSchema& field);
  std::int32_t read_enum(const FieldSchema& field);
  std::string read_text(const FieldSchema& field);
  void check_unset(const Message& message, const FieldSchema& field) const;
  void check_oneof(const Message& message, const FieldSchema& field) const;
  void skip_contents(int depth);
  void skip_message(int depth);
  void skip_value();

  TextTokens tokens_;
  const TextParseOptions& options_;
};

void Parser::field(Message& message, int depth) {
  if (tokens_.take("[")) {
    tokens_.fail_before("Message type " + quote(message.schema().full_name) +
                        " does not have extensions.");
  }
  const FieldSchema* known = find(message);
  if (known == nullptr) {
    skip_contents(depth);
  } else {
    check_oneof(message, *known);
    if (known->kind == Kind::kMessage) {
      static_cast<void>(tokens_.take(":"));
    } else {
      expect(":");
    }
    if (known->repeated() && tokens_.take("[")) {
      if (!tokens_.take("]")) {
        value(message, *known, depth);
        while (!tokens_.take("]")) {
          expect(",");
          value(message, *known, depth);
        }
      }
    } else {
      value(message, *known, depth);
    }
  }
  if (!tokens_.take(",")) {
    static_cast<void>(tokens_.take(";"));
  }
}

const FieldSchema* Parser::find(const Message& message) {
  const std::string_view name = tokens_.token();
  if (!starts_name(name)) {
    tokens_.fail("Expected the name of a field.");
  }
  const MessageSchema& schema = message.schema();
  const FieldSchema* field = nullptr;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (options_.allow_field_number && std::ranges::all_of(name, is_digit)) {
    bool too_large = false;
    const std::optional<Integer> number = parse_integer(name, true, &too_large);
    field = number ? schema.find(number->magnitude) : nullptr;
  } else {
    field = schema.find(name);
  }
  tokens_.next();
  if (field == nullptr && !options_.allow_unknown_field) {
    tokens_.fail_before("Message type " + quote(schema.full_name) + " has no field named " +
                        quote(name) + ".");
  }
  return field;
}

void Parser::check_oneof(const Message& message, const FieldSchema& field) const {
  if (field.oneof < 0 || options_.allow_repeats) {
    return;
  }
  const auto oneof = static_cast<std::size_t>(field.oneof);
  const FieldSchema* set = message.which(oneof);
  if (set != nullptr && set != &field) {
    tokens_.fail_before("Field " + quote(field.name) + " is specified along with field " +
                        quote(set->name) + ", another member of oneof " +
                        quote(message.schema().oneofs[oneof]) + " for message type " +
                        quote(message.schema().full_name) + ".");
  }
}

void Parser::check_unset(const Message& message, const FieldSchema& field) const {
  if (!options_.allow_repeats && message.has(field)) {
    tokens_.fail_before("Message type " + quote(message.schema().full_name) +
                        " should not have multiple " + quote(field.name) + " fields.");
  }
}

void Parser::value(Message& message, const FieldSchema& field, int depth) {
  switch (field.kind) {
    case Kind::kMessage:
      submessage(message, field, depth);
      break;
    case Kind::kPayload: {
      const std::string bytes = read_text(field);
      check_unset(message, field);
      message.member<ByteSpan>(field).assign(bytes.data(), bytes.size());
      break;
    }
    case Kind::kString:
    case Kind::kBytes: {
      const std::string text = read_text(field);
      if (field.repeated()) {
        message.member<Repeated<String>>(field).push_back(String(text));
        break;
      }
      check_unset(message, field);
      if (field.oneof >= 0) {
        message.clear_other_members(field);
      }
      message.member<String>(field).assign(text);
      break;
    }
    default:
      number(message, field);
  }
}

void Parser::submessage(Message& message, const FieldSchema& field, int depth) {
  const std::string_view end = open();
  Message* child = nullptr;
  if (field.repeated()) {
    child = field.message->create(nullptr);
    message.member<AnyRepeatedMessage>(field).push_back(child);
  } else {
    check_unset(message, field);
    child = &message.mutable_message(field);
  }
  check_depth(depth + 1);
  while (!tokens_.take(end)) {
    if (tokens_.at_end()) {
      tokens_.fail("Expected " + quote(end) + ".");
    }
    this->field(*child, depth + 1);
  }
}

void Parser::number(Message& message, const FieldSchema& field) {
  visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
    T value{};
    if constexpr (std::is_same_v<T, std::int32_t>) {
      value = field.kind == Kind::kEnum ? read_enum(field) : read_number<T>(field);
    } else {
      value = read_number<T>(field);
    }
    if (field.repeated()) {
      message.member<Repeated<T>>(field).push_back(value);
    } else {
      check_unset(message, field);
      message.set_number(field, value);
    }
  });
}

template <typename T>
T Parser::read_number(const FieldSchema& field) {
  T value{};
  if constexpr (std::is_floating_point_v<T>) {
    const std::optional<double> number = parse_float(tokens_.token());
    if (!number) {
      tokens_.fail("Couldn't parse the number of field " + quote(field.name) + ".");
    }
    value = static_cast<T>(*number);
  } else {
    bool too_large = false;
    const std::optional<Integer> number = parse_integer(tokens_.token(), true, &too_large);
    if (!number && !too_large) {
      tokens_.fail("Couldn't parse the integer of field " + quote(field.name) + ".");
    }
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const std::uint64_t limit = !number               ? 0
                                : !number->negative   ? kLargest
                                : std::is_signed_v<T> ? kLargest + 1
                                                      : 0;
    if (too_large || number->magnitude > limit) {
      tokens_.fail("Value out of range of field " + quote(field.name) + ".");
    }
    value = static_cast<T>(number->negative ? ~number->magnitude + 1 : number->magnitude);
  }
  tokens_.next();
  return value;
}

std::int32_t Parser::read_enum(const FieldSchema& field) {
  const EnumSchema& schema = *field.enumeration;
  bool too_large = false;
  const std::optional<Integer> number = parse_integer(tokens_.token(), false, &too_large);
  const EnumValue* value = nullptr;
  if (number) {
    const bool fits = number->magnitude <= INT32_MAX;
    const auto signed_number = static_cast<std::int64_t>(fits ? number->magnitude : 0);
    value = fits ? schema.find(number->negative ? -signed_number : signed_number) : nullptr;
  } else {
    value = schema.find(tokens_.token());
  }
  if (value == nullptr) {
    tokens_.fail("Enum type " + quote(schema.full_name) + " has no such value.");
  }
  tokens_.next();
  return value->number;
}

std::string Parser::read_text(const FieldSchema& field) {
  std::string text;
  // Strings that follow each other are one, as in C.
  do {
    text += unquote(tokens_.token(), tokens_);
    tokens_.next();
  } while (tokens_.token().starts_with('"') || tokens_.token().starts_with('\''));
  if (field.kind == Kind::kString &&
      !is_utf8(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())) {
    tokens_.fail_before("The string of field " + quote(field.name) + " is not UTF-8.");
  }
  return text;
}

void Parser::skip_contents(int depth) {
  if (!tokens_.take(":") || tokens_.token() == "{" || tokens_.token() == "<") {
    skip_message(depth);
  } else if (tokens_.take("[")) {
    if (tokens_.take("]")) {
      return;
    }
    do {
      if (tokens_.token() == "{" || tokens_.token() == "<") {
        skip_message(depth);
      } else {
        skip_value();
      }
    } while (tokens_.take(","));
    expect("]");
  } else {
    skip_value();
  }
}

void Parser::skip_message(int depth) {
  const std::string_view end = open();
  check_depth(depth + 1);
  while (!tokens_.take(end)) {
    if (!starts_name(tokens_.token())) {
      tokens_.fail("Expected the name of a field, or " + quote(end) + ".");
    }
    tokens_.next();
    skip_contents(depth + 1);
    if (!tokens_.take(",")) {
      static_cast<void>(tokens_.take(";"));
    }
  }
}

void Parser::skip_value() {
  const std::string_view token = tokens_.token();
  bool too_large = false;
  if (token.starts_with('"') || token.starts_with('\'')) {
    while (tokens_.token().starts_with('"') || tokens_.token().starts_with('\'')) {
      static_cast<void>(unquote(tokens_.token(), tokens_));
      tokens_.next();
    }
    return;
  }
  const bool name = starts_name(token) && (token[0] < '0' || token[0] > '9');
  if (!name && !parse_integer(token, true, &too_large) && !parse_float(token)) {
    tokens_.fail("Invalid field value.");
  }
  tokens_.next();
}

}  // namespace

void parse_text(Message& message, std::string_view text, const TextParseOptions& options) {
  if (!is_utf8(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())) {
    throw TextError(1, 1, "The text is not UTF-8.");
  }
  if (options.max_recursion_depth < 1 || options.max_recursion_depth > kDeepestText) {
    throw Error(ErrorKind::kGeneric, "max_recursion_depth is " +
                                         std::to_string(options.max_recursion_depth) +
                                         ", expected 1 to " + std::to_string(kDeepestText));
  }
  const ReleaseLater later;
  Parser(text, options).top(message);
}

}  // namespace nocopy::onnx
