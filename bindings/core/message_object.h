#pragma once

#include <Python.h>

#include <cstddef>

#include "onnx/message.h"

// The Python objects that stand for messages and repeated fields, and how they follow what happens
// to them. Written on the C API: reading a field of a model is what users do a million times.
namespace nocopy::onnx {

struct MessageObject;

// What a message's object and a repeated field's object have in common: while `owner` is set they
// are a child of it, that is, a part of a message that may not be there yet.
struct ChildObject {
  PyObject ob_base;
  MessageObject* owner;      // strong
  const FieldSchema* field;  // of the owner
  ChildObject* next;         // among the owner's children, which it does not own
};

// A message. Its peer pointer leads back, so that there is one object for a message while any is
// held. A submessage that is not set is a message of its own until it is changed: then it becomes
// its owner's field, and the owner that of its own owner.
struct MessageObject : ChildObject {
  Message* message;       // one reference
  ChildObject* children;  // unset submessages and repeated fields that someone holds
};

// A repeated field of the owner's message; when the owner dropped the field, on its own.
struct RepeatedObject : ChildObject {
  void* own;  // the bits of a Repeated or an AnyRepeatedMessage
};

[[nodiscard]] inline MessageObject* as_message(PyObject* object) noexcept {
  return reinterpret_cast<MessageObject*>(object);
}
[[nodiscard]] inline RepeatedObject* as_repeated(PyObject* object) noexcept {
  return reinterpret_cast<RepeatedObject*>(object);
}
template <typename Object>
[[nodiscard]] PyObject* as_object(Object* object) noexcept {
  return reinterpret_cast<PyObject*>(object);
}

// The classes. message_type() is the base of all, class_of() the class of one message.
[[nodiscard]] PyTypeObject* message_type() noexcept;
[[nodiscard]] PyTypeObject* class_of(const MessageSchema& schema) noexcept;
// Null, with TypeError set, for what is not a class of a message.
[[nodiscard]] const MessageSchema* schema_of(PyTypeObject* type) noexcept;
[[nodiscard]] bool is_message(PyObject* object) noexcept;
[[nodiscard]] bool is_repeated(PyObject* object) noexcept;

// The object of a message, a new reference. Null with an exception set when there is no memory.
[[nodiscard]] PyObject* wrap(Message* message) noexcept;
// The same for a message just made, whose only reference it takes over.
[[nodiscard]] PyObject* wrap_new(Message* message) noexcept;
// The object of a submessage, set or not, or of a repeated field. New references.
[[nodiscard]] PyObject* submessage_object(MessageObject* owner, const FieldSchema& field) noexcept;
[[nodiscard]] PyObject* repeated_object(MessageObject* owner, const FieldSchema& field) noexcept;

// To be called before a change: makes the message a part of its owner, where it is not yet.
void attach_slow(MessageObject* object) noexcept;
inline void attach(MessageObject* object) noexcept {
  if (object->owner != nullptr) {
    attach_slow(object);
  }
}
// Before a field is dropped or replaced (all of them for null): who holds a part of it keeps that
// part, on its own.
void detach_children(MessageObject* object, const FieldSchema* field) noexcept;
// After the message was changed other than through its object: held submessages that were not set
// before and are now stand for those that are there.
void follow_children(MessageObject* object) noexcept;
// Ends being a child, at the end of an object's life or of its being a part.
void leave_owner(ChildObject* child) noexcept;

}  // namespace nocopy::onnx
