#include "onnx/message.h"

#include <array>
#include <bitset>
#include <cstring>
#include <string>

#include "memory/error.h"
#include "onnx/fields.h"

namespace nocopy::onnx {
namespace {

// How many messages may be destroyed inside of each other before the rest is put off, so that a
// long chain of messages does not use up the stack.
constexpr int kDestroyDepth = 200;
thread_local int destroy_depth = 0;
thread_local Message* put_off = nullptr;

void check_depth(int depth) {
  if (depth > kDeepest) {
    throw Error(ErrorKind::kGeneric, "messages lie in each other more than " +
                                         std::to_string(kDeepest) + " levels deep");
  }
}

void merge(Message& to, const Message& from, Slab* slab, int depth);

Message* copy(const Message& message, Slab* slab, int depth) {
  AnyMessageRef made(message.schema().create(slab));
  merge(*made.get(), message, slab, depth + 1);
  made.get()->retain();
  return made.get();
}

void merge_field(Message& to, const Message& from, const FieldSchema& field, Slab* slab,
                 int depth) {
  if (field.repeated()) {
    if (field.kind == Kind::kMessage) {
      const auto& source = from.member<AnyRepeatedMessage>(field);
      auto& target = to.member<AnyRepeatedMessage>(field);
      const std::size_t count = source.size();  // the source may be the target
      if (count != 0) {
        target.reserve(target.size() + count, slab);
      }
      for (std::size_t i = 0; i < count; ++i) {
        target.push_back(copy(*source.at(i), slab, depth), slab);
      }
      return;
    }
    visit_repeated(to, field, [&]<typename R>(R& target) {
      if constexpr (!std::is_same_v<R, AnyRepeatedMessage>) {
        target.append(from.member<R>(field).span(), slab);
      }
    });
    return;
  }
  if (!from.has(field)) {
    return;
  }
  if (field.oneof >= 0) {
    to.clear_other_members(field);
  }
  switch (field.kind) {
    case Kind::kMessage: {
      const Message& source = *from.member<AnyMessageRef>(field).get();
      auto& target = to.member<AnyMessageRef>(field);
      if (target.has_value()) {
        merge(*target.get(), source, slab, depth + 1);
      } else {
        target.reset(copy(source, slab, depth));
      }
      break;
    }
    case Kind::kString:
    case Kind::kBytes:
      to.member<String>(field).assign(from.member<String>(field).view(), slab);
      break;
    case Kind::kPayload:
      to.member<ByteSpan>(field) = from.member<ByteSpan>(field);
      break;
    default:
      visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
        to.set_number(field, from.member<T>(field));
      });
  }
}

void merge(Message& to, const Message& from, Slab* slab, int depth) {
  check_depth(depth);
  for (const FieldSchema& field : from.schema().fields) {
    merge_field(to, from, field, slab, depth);
  }
  to.ref_unknown_fields().append(from.unknown_fields().span(), slab);
}

bool equal(const Message& a, const Message& b, int depth);

bool equal_field(const Message& a, const Message& b, const FieldSchema& field, int depth) {
  if (field.repeated()) {
    return visit_repeated(a, field, [&]<typename R>(const R& mine) {
      const R& other = b.member<R>(field);
      if constexpr (std::is_same_v<R, AnyRepeatedMessage>) {
        if (mine.size() != other.size()) {
          return false;
        }
        for (std::size_t i = 0; i < mine.size(); ++i) {
          if (!equal(*mine.at(i), *other.at(i), depth + 1)) {
            return false;
          }
        }
        return true;
      } else {
        return mine == other;
      }
    });
  }
  if (a.has(field) != b.has(field)) {
    return false;
  }
  if (!a.has(field)) {
    return true;
  }
  switch (field.kind) {
    case Kind::kMessage:
      return equal(*a.member<AnyMessageRef>(field).get(), *b.member<AnyMessageRef>(field).get(),
                   depth + 1);
    case Kind::kString:
    case Kind::kBytes:
      return a.member<String>(field) == b.member<String>(field);
    case Kind::kPayload: {
      const auto& mine = a.member<ByteSpan>(field);
      const auto& other = b.member<ByteSpan>(field);
      return mine.size() == other.size() &&
             (mine.data() == other.data() || mine.empty() ||
              std::memcmp(mine.data(), other.data(), mine.size()) == 0);
    }
    default:
      return visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
        return std::memcmp(&a.member<T>(field), &b.member<T>(field), sizeof(T)) == 0;
      });
  }
}

