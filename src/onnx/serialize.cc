#include "onnx/serialize.h"

#include <cstring>
#include <string>

#include "memory/error.h"
#include "onnx/fields.h"
#include "onnx/wire.h"

namespace nocopy::onnx {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kPassThroughFrom = 64 * 1024;

// Negative 32-bit numbers are written as 64-bit ones.
template <typename T>
std::uint64_t as_varint(T value) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    return static_cast<std::uint64_t>(std::int64_t{value});
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <typename T>
std::size_t number_size(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T);
  } else {
    return wire::varint_size(as_varint(value));
  }
}

template <typename T>
std::size_t numbers_size(const Repeated<T>& values) {
  if constexpr (std::is_floating_point_v<T>) {
    return values.size() * sizeof(T);
  } else {
    std::size_t size = 0;
    for (const T value : values) {
      size += wire::varint_size(as_varint(value));
    }
    return size;
  }
}

std::size_t with_length(std::size_t size) { return wire::varint_size(size) + size; }

class Measure {
 public:
  explicit Measure(std::vector<std::size_t>& sizes) : sizes_(sizes) {}

  std::size_t message(const Message& message, int depth) {
    std::size_t size = message.unknown_fields().size();
    for (const FieldSchema& field : message.schema().fields) {
      size += this->field(message, field, depth);
    }
    return size;
  }

 private:
  // With the length in front.
  std::size_t submessage(const Message& message, int depth) {
    if (depth == 0) {
      throw Error(ErrorKind::kGeneric, "cannot write messages that lie in each other more than " +
                                           std::to_string(wire::kDeepest) +
                                           " levels deep: no reader would take them");
    }
    const std::size_t slot = sizes_.size();
    sizes_.push_back(0);
    const std::size_t size = this->message(message, depth - 1);
    sizes_[slot] = size;
    return with_length(size);
  }

  std::size_t field(const Message& message, const FieldSchema& field, int depth) {
    const std::size_t tag = field.tag < 0x80 ? 1 : 2;
    switch (field.kind) {
      case Kind::kString:
      case Kind::kBytes: {
        if (!field.repeated()) {
          const auto& text = message.member<String>(field);
          return text.has_value() ? tag + with_length(text.size()) : 0;
        }
        const auto& list = message.member<Repeated<String>>(field);
        std::size_t size = list.size() * tag;
        for (const String& text : list) {
          size += with_length(text.size());
        }
        return size;
      }
      case Kind::kPayload: {
        const auto& bytes = message.member<ByteSpan>(field);
        return bytes.has_value() ? tag + with_length(bytes.size()) : 0;
      }
      case Kind::kMessage: {
        if (!field.repeated()) {
          const Message* child = message.member<AnyMessageRef>(field).get();
          return child != nullptr ? tag + submessage(*child, depth) : 0;
        }
        const auto& list = message.member<AnyRepeatedMessage>(field);
        std::size_t size = list.size() * tag;
        for (std::size_t i = 0; i < list.size(); ++i) {
          size += submessage(*list.at(i), depth);
        }
        return size;
      }
      default:
        if (field.label == Label::kOptional && !message.has(field)) {
          return 0;
        }
        return visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
          if (field.label == Label::kOptional) {
            return tag + number_size(message.member<T>(field));
          }
          const auto& list = message.member<Repeated<T>>(field);
          if (list.empty()) {
            return std::size_t{0};
          }
          const std::size_t size = numbers_size(list);
          if (field.label == Label::kRepeated) {
            return size + tag * list.size();
          }
          sizes_.push_back(size);
          return tag + with_length(size);
        });
    }
  }

  std::vector<std::size_t>& sizes_;
};

class Writer {
 public:
  Writer(const std::vector<std::size_t>& sizes, std::uint8_t* to, std::uint8_t* end)
      : next_size_(sizes.data()), at_(to), end_(end) {}
  Writer(const std::vector<std::size_t>& sizes, Measured::Sink& sink)
      : next_size_(sizes.data()), piece_(kPiece), sink_(&sink) {
    at_ = piece_.data();
    end_ = at_ + kPiece;
  }

  void message(const Message& message) {
    for (const FieldSchema& field : message.schema().fields) {
      this->field(message, field);
    }
    const auto& unknown = message.unknown_fields();
    bytes(unknown.data(), unknown.size());
  }

  void flush() {
    if (sink_ != nullptr && at_ != piece_.data()) {
      sink_->write(piece_.data(), static_cast<std::size_t>(at_ - piece_.data()));
      at_ = piece_.data();
    }
  }

