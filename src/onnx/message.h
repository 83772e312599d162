#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "memory/byte_span.h"
#include "onnx/options.h"
#include "onnx/repeated.h"
#include "onnx/schema.h"
#include "onnx/string.h"

namespace nocopy::onnx {

// What all messages have in common. A message is an object of one of the classes in messages.h; its
// schema says where which field lies, and everything here works by that.
//
// Messages inside messages are counted references, so that a submessage that someone holds (a
// MessageRef, or an object of another language) outlives a parent that drops it. The count is not
// atomic: a message tree belongs to one thread at a time.
class Message {
 public:
  [[nodiscard]] const MessageSchema& schema() const noexcept { return *schema_; }

  // Replaces (Parse) or adds to (Merge) what is here. Throws Error(kDecode) that names the field
  // and the byte; after that the message holds what was read up to there.
  void ParseFromString(std::string_view bytes, const ParseOptions& options = {});
  void MergeFromString(std::string_view bytes, const ParseOptions& options = {});

  // The bytes are those that protobuf writes for the same message, with unknown fields at the end
  // of the message that they were read in. Options that ask for files need a path, so that
  // Error(kExternalData) is thrown for them here; see file.h.
  [[nodiscard]] std::size_t ByteSize() const;
  void SerializeToString(std::string* bytes, const SerializeOptions& options = {}) const;
  [[nodiscard]] std::string SerializeAsString(const SerializeOptions& options = {}) const;

  void Clear() noexcept;
  // Both need a message of the same type, and copy. Owned raw data is copied, borrowed is shared.
  void CopyFrom(const Message& other);
  void MergeFrom(const Message& other);

  // Exchanges all fields with a message of the same type; objects that stand for the two stay.
  void swap_contents(Message& other) noexcept { swap(other); }

  // Same type, same fields set, same values, same unknown fields.
  [[nodiscard]] bool Equals(const Message& other) const;

  [[nodiscard]] const Repeated<char>& unknown_fields() const noexcept { return unknown_; }
  [[nodiscard]] Repeated<char>& ref_unknown_fields() noexcept { return unknown_; }
  void DiscardUnknownFields() noexcept;

  // By schema, for those that do not know the class. A field must be one of this message's.
  [[nodiscard]] bool has(const FieldSchema& field) const noexcept;
  void clear(const FieldSchema& field) noexcept;
  // The member that is set in a oneof, or null.
  [[nodiscard]] const FieldSchema* which(std::size_t oneof) const noexcept;
  // To be called before a member of a oneof is set.
  void clear_other_members(const FieldSchema& field) noexcept;

  template <typename T>
  [[nodiscard]] T& member(const FieldSchema& field) noexcept {
    return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + field.offset);
  }
  template <typename T>
  [[nodiscard]] const T& member(const FieldSchema& field) const noexcept {
    return *reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(this) + field.offset);
  }
  template <typename T>
  void set_number(const FieldSchema& field, T value) noexcept {
    if (field.oneof >= 0) {
      clear_other_members(field);
    }
    has_ = static_cast<std::uint16_t>(has_ | (1U << field.has_bit));
    member<T>(field) = value;
  }
  // The submessage, made where there is none.
  [[nodiscard]] Message& mutable_message(const FieldSchema& field, Slab* slab = nullptr);

  // References. A message that is not made by its schema's create() is never counted down to zero.
  void retain() noexcept { ++references_; }
  static void release(Message* message) noexcept {
    if (message != nullptr && --message->references_ == 0) {
      destroy(message);
    }
  }
  [[nodiscard]] std::uint32_t references() const noexcept { return references_; }

  // The object that stands for this message in another language. Not owned.
  [[nodiscard]] void* peer() const noexcept { return peer_; }
  void set_peer(void* peer) noexcept { peer_ = peer; }

 protected:
  explicit Message(const MessageSchema& schema) noexcept : schema_(&schema) {}
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() = default;

  [[nodiscard]] bool has_bit(unsigned bit) const noexcept { return (has_ >> bit & 1U) != 0; }
  void set_has_bit(unsigned bit) noexcept { has_ = static_cast<std::uint16_t>(has_ | (1U << bit)); }
  void clear_has_bit(unsigned bit) noexcept {
    has_ = static_cast<std::uint16_t>(has_ & ~(1U << bit));
  }
  // Exchanges contents, not references or peers.
  void swap(Message& other) noexcept;

  template <typename T>
  friend Message* create_message(Slab* slab);
  template <typename T>
  friend void destroy_message(Message* message) noexcept;

 private:
  static void destroy(Message* message) noexcept;

  const MessageSchema* schema_;
  std::uint32_t references_ = 1;
  std::uint16_t has_ = 0;
  bool in_slab_ = false;
  void* peer_ = nullptr;
  Repeated<char> unknown_;  // as read, tags included
};