bool equal(const Message& a, const Message& b, int depth) {
  check_depth(depth);
  for (const FieldSchema& field : a.schema().fields) {
    if (!equal_field(a, b, field, depth)) {
      return false;
    }
  }
  return a.unknown_fields() == b.unknown_fields();
}

constexpr std::size_t kMostMessages = 64;
using MessageSet = std::bitset<kMostMessages>;  // by index in all_messages()

void add_below(const MessageSchema& schema, MessageSet* found) {
  for (const FieldSchema& field : schema.fields) {
    if (field.message != nullptr && !found->test(field.message->index)) {
      found->set(field.message->index);
      add_below(*field.message, found);
    }
  }
}

// Which messages can lie in which.
const std::array<MessageSet, kMostMessages>& below() {
  static const std::array<MessageSet, kMostMessages> all = [] {
    std::array<MessageSet, kMostMessages> made;
    for (const MessageSchema* schema : all_messages()) {
      add_below(*schema, &made.at(schema->index));
    }
    return made;
  }();
  return all;
}

// Whether a message lies in another, however deep; `repeated`: in fields that are repeated, too.
bool holds(const Message& outer, const Message& inner, bool repeated, int depth) {
  check_depth(depth);
  const auto is_or_holds = [&](const Message& message) {
    return &message == &inner || holds(message, inner, repeated, depth + 1);
  };
  const std::size_t wanted = inner.schema().index;
  if (!below().at(outer.schema().index).test(wanted)) {
    return false;
  }
  for (const FieldSchema& field : outer.schema().fields) {
    if (field.kind != Kind::kMessage ||
        (field.message->index != wanted && !below().at(field.message->index).test(wanted))) {
      continue;
    }
    if (!field.repeated()) {
      if (outer.has(field) && is_or_holds(*outer.member<AnyMessageRef>(field).get())) {
        return true;
      }
      continue;
    }
    const auto& elements = outer.member<AnyRepeatedMessage>(field);
    for (std::size_t i = 0; repeated && i < elements.size(); ++i) {
      if (is_or_holds(*elements.at(i))) {
        return true;
      }
    }
  }
  return false;
}

// Whether merging would change what is still to be read. Elements of repeated fields do not change.
bool merge_overlaps(const Message& to, const Message& from) {
  return &to == &from || holds(from, to, true, 0) || holds(to, from, false, 0);
}

void check_same_type(const Message& to, const Message& from) {
  if (&to.schema() != &from.schema()) {
    throw Error(ErrorKind::kDType, "expected a " + std::string(to.schema().name) + ", got a " +
                                       std::string(from.schema().name));
  }
}

}  // namespace

void Message::Clear() noexcept {
  for (const FieldSchema& field : schema_->fields) {
    clear(field);
  }
  unknown_.clear();
}

void Message::CopyFrom(const Message& other) {
  check_same_type(*this, other);
  if (this == &other) {
    return;
  }
  // Made first: `other` may be a part of this message.
  Slab slab;
  const AnyMessageRef made(copy(other, &slab, 0));
  swap(*made.get());
}

void Message::MergeFrom(const Message& other) {
  check_same_type(*this, other);
  const ReleaseLater later;
  if (merge_overlaps(*this, other)) {
    const AnyMessageRef made(copy(other, nullptr, 0));
    merge(*this, *made.get(), nullptr, 0);
    return;
  }
  merge(*this, other, nullptr, 0);
}

