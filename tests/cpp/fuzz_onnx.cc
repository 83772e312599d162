#include <memory>
#include <string>
#include <string_view>

#include "fuzz_driver.h"
#include "memory/error.h"
#include "onnx/fields.h"
#include "onnx/messages.h"
#include "onnx/text_format.h"

// Bytes and texts that nobody meant as a message: whatever they are, they are a message that can be
// written, read again, copied and printed, or an Error(kDecode); and memory stays within its bound.
//
// The first byte of an input says which message to read it as, and whether as bytes or as text.
namespace nocopy::fuzzing {
namespace {

using namespace nocopy::onnx;  // NOLINT: all of it is about these

constexpr std::size_t kMemoryPerByte = 64;
constexpr std::size_t kMemoryFree = std::size_t{17} << 20;

AnyMessageRef make(const MessageSchema& schema) { return AnyMessageRef(schema.create(nullptr)); }

bool reads(Message& message, std::string_view bytes, const ParseOptions& options = {}) {
  try {
    message.ParseFromString(bytes, options);
    return true;
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kDecode, "another error than kDecode");
    require(std::string_view(error.what()).find(": byte ") != std::string_view::npos,
            "an error without the byte");
    return false;
  }
}

bool reads_text(Message& message, std::string_view text) {
  TextParseOptions options;
  options.allow_unknown_field = text.size() % 2 == 0;
  options.allow_repeats = text.size() % 3 == 0;
  options.allow_field_number = text.size() % 5 == 0;
  try {
    parse_text(message, text, options);
    return true;
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kDecode, "another error than kDecode");
    return false;
  }
}

void check_text(const Message& message) {
  const MessageSchema& schema = message.schema();
  for (const auto numbers :
       {TextPrintOptions::Numbers::kShort, TextPrintOptions::Numbers::kPython}) {
    TextPrintOptions options;
    options.numbers = numbers;
    const std::string text = print_text(message, options);
    const AnyMessageRef again = make(schema);
    parse_text(*again.get(), text);
    require(print_text(*again.get(), options) == text, "text that reads as another message");
  }
  TextPrintOptions options;
  options.print_unknown_fields = true;
  options.as_one_line = true;
  options.use_short_repeated_primitives = true;
  static_cast<void>(print_text(message, options));
}

void check_message(Message& message) {
  const MessageSchema& schema = message.schema();
  const std::string bytes = message.SerializeAsString();
  require(message.ByteSize() == bytes.size(), "ByteSize is not the size");
  const AnyMessageRef again = make(schema);
  require(reads(*again.get(), bytes), "written but not readable");
  require(again.get()->SerializeAsString() == bytes, "written otherwise when read again");

  const AnyMessageRef copy = make(schema);
  copy.get()->CopyFrom(message);
  require(copy.get()->SerializeAsString() == bytes, "a copy is another message");
  copy.get()->MergeFrom(message);
  static_cast<void>(copy.get()->Equals(message));

  ParseOptions borrowing;
  borrowing.no_copy = true;
  borrowing.raw_data_threshold = 1;
  auto owner = std::make_shared<std::string>(bytes);
  borrowing.owner = owner;
  require(reads(*copy.get(), *owner, borrowing), "not readable without copying");
  borrowing.owner.reset();
  owner.reset();
  require(copy.get()->SerializeAsString() == bytes, "borrowed bytes are not those lent");

  check_text(message);
  message.DiscardUnknownFields();
  for (const FieldSchema& field : schema.fields) {
    message.clear(field);
  }
  require(message.ByteSize() == 0, "something is left of a message without fields");
}

void fill(Message& message, std::mt19937_64& random, int depth);

std::string some_text(std::mt19937_64& random) {
  static constexpr std::string_view kPieces[] = {
      "a", "weight_0", "\n\"\\", "\xc3\xa9\xe4\xb8\xad", "0123456789abcdef0123456789", ""};
  return std::string(kPieces[random() % std::size(kPieces)]);
}

template <typename T>
T some_number(const FieldSchema& field, std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    if (field.kind == Kind::kEnum) {
      return field.enumeration->values[random() % field.enumeration->values.size()].number;
    }
  }
  const std::uint64_t bits = random() >> (random() % 64);
  return std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(bits) / 3)
                                     : static_cast<T>(bits);
}

void fill_repeated(Message& message, const FieldSchema& field, std::mt19937_64& random, int depth) {
  visit_repeated(message, field, [&]<typename List>(List& list) {
    for (std::size_t i = random() % 4; i > 0; --i) {
      if constexpr (std::is_same_v<List, AnyRepeatedMessage>) {
        Message* child = field.message->create(nullptr);
        list.push_back(child);
        fill(*child, random, depth - 1);
      } else if constexpr (std::is_same_v<List, Repeated<String>>) {
        list.push_back(String(some_text(random)));
      } else {
        list.push_back(some_number<typename List::value_type>(field, random));
      }
    }
  });
}

void fill(Message& message, std::mt19937_64& random, int depth) {
  for (const FieldSchema& field : message.schema().fields) {
    if (random() % 3 != 0 || (field.kind == Kind::kMessage && depth == 0)) {
      continue;
    }
    if (field.repeated()) {
      fill_repeated(message, field, random, depth);
      continue;
    }
    switch (field.kind) {
      case Kind::kMessage:
        fill(message.mutable_message(field), random, depth - 1);
        break;
      case Kind::kString:
      case Kind::kBytes:
        if (field.oneof >= 0) {
          message.clear_other_members(field);
        }
        message.member<String>(field).assign(some_text(random));
        break;
      case Kind::kPayload: {
        const std::string bytes = some_text(random);
        message.member<ByteSpan>(field).assign(bytes.data(), bytes.size());
        break;
      }
      default:
        visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
          message.set_number(field, some_number<T>(field, random));
        });
    }
  }
}

}  // namespace

std::string make_seed(std::mt19937_64& random) {
  const auto choice = static_cast<unsigned char>(random());
  const AnyMessageRef message = make(*all_messages()[(choice >> 1) % all_messages().size()]);
  fill(*message.get(), random, 3);
  return static_cast<char>(choice) +
         ((choice & 1) != 0 ? print_text(*message.get()) : message.get()->SerializeAsString());
}

}  // namespace nocopy::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nocopy::fuzzing;  // NOLINT: all of it is about these
  if (size == 0) {
    return 0;
  }
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const AnyMessageRef message = make(*all_messages()[(data[0] >> 1) % all_messages().size()]);
  start_counting();
  const bool read =
      (data[0] & 1) != 0 ? reads_text(*message.get(), input) : reads(*message.get(), input);
  require(most_allocated() <= input.size() * kMemoryPerByte + kMemoryFree,
          "memory out of proportion to the input");
  if (read) {
    check_message(*message.get());
  }
  return 0;
}