// A submessage, or none. Two parents never share one.
class AnyMessageRef {
 public:
  AnyMessageRef() noexcept = default;
  explicit AnyMessageRef(Message* message) noexcept : message_(message) {}  // takes the reference
  // One more reference, for those who look at a message that others may drop meanwhile.
  [[nodiscard]] static AnyMessageRef share(Message& message) noexcept {
    message.retain();
    return AnyMessageRef(&message);
  }
  AnyMessageRef(const AnyMessageRef&) = delete;
  AnyMessageRef(AnyMessageRef&& other) noexcept
      : message_(std::exchange(other.message_, nullptr)) {}
  AnyMessageRef& operator=(const AnyMessageRef&) = delete;
  AnyMessageRef& operator=(AnyMessageRef&& other) noexcept {
    std::swap(message_, other.message_);
    return *this;
  }
  ~AnyMessageRef() { Message::release(message_); }

  [[nodiscard]] Message* get() const noexcept { return message_; }
  [[nodiscard]] bool has_value() const noexcept { return message_ != nullptr; }
  void reset(Message* message = nullptr) noexcept {
    Message::release(std::exchange(message_, message));
  }

 protected:
  Message* message_ = nullptr;
};

template <typename T>
class MessageRef : public AnyMessageRef {
 public:
  [[nodiscard]] const T& value_or_default() const {
    if (message_ != nullptr) {
      return static_cast<const T&>(*message_);
    }
    static const T empty;
    return empty;
  }
  [[nodiscard]] T& ensure() {
    if (message_ == nullptr) {
      message_ = T::kSchema.create(nullptr);
    }
    return static_cast<T&>(*message_);
  }
};

// A repeated field of messages: references, held by position.
class AnyRepeatedMessage {
 public:
  AnyRepeatedMessage() noexcept = default;
  AnyRepeatedMessage(const AnyRepeatedMessage&) = delete;
  AnyRepeatedMessage& operator=(const AnyRepeatedMessage&) = delete;
  ~AnyRepeatedMessage() { clear(); }

  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
  [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
  [[nodiscard]] Message* at(std::size_t index) const noexcept { return messages_[index]; }
  [[nodiscard]] Message* const* data() const noexcept { return messages_.data(); }
  [[nodiscard]] Message** data() noexcept { return messages_.data(); }
  void reserve(std::size_t capacity, Slab* slab = nullptr) { messages_.reserve(capacity, slab); }

  // Takes the reference, also when there is no memory for it.
  void push_back(Message* message, Slab* slab = nullptr) {
    AnyMessageRef guard(message);
    void* slot = messages_.append_slot(slab);
    new (slot) Message*(message);
    message->retain();
  }
  void insert(std::size_t index, Message* message) {
    AnyMessageRef guard(message);
    messages_.insert(index, message);
    message->retain();
  }
  void erase(std::size_t index, std::size_t count = 1) noexcept {
    const ReleaseLater later;
    for (std::size_t i = 0; i < count; ++i) {
      Message::release(messages_[index + i]);
    }
    messages_.erase(index, count);
  }
  void clear() noexcept {
    // Emptied first: a deleter of raw data may look at this.
    Repeated<Message*> gone;
    gone.swap(messages_);
    for (Message* message : gone) {
      Message::release(message);
    }
  }
  void swap(AnyRepeatedMessage& other) noexcept { messages_.swap(other.messages_); }

 private:
  Repeated<Message*> messages_;
};

template <typename T>
class RepeatedMessage : public AnyRepeatedMessage {
 public:
  template <typename Element>
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Message* const* at = nullptr) noexcept : at_(at) {}
    Element& operator*() const noexcept { return static_cast<Element&>(**at_); }
    Element* operator->() const noexcept { return &**this; }
    Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    Iterator operator++(int) noexcept { return Iterator(at_++); }
    friend bool operator==(Iterator a, Iterator b) noexcept { return a.at_ == b.at_; }

   private:
    Message* const* at_;
  };

  [[nodiscard]] T& operator[](std::size_t index) noexcept { return static_cast<T&>(*at(index)); }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept {
    return static_cast<const T&>(*at(index));
  }
  [[nodiscard]] T& back() noexcept { return (*this)[size() - 1]; }
  // Reading is const all the way down, although what is held are references.
  [[nodiscard]] Iterator<T> begin() noexcept { return Iterator<T>(data()); }
  [[nodiscard]] Iterator<T> end() noexcept { return Iterator<T>(data() + size()); }
  [[nodiscard]] Iterator<const T> begin() const noexcept { return Iterator<const T>(data()); }
  [[nodiscard]] Iterator<const T> end() const noexcept {
    return Iterator<const T>(data() + size());
  }

  // A new message at the end.
  T& add() {
    Message* message = T::kSchema.create(nullptr);
    AnyRepeatedMessage::push_back(message);
    return static_cast<T&>(*message);
  }
  // A copy at the end.
  void push_back(const T& message) { add().CopyFrom(message); }
};

template <typename T>
Message* create_message(Slab* slab) {
  void* memory = slab != nullptr ? slab->allocate(sizeof(T)) : nullptr;
  if (memory == nullptr) {
    return new T();
  }
  Message* message = new (memory) T();
  message->in_slab_ = true;
  return message;
}

template <typename T>
void destroy_message(Message* message) noexcept {
  if (message->in_slab_) {
    static_cast<T*>(message)->~T();
    Slab::release(message);
  } else {
    delete static_cast<T*>(message);
  }
}

}  // namespace nocopy::onnx
