#include "onnx/parse.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "memory/error.h"
#include "onnx/announce.h"
#include "onnx/fields.h"
#include "onnx/messages.h"
#include "onnx/utf8.h"
#include "onnx/wire.h"

namespace nocopy::onnx {
namespace {

using Bytes = const std::uint8_t*;

constexpr std::uint64_t kHighBits = 0x8080808080808080U;
constexpr std::ptrdiff_t kLookAhead = 16;  // a tag and a number or a length
constexpr std::size_t kSlabFrom = 2048;    // smaller inputs are not worth a chunk
constexpr std::size_t kReadDirectlyFrom = 64 * 1024;

// Two bytes can say "a message with nothing in it", which takes a hundred times as much. Files that
// mean something stay far below these.
constexpr std::size_t kMessageBytesPerByte = 48;
constexpr std::size_t kMessageBytesFree = 16 * 1024 * 1024;

// The message that is being read, and the field in it; for the path in an error.
struct Frame {
  const Frame* parent;
  Message* message;
  const FieldSchema* field;
};

std::string describe(const Frame* frame) {
  std::vector<const Frame*> frames;
  for (; frame != nullptr; frame = frame->parent) {
    frames.push_back(frame);
  }
  std::string path(frames.back()->message->schema().name);
  for (auto at = frames.rbegin(); at != frames.rend(); ++at) {
    const FieldSchema* field = (*at)->field;
    if (field == nullptr) {
      continue;
    }
    path += '.';
    path += field->name;
    if (field->repeated() && field->kind == Kind::kMessage && *at != frames.front()) {
      const auto& list = (*at)->message->member<AnyRepeatedMessage>(*field);
      path += '[' + std::to_string(list.size() - 1) + ']';
    }
  }
  return path;
}

class Parser {
 public:
  Parser(const Input& input, const ParseOptions& options, const OnTensor& on_tensor)
      : begin_(input.begin),
        ready_(input.source != nullptr ? input.begin : input.end),
        source_(input.source),
        options_(options),
        on_tensor_(on_tensor != nullptr ? &on_tensor : nullptr),
        budget_(static_cast<std::size_t>(input.end - input.begin) * kMessageBytesPerByte +
                kMessageBytesFree) {
    if (static_cast<std::size_t>(input.end - input.begin) >= kSlabFrom) {
      in_use_ = &slab_;
    }
  }

  void message(Message& message, Bytes at, Bytes end, const Frame* parent, int depth);

 private:
  [[noreturn]] void fail(const Frame& frame, Bytes at, const std::string& what) const {
    throw Error(ErrorKind::kDecode,
                describe(&frame) + ": byte " + std::to_string(at - begin_) + ": " + what);
  }

  // Makes the bytes up to `until` readable.
  void need(Bytes at, Bytes until) {
    if (until > ready_) [[unlikely]] {
      ready_ = source_ != nullptr ? source_->fill(at, until) : ready_;
    }
  }

  Bytes number(Bytes at, Bytes end, const Frame& frame, std::uint64_t* value) const {
    if (at != end && *at < 0x80) [[likely]] {
      *value = *at;
      return at + 1;
    }
    const Bytes after = wire::read_varint(at, end, value);
    if (after == nullptr) {
      fail(frame, at,
           end - at < static_cast<std::ptrdiff_t>(wire::kLongestVarint)
               ? "the number that starts here is cut off"
               : "the number that starts here is longer than 64 bits");
    }
    return after;
  }

  template <typename T>
  Bytes fixed(Bytes at, Bytes end, const Frame& frame, T* value) const {
    if (static_cast<std::size_t>(end - at) < sizeof(T)) {
      fail(frame, at, "the number that starts here is cut off");
    }
    *value = wire::read_fixed<T>(at);
    return at + sizeof(T);
  }

  // Reads a number of type T as its field is written outside of a packed run.
  template <typename T>
  Bytes value(Bytes at, Bytes end, const Frame& frame, T* value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return fixed(at, end, frame, value);
    } else {
      std::uint64_t bits = 0;
      at = number(at, end, frame, &bits);
      *value = static_cast<T>(bits);
      return at;
    }
  }

  // Reads a length and checks it against what is there.
  Bytes length(Bytes at, Bytes end, const Frame& frame, std::size_t* size) const {
    std::uint64_t claimed = 0;
    const Bytes after = number(at, end, frame, &claimed);
    if (claimed > static_cast<std::uint64_t>(end - after)) {
      fail(frame, at,
           "a length of " + std::to_string(claimed) + " bytes, where " +
               std::to_string(end - after) + " are left");
    }
    if (after - at > 5 && claimed >> 35 == 0) {
      fail(frame, at, "a length written with more bytes than it needs");
    }
    *size = static_cast<std::size_t>(claimed);
    return after;
  }