bool Message::Equals(const Message& other) const {
  return this == &other || (schema_ == other.schema_ && equal(*this, other, 0));
}

void Message::DiscardUnknownFields() noexcept {
  unknown_.clear();
  for (const FieldSchema& field : schema_->fields) {
    if (field.kind != Kind::kMessage) {
      continue;
    }
    if (field.repeated()) {
      for (std::size_t i = 0; i < member<AnyRepeatedMessage>(field).size(); ++i) {
        member<AnyRepeatedMessage>(field).at(i)->DiscardUnknownFields();
      }
    } else if (has(field)) {
      member<AnyMessageRef>(field).get()->DiscardUnknownFields();
    }
  }
}

bool Message::has(const FieldSchema& field) const noexcept {
  if (field.repeated()) {
    return visit_repeated(*this, field, [](const auto& values) { return !values.empty(); });
  }
  switch (field.kind) {
    case Kind::kMessage:
      return member<AnyMessageRef>(field).has_value();
    case Kind::kString:
    case Kind::kBytes:
      return member<String>(field).has_value();
    case Kind::kPayload:
      return member<ByteSpan>(field).has_value();
    default:
      return has_bit(field.has_bit);
  }
}

void Message::clear(const FieldSchema& field) noexcept {
  if (field.repeated()) {
    visit_repeated(*this, field, [](auto& values) { values.clear(); });
    return;
  }
  switch (field.kind) {
    case Kind::kMessage:
      member<AnyMessageRef>(field).reset();
      break;
    case Kind::kString:
    case Kind::kBytes:
      member<String>(field).clear();
      break;
    case Kind::kPayload:
      member<ByteSpan>(field).clear();
      break;
    default:
      clear_has_bit(field.has_bit);
      visit_number(field.kind, [&]<typename T>(std::type_identity<T>) { member<T>(field) = T{}; });
  }
}

const FieldSchema* Message::which(std::size_t oneof) const noexcept {
  for (const FieldSchema& field : schema_->fields) {
    if (field.oneof == static_cast<int>(oneof) && has(field)) {
      return &field;
    }
  }
  return nullptr;
}

void Message::clear_other_members(const FieldSchema& field) noexcept {
  for (const FieldSchema& other : schema_->fields) {
    if (other.oneof == field.oneof && &other != &field) {
      clear(other);
    }
  }
}

Message& Message::mutable_message(const FieldSchema& field, Slab* slab) {
  auto& submessage = member<AnyMessageRef>(field);
  if (!submessage.has_value()) {
    if (field.oneof >= 0) {
      clear_other_members(field);
    }
    submessage.reset(field.message->create(slab));
  }
  return *submessage.get();
}

void Message::swap(Message& other) noexcept {
  if (this == &other) {
    return;
  }
  // Every member may be moved by copying its bits: none holds a pointer into itself.
  const std::size_t size = schema_->size - sizeof(Message);
  auto* mine = reinterpret_cast<std::byte*>(this) + sizeof(Message);
  auto* theirs = reinterpret_cast<std::byte*>(&other) + sizeof(Message);
  for (std::size_t i = 0; i < size; ++i) {
    std::swap(mine[i], theirs[i]);
  }
  std::swap(has_, other.has_);
  unknown_.swap(other.unknown_);
}

void Message::destroy(Message* message) noexcept {
  if (destroy_depth >= kDestroyDepth) {
    message->peer_ = put_off;  // no peer is left when the last reference goes
    put_off = message;
    return;
  }
  ++destroy_depth;
  message->schema_->destroy(message);
  if (destroy_depth == 1) {
    while (put_off != nullptr) {
      Message* next = put_off;
      put_off = static_cast<Message*>(next->peer_);
      next->schema_->destroy(next);
    }
  }
  --destroy_depth;
}

}  // namespace nocopy::onnx
