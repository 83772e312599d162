#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nocopy::onnx {

class Message;
class Slab;
struct MessageSchema;

// What a field holds. The order is used in tables: numbers first, then what has a length.
enum class Kind : std::uint8_t {
  kInt32,
  kInt64,
  kUint64,
  kFloat,
  kDouble,
  kEnum,
  kString,
  kBytes,
  kPayload,
  kMessage,
};
inline constexpr bool is_number(Kind kind) { return kind <= Kind::kEnum; }

enum class Label : std::uint8_t { kOptional, kRepeated, kPacked };

struct EnumValue {
  std::string_view name;
  std::int32_t number;
};

struct EnumSchema {
  std::string_view name;
  std::string_view full_name;
  const MessageSchema* containing;  // null for an enum outside of messages
  std::span<const EnumValue> values;

  [[nodiscard]] const EnumValue* find(std::int64_t number) const noexcept {
    for (const EnumValue& value : values) {
      if (value.number == number) {
        return &value;
      }
    }
    return nullptr;
  }
  [[nodiscard]] const EnumValue* find(std::string_view wanted) const noexcept {
    for (const EnumValue& value : values) {
      if (value.name == wanted) {
        return &value;
      }
    }
    return nullptr;
  }
};

struct FieldSchema {
  std::string_view name;
  std::uint8_t number;
  Kind kind;
  Label label;
  std::uint8_t index;    // where the field was declared among its message's fields
  std::uint8_t has_bit;  // for optional numbers; the others know themselves whether they are set
  std::int8_t oneof;     // index into MessageSchema::oneofs, or -1
  std::uint16_t tag;     // as the field is written: number and wire type
  std::uint16_t offset;  // of the member in the message object
  const MessageSchema* message;   // of kMessage
  const EnumSchema* enumeration;  // of kEnum

  [[nodiscard]] bool repeated() const noexcept { return label != Label::kOptional; }
};

// The largest field number that any message may use; the parser finds fields in a table this long.
inline constexpr unsigned kLargestNumber = 31;

struct MessageSchema {
  std::string_view name;
  std::string_view full_name;  // with the package: onnx.TensorProto.Segment
  std::string_view file;
  std::uint16_t index;                  // in all_messages()
  std::uint16_t size;                   // of the C++ object
  const MessageSchema* containing;      // null for a message outside of others
  std::span<const FieldSchema> fields;  // by number
  std::span<const std::string_view> oneofs;
  std::span<const EnumSchema* const> enums;
  std::span<const MessageSchema* const> nested;
  Message* (*create)(Slab*);                   // a new message with one reference
  void (*destroy)(Message*) noexcept;          // ends a message made by create
  std::uint8_t by_number[kLargestNumber + 1];  // 1 + index into fields, or 0

  [[nodiscard]] const FieldSchema* find(std::uint64_t number) const noexcept {
    if (number > kLargestNumber || by_number[number] == 0) {
      return nullptr;
    }
    return &fields[by_number[number] - 1U];
  }
  [[nodiscard]] const FieldSchema* find(std::string_view wanted) const noexcept {
    for (const FieldSchema& field : fields) {
      if (field.name == wanted) {
        return &field;
      }
    }
    return nullptr;
  }
};

// Every message, nested ones after the one that contains them, and every enum outside of messages.
[[nodiscard]] std::span<const MessageSchema* const> all_messages() noexcept;
[[nodiscard]] std::span<const EnumSchema* const> all_enums() noexcept;

}  // namespace nocopy::onnx