  Bytes text(String& target, Bytes at, Bytes end, const Frame& frame);
  Bytes payload(ByteSpan& target, Bytes at, Bytes end, const Frame& frame);
  Bytes submessage(Message& child, Bytes at, Bytes end, const Frame& frame, int depth);
  Message& new_element(Message& message, const FieldSchema& field, Bytes at, const Frame& frame);
  void spend(const MessageSchema& schema, Bytes at, const Frame& frame);
  template <typename T>
  Bytes packed(Repeated<T>& target, Bytes at, Bytes end, const Frame& frame);
  Bytes irregular(Message& message, std::uint64_t tag, Bytes start, Bytes at, Bytes end,
                  const Frame& frame, int depth);
  Bytes skip(std::uint64_t tag, Bytes at, Bytes end, const Frame& frame, int depth);
  Bytes tag(Bytes at, Bytes end, const Frame& frame, std::uint64_t* tag) const;
  static GraphProto* graph_around(const Frame* frame);
  static std::size_t count_ahead(std::uint64_t tag, Bytes at, Bytes end);

  Bytes begin_;
  Bytes ready_;
  Source* source_;
  const ParseOptions& options_;
  const OnTensor* on_tensor_;
  Slab slab_;
  Slab* in_use_ = nullptr;
  std::size_t budget_;
};

void Parser::message(Message& message, Bytes at, Bytes end, const Frame* parent, int depth) {
  const MessageSchema& schema = message.schema();
  Frame frame{parent, &message, nullptr};
  while (at != end) {
    need(at, at + std::min(kLookAhead, end - at));
    const Bytes start = at;
    std::uint64_t tag = *at;
    frame.field = nullptr;
    if (tag < 0x80) [[likely]] {
      ++at;
    } else {
      at = this->tag(at, end, frame, &tag);
    }
    const FieldSchema* known = schema.find(tag >> 3);
    if (known == nullptr || known->tag != tag) [[unlikely]] {
      at = irregular(message, tag, start, at, end, frame, depth);
      continue;
    }
    const FieldSchema& field = *known;
    frame.field = known;
    switch (field.kind) {
      case Kind::kString:
      case Kind::kBytes:
        if (field.label == Label::kOptional) {
          if (field.oneof >= 0) {
            message.clear_other_members(field);
          }
          at = text(message.member<String>(field), at, end, frame);
        } else {
          auto& list = message.member<Repeated<String>>(field);
          if (list.empty()) {
            list.reserve(count_ahead(tag, at, std::min(end, ready_)), in_use_);
          }
          at = text(*new (list.append_slot(in_use_)) String(), at, end, frame);
        }
        break;
      case Kind::kPayload:
        at = payload(message.member<ByteSpan>(field), at, end, frame);
        break;
      case Kind::kMessage:
        if (field.label == Label::kOptional) {
          if (!message.member<AnyMessageRef>(field).has_value()) {
            spend(*field.message, at, frame);
          }
          at = submessage(message.mutable_message(field, in_use_), at, end, frame, depth);
        } else {
          at = submessage(new_element(message, field, at, frame), at, end, frame, depth);
        }
        break;
      case Kind::kEnum: {
        std::uint64_t bits = 0;
        at = number(at, end, frame, &bits);
        const auto number = static_cast<std::int32_t>(bits);
        if (field.enumeration->find(number) != nullptr) {
          message.set_number(field, number);
        } else {
          // A value that this version does not know is kept as an unknown field.
          message.ref_unknown_fields().append(
              {reinterpret_cast<const char*>(start), static_cast<std::size_t>(at - start)});
        }
        break;
      }
      default:
        visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
          if (field.label == Label::kPacked) {
            at = packed(message.member<Repeated<T>>(field), at, end, frame);
            return;
          }
          T number{};
          at = value(at, end, frame, &number);
          if (field.label == Label::kOptional) {
            message.set_number(field, number);
          } else {
            new (message.member<Repeated<T>>(field).append_slot(in_use_)) T(number);
          }
        });
    }
  }
  if (on_tensor_ != nullptr && &schema == &TensorProto::kSchema) [[unlikely]] {
    (*on_tensor_)(static_cast<TensorProto&>(message), graph_around(parent));
  }
}

