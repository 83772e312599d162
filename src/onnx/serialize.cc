#include "onnx/serialize.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "memory/error.h"
#include "memory/pages.h"
#include "onnx/fields.h"
#include "onnx/messages.h"
#include "onnx/wire.h"

namespace nocopy::onnx {
namespace {

constexpr std::size_t kSmallestBlock = 1024;
constexpr std::size_t kLargestBlock = kLargePage;
constexpr std::size_t kPassThroughFrom = 16 * 1024;
constexpr std::size_t kTagAndLength = 16;

// Negative 32-bit numbers are written as 64-bit ones.
template <typename T>
std::uint64_t as_varint(T value) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    return static_cast<std::uint64_t>(std::int64_t{value});
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

// memcpy of a few bytes, without the call.
inline void copy_short(std::uint8_t* to, const char* from, std::size_t size) noexcept {
  if (size >= 8) {
    std::uint64_t head;
    std::uint64_t tail;
    std::memcpy(&head, from, 8);
    std::memcpy(&tail, from + size - 8, 8);
    std::memcpy(to, &head, 8);
    std::memcpy(to + size - 8, &tail, 8);
  } else if (size >= 4) {
    std::uint32_t head;
    std::uint32_t tail;
    std::memcpy(&head, from, 4);
    std::memcpy(&tail, from + size - 4, 4);
    std::memcpy(to, &head, 4);
    std::memcpy(to + size - 4, &tail, 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      to[i] = static_cast<std::uint8_t>(from[i]);
    }
  }
}

}  // namespace

class BackwardWriter {
 public:
  BackwardWriter(Serialized& result, const ExternalReferences& references)
      : result_(result), references_(references) {}

  void message(const Message& message, int depth) {
    const auto& unknown = message.unknown_fields();
    if (!unknown.empty()) {
      bytes(unknown.data(), unknown.size());
    }
    const auto fields = message.schema().fields;
    const Message* reference = reference_of(message);
    for (std::size_t i = fields.size(); i-- > 0;) {
      if (reference == nullptr) [[likely]] {
        field(message, fields[i], depth);
      } else if (fields[i].kind != Kind::kPayload) {
        field(says_where(fields[i]) ? *reference : message, fields[i], depth);
      }
    }
  }

  void finish() {
    close();
    result_.size_ = closed_;
  }

 private:
  [[nodiscard]] const Message* reference_of(const Message& message) const {
    if (references_.empty() || &message.schema() != &TensorProto::kSchema) [[likely]] {
      return nullptr;
    }
    const auto found = references_.find(&message);
    return found != references_.end() ? found->second : nullptr;
  }

  // Of a tensor's fields.
  [[nodiscard]] static bool says_where(const FieldSchema& field) noexcept {
    return field.name == "external_data" || field.name == "data_location";
  }

  // How much there is so far.
  [[nodiscard]] std::size_t written() const noexcept {
    return closed_ + static_cast<std::size_t>(piece_end_ - at_);
  }

  // Ends the piece in the current block.
  void close() {
    if (at_ != piece_end_) {
      const auto size = static_cast<std::size_t>(piece_end_ - at_);
      result_.pieces_.push_back({at_, size});
      closed_ += size;
      piece_end_ = at_;
    }
  }

  void room(std::size_t size) {
    if (static_cast<std::size_t>(at_ - begin_) < size) [[unlikely]] {
      next_block(size);
    }
  }

  void next_block(std::size_t size) {
    close();
    block_size_ = std::min(std::max(block_size_ * 2, kSmallestBlock), kLargestBlock);
    size = std::max(size, block_size_);
    const bool large = size == kLargePage;
    void* block = large ? std::aligned_alloc(kLargePage, size) : std::malloc(size);
    if (block == nullptr) {
      throw std::bad_alloc();
    }
    result_.blocks_.emplace_back(static_cast<std::uint8_t*>(block));
    if (large) {
      advise_large_pages(block, size);
    }
    begin_ = result_.blocks_.back().get();
    at_ = piece_end_ = begin_ + size;
  }

