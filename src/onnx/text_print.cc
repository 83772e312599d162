#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/fields.h"
#include "onnx/text_format.h"
#include "onnx/text_numbers.h"
#include "onnx/utf8.h"
#include "onnx/wire.h"

namespace nocopy::onnx {
namespace {

using Bytes = const std::uint8_t*;

// The end of the unknown fields from `at` on: `end`, or behind the end of the group that they are
// in. Null when they are not fields at all.
Bytes walk_fields(Bytes at, Bytes end, int depth);

Bytes walk_value(std::uint64_t tag, Bytes at, Bytes end, int depth) {
  std::uint64_t number = 0;
  switch (tag & 7) {
    case wire::kVarint:
      return wire::read_varint(at, end, &number);
    case wire::kFixed64:
      return end - at >= 8 ? at + 8 : nullptr;
    case wire::kFixed32:
      return end - at >= 4 ? at + 4 : nullptr;
    case wire::kLength:
      at = wire::read_varint(at, end, &number);
      return at != nullptr && number <= static_cast<std::uint64_t>(end - at) ? at + number
                                                                             : nullptr;
    case wire::kGroupStart:
      return depth > 0 ? walk_fields(at, end, depth - 1) : nullptr;
    default:
      return nullptr;
  }
}

Bytes walk_fields(Bytes at, Bytes end, int depth) {
  while (at != end) {
    std::uint64_t tag = 0;
    at = wire::read_varint(at, end, &tag);
    if (at == nullptr || (tag & 7) == wire::kGroupEnd) {
      return at;
    }
    at = walk_value(tag, at, end, depth);
    if (at == nullptr) {
      return nullptr;
    }
  }
  return end;
}

class Printer {
 public:
  explicit Printer(const TextPrintOptions& options) : options_(options), indent_(options.indent) {}

  void message(const Message& message, int depth);
  // Ends where walk_fields() does.
  Bytes unknown_fields(Bytes at, Bytes end, int depth);
  [[nodiscard]] std::string take() {
    if (options_.as_one_line && !text_.empty() && text_.back() == ' ') {
      text_.pop_back();
    }
    return std::move(text_);
  }

 private:
  void indent() { text_.append(static_cast<std::size_t>(indent_), ' '); }
  void end_field() { text_ += options_.as_one_line ? ' ' : '\n'; }
  void open(char bracket) {
    text_ += bracket;
    end_field();
    indent_ += options_.as_one_line ? 0 : 2;
  }
  void close(char bracket) {
    indent_ -= options_.as_one_line ? 0 : 2;
    indent();
    text_ += bracket;
  }
  void field(const Message& message, const FieldSchema& field, int depth);
  void name(const FieldSchema& field);
  void submessage(const FieldSchema& field, const Message& child, int depth);
  template <typename T>
  void number(const FieldSchema& field, T value);
  template <typename T>
  void numbers(const FieldSchema& field, const Repeated<T>& values);
  void text_field(const FieldSchema& field, std::string_view text);
  void quoted(std::string_view text, bool as_utf8);

  const TextPrintOptions& options_;
  int indent_;
  std::string text_;
};

void Printer::message(const Message& message, int depth) {
  if (depth == 0) {
    throw Error(ErrorKind::kGeneric, "messages lie in each other more than " +
                                         std::to_string(kDeepestText) + " levels deep");
  }
  std::vector<const FieldSchema*> fields;
  for (const FieldSchema& field : message.schema().fields) {
    if (message.has(field)) {
      fields.push_back(&field);
    }
  }
  if (options_.use_index_order) {
    std::ranges::sort(fields, {}, &FieldSchema::index);
  }
  for (const FieldSchema* one : fields) {
    field(message, *one, depth);
  }
  if (options_.print_unknown_fields) {
    const auto at = reinterpret_cast<Bytes>(message.unknown_fields().data());
    static_cast<void>(unknown_fields(at, at + message.unknown_fields().size(), wire::kDeepest));
  }
}

void Printer::field(const Message& message, const FieldSchema& field, int depth) {
  if (field.repeated()) {
    visit_repeated(message, field, [&]<typename List>(const List& list) {
      if constexpr (std::is_same_v<List, AnyRepeatedMessage>) {
        for (std::size_t i = 0; i < list.size(); ++i) {
          submessage(field, *list.at(i), depth);
        }
      } else if constexpr (std::is_same_v<List, Repeated<String>>) {
        for (const String& text : list) {
          text_field(field, text.view());
        }
      } else {
        numbers(field, list);
      }
    });
    return;
  }
  switch (field.kind) {
    case Kind::kMessage:
      submessage(field, *message.member<AnyMessageRef>(field).get(), depth);
      break;
    case Kind::kString:
    case Kind::kBytes:
      text_field(field, message.member<String>(field).view());
      break;
    case Kind::kPayload: {
      const auto& bytes = message.member<ByteSpan>(field);
      text_field(field, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      break;
    }
    default:
      visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
        name(field);
        text_ += ' ';
        number(field, message.member<T>(field));
        end_field();
      });
  }
}

void Printer::name(const FieldSchema& field) {
  indent();
  if (options_.use_field_number) {
    text_ += std::to_string(field.number);
  } else {
    text_ += field.name;
  }
  if (options_.force_colon || field.kind != Kind::kMessage) {
    text_ += ':';
  }
}

void Printer::submessage(const FieldSchema& field, const Message& child, int depth) {
  name(field);
  text_ += ' ';
  open(options_.pointy_brackets ? '<' : '{');
  message(child, depth - 1);
  close(options_.pointy_brackets ? '>' : '}');
  end_field();
}

template <typename T>
void Printer::number(const FieldSchema& field, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (options_.numbers == TextPrintOptions::Numbers::kPython) {
      append_python_number(text_, value);
    } else {
      append_short_number(text_, value);
    }
    return;
  } else if (field.kind == Kind::kEnum) {
    if (const EnumValue* known = field.enumeration->find(static_cast<std::int64_t>(value))) {
      text_ += known->name;
      return;
    }
  }
  text_ += std::to_string(value);
}