GraphProto* Parser::graph_around(const Frame* frame) {
  for (; frame != nullptr; frame = frame->parent) {
    if (&frame->message->schema() == &GraphProto::kSchema) {
      return static_cast<GraphProto*>(frame->message);
    }
  }
  return nullptr;
}

Bytes Parser::tag(Bytes at, Bytes end, const Frame& frame, std::uint64_t* tag) const {
  const Bytes after = number(at, end, frame, tag);
  if (*tag > UINT32_MAX || after - at > 5) {
    fail(frame, at, "a tag of more than 32 bits");
  }
  return after;
}

// How many elements of a repeated string follow each other, to make room once; at most a few.
std::size_t Parser::count_ahead(std::uint64_t tag, Bytes at, Bytes end) {
  std::size_t count = 1;
  while (count < 8 && at != end && *at < 0x80 && end - at > *at + 2) {
    at += *at + 1;
    if (*at++ != tag) {
      break;
    }
    ++count;
  }
  return count;
}

Bytes Parser::text(String& target, Bytes at, Bytes end, const Frame& frame) {
  std::size_t size = 0;
  if (at != end && *at <= String::kInline && end - at > *at) [[likely]] {
    size = *at++;
  } else {
    at = length(at, end, frame, &size);
    need(at, at + size);
  }
  std::uint64_t high_bits = kHighBits;
  if (size <= String::kInline && ready_ - at >= 16) [[likely]] {
    high_bits = target.assign_inline(wire::read_fixed<std::uint64_t>(at),
                                     wire::read_fixed<std::uint64_t>(at + 8), size);
  } else {
    need(at, at + size);
    target.assign({reinterpret_cast<const char*>(at), size}, in_use_);
  }
  if ((high_bits & kHighBits) != 0 && frame.field->kind == Kind::kString && !is_utf8(at, size))
      [[unlikely]] {
    fail(frame, at, "a string that is not UTF-8");
  }
  return at + size;
}

Bytes Parser::payload(ByteSpan& target, Bytes at, Bytes end, const Frame& frame) {
  std::size_t size = 0;
  at = length(at, end, frame, &size);
  if (options_.no_copy && size >= options_.raw_data_threshold) {
    if (source_ == nullptr) {
      target.assign_borrowed(at, size, options_.owner);
    } else {
      source_->lend(static_cast<std::size_t>(at - begin_), size, target);
    }
  } else if (source_ != nullptr && size >= kReadDirectlyFrom) {
    source_->read(static_cast<std::size_t>(at - begin_), target.assign_uninitialized(size), size);
  } else {
    need(at, at + size);
    target.assign(at, size);
  }
  return at + size;
}

void Parser::spend(const MessageSchema& schema, Bytes at, const Frame& frame) {
  const std::size_t cost = schema.size + 3 * sizeof(void*);
  if (cost > budget_) [[unlikely]] {
    fail(frame, at, "more messages than a file of this size can mean, nearly all of them empty");
  }
  budget_ -= cost;
}

Message& Parser::new_element(Message& message, const FieldSchema& field, Bytes at,
                             const Frame& frame) {
  spend(*field.message, at, frame);
  Message* child = field.message->create(in_use_);
  message.member<AnyRepeatedMessage>(field).push_back(child, in_use_);
  return *child;
}

Bytes Parser::submessage(Message& child, Bytes at, Bytes end, const Frame& frame, int depth) {
  std::size_t size = 0;
  at = length(at, end, frame, &size);
  if (depth == 0) {
    fail(frame, at,
         "messages in each other more than " + std::to_string(wire::kDeepest) + " levels deep");
  }
  if (options_.raw_data_callback) [[unlikely]] {
    // Whoever is told of a tensor may drop what it is a part of.
    child.retain();
    const AnyMessageRef kept(&child);
    message(child, at, at + size, &frame, depth - 1);
  } else {
    message(child, at, at + size, &frame, depth - 1);
  }
  return at + size;
}

template <typename T>
Bytes Parser::packed(Repeated<T>& target, Bytes at, Bytes end, const Frame& frame) {
  std::size_t size = 0;
  at = length(at, end, frame, &size);
  need(at, at + size);
  const Bytes stop = at + size;
  if constexpr (std::is_floating_point_v<T>) {
    if (size % sizeof(T) != 0) {
      fail(
          frame, at,
          std::to_string(size) + " bytes, which is not a multiple of " + std::to_string(sizeof(T)));
    }
    if (size != 0) {
      std::memcpy(target.append_uninitialized(size / sizeof(T), in_use_), at, size);
    }
  } else {
    // Each number ends with the only byte of it that has no high bit.
    std::size_t count = 0;
    for (Bytes byte = at; byte != stop; ++byte) {
      count += *byte < 0x80;
    }
    T* to = target.append_uninitialized(count, in_use_);
    T* const full = to + count;
    while (at != stop) {
      std::uint64_t bits = 0;
      const Bytes after = wire::read_varint(at, stop, &bits);
      if (after == nullptr || to == full) {
        std::fill(to, full, T{});  // what was promised above must hold something
        static_cast<void>(number(at, stop, frame, &bits));
        fail(frame, at, "bytes that changed while they were read");
      }
      *to++ = static_cast<T>(bits);
      at = after;
    }
  }
  return stop;
}