  // These need room() to have been asked for.
  void varint(std::uint64_t value) {
    if (value < 0x80) [[likely]] {
      *--at_ = static_cast<std::uint8_t>(value);
      return;
    }
    at_ -= wire::varint_size(value);
    wire::write_varint(at_, value);
  }
  void tag(const FieldSchema& field) { varint(field.tag); }
  template <typename T>
  void number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      at_ -= sizeof(T);
      std::memcpy(at_, &value, sizeof(T));
    } else {
      varint(as_varint(value));
    }
  }

  void bytes(const void* data, std::size_t size) {
    room(size);
    at_ -= size;
    std::memcpy(at_, data, size);
  }

  void text(const FieldSchema& field, const String& text) {
    const std::size_t size = text.size();
    room(size + kTagAndLength);
    at_ -= size;
    if (size <= String::kInline) {
      copy_short(at_, text.data(), size);
    } else {
      std::memcpy(at_, text.data(), size);
    }
    varint(size);
    tag(field);
  }

  void payload(const FieldSchema& field, const ByteSpan& span) {
    if (span.size() >= kPassThroughFrom) {
      close();
      result_.pieces_.push_back({span.data(), span.size()});
      closed_ += span.size();
    } else if (!span.empty()) {
      bytes(span.data(), span.size());
    }
    room(kTagAndLength);
    varint(span.size());
    tag(field);
  }

  void submessage(const FieldSchema& field, const Message& child, int depth) {
    if (depth == 0) {
      throw Error(ErrorKind::kGeneric, "cannot write messages that lie in each other more than " +
                                           std::to_string(wire::kDeepest) +
                                           " levels deep: no reader would take them");
    }
    const std::size_t before = written();
    message(child, depth - 1);
    room(kTagAndLength);
    varint(written() - before);
    tag(field);
  }

  void field(const Message& message, const FieldSchema& field, int depth) {
    switch (field.kind) {
      case Kind::kString:
      case Kind::kBytes:
        if (!field.repeated()) {
          const auto& value = message.member<String>(field);
          if (value.has_value()) {
            text(field, value);
          }
        } else {
          const auto& list = message.member<Repeated<String>>(field);
          for (std::size_t i = list.size(); i-- > 0;) {
            text(field, list[i]);
          }
        }
        return;
      case Kind::kPayload:
        if (message.member<ByteSpan>(field).has_value()) {
          payload(field, message.member<ByteSpan>(field));
        }
        return;
      case Kind::kMessage:
        if (!field.repeated()) {
          if (const Message* child = message.member<AnyMessageRef>(field).get()) {
            submessage(field, *child, depth);
          }
        } else {
          const auto& list = message.member<AnyRepeatedMessage>(field);
          for (std::size_t i = list.size(); i-- > 0;) {
            submessage(field, *list.at(i), depth);
          }
        }
        return;
      default:
        if (field.label != Label::kOptional || message.has(field)) {
          visit_number(field.kind,
                       [&]<typename T>(std::type_identity<T>) { numbers<T>(message, field); });
        }
    }
  }

  template <typename T>
  void numbers(const Message& message, const FieldSchema& field) {
    if (field.label == Label::kOptional) {
      room(kTagAndLength);
      number(message.member<T>(field));
      tag(field);
      return;
    }
    const auto& list = message.member<Repeated<T>>(field);
    if (list.empty()) {
      return;
    }
    if (field.label == Label::kRepeated) {
      for (std::size_t i = list.size(); i-- > 0;) {
        room(kTagAndLength);
        number(list[i]);
        tag(field);
      }
      return;
    }
    const std::size_t before = written();
    if constexpr (std::is_floating_point_v<T>) {
      if (list.size() * sizeof(T) >= kPassThroughFrom) {
        close();
        result_.pieces_.push_back(
            {reinterpret_cast<const std::uint8_t*>(list.data()), list.size() * sizeof(T)});
        closed_ += list.size() * sizeof(T);
      } else {
        bytes(list.data(), list.size() * sizeof(T));
      }
    } else {
      for (std::size_t i = list.size(); i-- > 0;) {
        room(kTagAndLength);
        number(list[i]);
      }
    }
    room(kTagAndLength);
    varint(written() - before);
    tag(field);
  }

  Serialized& result_;
  const ExternalReferences& references_;
  std::uint8_t* begin_ = nullptr;      // of the current block
  std::uint8_t* at_ = nullptr;         // start of what is written
  std::uint8_t* piece_end_ = nullptr;  // end of the piece being written
  std::size_t closed_ = 0;             // bytes in pieces that are done
  std::size_t block_size_ = 0;
};

Serialized::Serialized(const Message& message, const ExternalReferences& references) {
  BackwardWriter writer(*this, references);
  writer.message(message, wire::kDeepest);
  writer.finish();
}

void Serialized::write(std::uint8_t* to) const {
  for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
    std::memcpy(to, piece->data, piece->size);
    to += piece->size;
  }
}

void Serialized::write(Sink& sink) const {
  for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
    sink.write(piece->data, piece->size);
  }
}

std::size_t Message::ByteSize() const { return Serialized(*this).size(); }

void check_for_bytes(const SerializeOptions& options) {
  if (!options.location.empty() || options.file_per_tensor) {
    throw Error(ErrorKind::kExternalData,
                "raw data in files of its own needs the path that the model is written to; save the"
                " model to a file, or leave location and file_per_tensor unset");
  }
}

void Message::SerializeToString(std::string* bytes, const SerializeOptions& options) const {
  check_for_bytes(options);
  const Serialized serialized(*this);
  bytes->resize(serialized.size());
  serialized.write(reinterpret_cast<std::uint8_t*>(bytes->data()));
}

std::string Message::SerializeAsString(const SerializeOptions& options) const {
  std::string bytes;
  SerializeToString(&bytes, options);
  return bytes;
}

}  // namespace nocopy::onnx