template <typename T>
void Printer::numbers(const FieldSchema& field, const Repeated<T>& values) {
  if (options_.use_short_repeated_primitives) {
    name(field);
    text_ += " [";
    for (std::size_t i = 0; i < values.size(); ++i) {
      text_ += i == 0 ? "" : ", ";
      number(field, values[i]);
    }
    text_ += ']';
    end_field();
    return;
  }
  for (const T value : values) {
    name(field);
    text_ += ' ';
    number(field, value);
    end_field();
  }
}

void Printer::text_field(const FieldSchema& field, std::string_view text) {
  name(field);
  text_ += ' ';
  // A string that someone set from C++ to what is not UTF-8 must not spoil the text.
  quoted(text, field.kind == Kind::kString && options_.as_utf8 &&
                   is_utf8(reinterpret_cast<Bytes>(text.data()), text.size()));
  end_field();
}

void Printer::quoted(std::string_view text, bool as_utf8) {
  text_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        text_ += "\\n";
        break;
      case '\r':
        text_ += "\\r";
        break;
      case '\t':
        text_ += "\\t";
        break;
      case '"':
      case '\'':
      case '\\':
        text_ += '\\';
        text_ += c;
        break;
      default:
        if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x80 && as_utf8)) {
          text_ += c;
        } else {
          text_ += '\\';
          text_ += static_cast<char>('0' + (byte >> 6));
          text_ += static_cast<char>('0' + (byte >> 3 & 7));
          text_ += static_cast<char>('0' + (byte & 7));
        }
    }
  }
  text_ += '"';
}

Bytes Printer::unknown_fields(Bytes at, Bytes end, int depth) {
  while (at != end) {
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
    at = wire::read_varint(at, end, &tag);
    if (at == nullptr || (tag & 7) == wire::kGroupEnd) {
      break;
    }
    indent();
    text_ += std::to_string(tag >> 3);
    const Bytes after = walk_value(tag, at, end, depth);
    if (after == nullptr) {
      return end;  // deeper than can be read; the parser keeps no such fields
    }
    switch (tag & 7) {
      case wire::kGroupStart:
        text_ += ' ';
        open('{');
        static_cast<void>(unknown_fields(at, after, depth - 1));
        close('}');
        break;
      case wire::kLength: {
        at = wire::read_varint(at, end, &value);
        // What reads as fields is most likely a message.
        if (depth > 0 && walk_fields(at, after, depth - 1) == after) {
          text_ += ' ';
          open('{');
          static_cast<void>(unknown_fields(at, after, depth - 1));
          close('}');
        } else {
          text_ += ": ";
          quoted({reinterpret_cast<const char*>(at), static_cast<std::size_t>(after - at)}, false);
        }
        break;
      }
      case wire::kVarint:
        static_cast<void>(wire::read_varint(at, end, &value));
        text_ += ": " + std::to_string(value);
        break;
      case wire::kFixed64:
        text_ += ": " + std::to_string(wire::read_fixed<std::uint64_t>(at));
        break;
      default:
        text_ += ": " + std::to_string(wire::read_fixed<std::uint32_t>(at));
    }
    end_field();
    at = after;
  }
  return at;
}

}  // namespace

std::string print_text(const Message& message, const TextPrintOptions& options) {
  Printer printer(options);
  printer.message(message, kDeepestText);
  return printer.take();
}

}  // namespace nocopy::onnx