// A field that is not known, or is written with another wire type than its own.
Bytes Parser::irregular(Message& message, std::uint64_t tag, Bytes start, Bytes at, Bytes end,
                        const Frame& frame, int depth) {
  const FieldSchema* field = message.schema().find(tag >> 3);
  if (field != nullptr && field->repeated() && is_number(field->kind)) {
    // Packed and not packed are both read, whichever the field is declared as.
    const Frame inside{frame.parent, frame.message, field};
    const unsigned type = tag & 7;
    const bool taken = visit_number(field->kind, [&]<typename T>(std::type_identity<T>) -> bool {
      auto& list = message.member<Repeated<T>>(*field);
      if (type == wire::kLength) {
        at = packed(list, at, end, inside);
        return true;
      }
      const unsigned own = std::is_same_v<T, float>    ? wire::kFixed32
                           : std::is_same_v<T, double> ? wire::kFixed64
                                                       : wire::kVarint;
      if (type != own) {
        return false;
      }
      T number{};
      at = value(at, end, inside, &number);
      new (list.append_slot(in_use_)) T(number);
      return true;
    });
    if (taken) {
      return at;
    }
  }
  at = skip(tag, at, end, frame, depth);
  need(start, at);
  message.ref_unknown_fields().append(
      {reinterpret_cast<const char*>(start), static_cast<std::size_t>(at - start)});
  return at;
}

Bytes Parser::skip(std::uint64_t tag, Bytes at, Bytes end, const Frame& frame, int depth) {
  if (tag >> 3 == 0) {
    fail(frame, at, "a field with the number 0");
  }
  std::size_t size = 0;
  std::uint64_t ignored = 0;
  switch (tag & 7) {
    case wire::kVarint:
      return number(at, end, frame, &ignored);
    case wire::kFixed64:
      return fixed(at, end, frame, &ignored);
    case wire::kFixed32: {
      std::uint32_t ignored_too = 0;
      return fixed(at, end, frame, &ignored_too);
    }
    case wire::kLength:
      return length(at, end, frame, &size) + size;
    case wire::kGroupStart: {
      if (depth == 0) {
        fail(frame, at,
             "groups in each other more than " + std::to_string(wire::kDeepest) + " levels deep");
      }
      for (;;) {
        need(at, at + std::min(kLookAhead, end - at));
        std::uint64_t inner = 0;
        if (at == end) {
          fail(frame, at, "a group that does not end");
        }
        at = this->tag(at, end, frame, &inner);
        if ((inner & 7) == wire::kGroupEnd) {
          if (inner >> 3 != tag >> 3) {
            fail(frame, at, "the end of a group that was not begun");
          }
          return at;
        }
        at = skip(inner, at, end, frame, depth - 1);
      }
    }
    case wire::kGroupEnd:
      fail(frame, at, "the end of a group that was not begun");
    default:
      fail(frame, at, "a field of wire type " + std::to_string(tag & 7) + ", which does not exist");
  }
}

}  // namespace

void parse(Message& message, const Input& input, const ParseOptions& options,
           const OnTensor& on_tensor) {
  Parser(input, options, on_tensor)
      .message(message, input.begin, input.end, nullptr, wire::kDeepest);
}

void parse(Message& message, const Input& input, const ParseOptions& options) {
  if (!options.raw_data_callback) {
    parse(message, input, options, nullptr);
    return;
  }
  Announcer announcer(options);
  parse(message, input, options,
        [&](TensorProto& tensor, GraphProto* graph) { announcer.add(tensor, graph); });
  announcer.finish();
}

void Message::MergeFromString(std::string_view bytes, const ParseOptions& options) {
  const ReleaseLater later;
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  parse(*this, {begin, begin + bytes.size()}, options);
}

void Message::ParseFromString(std::string_view bytes, const ParseOptions& options) {
  Clear();
  MergeFromString(bytes, options);
}

}  // namespace nocopy::onnx