 private:
  // Room for a tag and a number. Without a sink there is always room for all of it.
  void room() {
    if (sink_ != nullptr && end_ - at_ < 32) {
      flush();
    }
  }
  void varint(std::uint64_t value) { at_ = wire::write_varint(at_, value); }
  void tag(const FieldSchema& field) {
    room();
    if (field.tag < 0x80) {
      *at_++ = static_cast<std::uint8_t>(field.tag);
    } else {
      varint(field.tag);
    }
  }
  template <typename T>
  void number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      std::memcpy(at_, &value, sizeof(T));
      at_ += sizeof(T);
    } else {
      varint(as_varint(value));
    }
  }
  void bytes(const void* data, std::size_t size) {
    if (size == 0) {
      return;
    }
    if (sink_ != nullptr && static_cast<std::size_t>(end_ - at_) < size) {
      flush();
      if (size >= kPassThroughFrom) {
        sink_->write(data, size);
        return;
      }
    }
    std::memcpy(at_, data, size);
    at_ += size;
  }
  void text(const FieldSchema& field, const String& text) {
    tag(field);
    const std::size_t size = text.size();
    varint(size);
    if (size <= String::kInline && end_ - at_ >= 16) {
      // All 16 bytes at once: what lies behind the text is overwritten by what comes next.
      std::memcpy(at_, text.data(), sizeof(String));
      at_ += size;
    } else {
      bytes(text.data(), size);
    }
  }
  void submessage(const FieldSchema& field, const Message& child) {
    tag(field);
    varint(*next_size_++);
    message(child);
  }

  void field(const Message& message, const FieldSchema& field) {
    switch (field.kind) {
      case Kind::kString:
      case Kind::kBytes:
        if (!field.repeated()) {
          const auto& value = message.member<String>(field);
          if (value.has_value()) {
            text(field, value);
          }
          return;
        }
        for (const String& value : message.member<Repeated<String>>(field)) {
          text(field, value);
        }
        return;
      case Kind::kPayload: {
        const auto& value = message.member<ByteSpan>(field);
        if (value.has_value()) {
          tag(field);
          varint(value.size());
          bytes(value.data(), value.size());
        }
        return;
      }
      case Kind::kMessage: {
        if (!field.repeated()) {
          if (const Message* child = message.member<AnyMessageRef>(field).get()) {
            submessage(field, *child);
          }
          return;
        }
        const auto& list = message.member<AnyRepeatedMessage>(field);
        for (std::size_t i = 0; i < list.size(); ++i) {
          submessage(field, *list.at(i));
        }
        return;
      }
      default:
        if (field.label == Label::kOptional && !message.has(field)) {
          return;
        }
        visit_number(field.kind,
                     [&]<typename T>(std::type_identity<T>) { numbers<T>(message, field); });
    }
  }

  template <typename T>
  void numbers(const Message& message, const FieldSchema& field) {
    if (field.label == Label::kOptional) {
      tag(field);
      number(message.member<T>(field));
      return;
    }
    const auto& list = message.member<Repeated<T>>(field);
    if (field.label == Label::kRepeated) {
      for (const T value : list) {
        tag(field);
        number(value);
      }
      return;
    }
    if (list.empty()) {
      return;
    }
    tag(field);
    varint(*next_size_++);
    if constexpr (std::is_floating_point_v<T>) {
      bytes(list.data(), list.size() * sizeof(T));
    } else {
      for (const T value : list) {
        room();
        number(value);
      }
    }
  }

  const std::size_t* next_size_;
  std::vector<std::uint8_t> piece_;
  Measured::Sink* sink_ = nullptr;
  std::uint8_t* at_ = nullptr;
  std::uint8_t* end_ = nullptr;
};

}  // namespace

Measured::Measured(const Message& message)
    : message_(message), size_(Measure(sizes_).message(message, wire::kDeepest)) {}

void Measured::write(std::uint8_t* to) const { Writer(sizes_, to, to + size_).message(message_); }

void Measured::write(Sink& sink) const {
  Writer writer(sizes_, sink);
  writer.message(message_);
  writer.flush();
}

std::size_t Message::ByteSize() const { return Measured(*this).size(); }

void Message::SerializeToString(std::string* bytes) const {
  const Measured measured(*this);
  bytes->resize(measured.size());
  measured.write(reinterpret_cast<std::uint8_t*>(bytes->data()));
}

std::string Message::SerializeAsString() const {
  std::string bytes;
  SerializeToString(&bytes);
  return bytes;
}

}  // namespace nocopy::onnx
