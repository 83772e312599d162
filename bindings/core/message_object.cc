#include "bindings/core/message_object.h"

#include <vector>

#include "bindings/core/classes.h"
#include "onnx/fields.h"

namespace nocopy::onnx {
namespace {

template <typename Object>
Object* allocate(PyTypeObject* type) noexcept {
  auto* object = reinterpret_cast<Object*>(PyObject_Malloc(sizeof(Object)));
  if (object == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  PyObject_Init(as_object(object), type);
  object->owner = nullptr;
  object->field = nullptr;
  object->next = nullptr;
  return object;
}

MessageObject* new_object(Message* message) noexcept {
  auto* object = allocate<MessageObject>(class_of(message->schema()));
  if (object == nullptr) {
    return nullptr;
  }
  object->message = message;
  object->children = nullptr;
  message->set_peer(object);
  return object;
}

void become_child(ChildObject* child, MessageObject* owner, const FieldSchema& field) noexcept {
  Py_INCREF(as_object(owner));
  child->owner = owner;
  child->field = &field;
  child->next = owner->children;
  owner->children = child;
}

void unlink(ChildObject* child) noexcept {
  ChildObject** at = &child->owner->children;
  while (*at != child) {
    at = &(*at)->next;
  }
  *at = child->next;
  child->next = nullptr;
}

ChildObject* find_child(const MessageObject* owner, const FieldSchema& field) noexcept {
  for (ChildObject* child = owner->children; child != nullptr; child = child->next) {
    if (child->field == &field) {
      return child;
    }
  }
  return nullptr;
}

}  // namespace

PyObject* wrap(Message* message) noexcept {
  if (message->peer() != nullptr) {
    return Py_NewRef(as_object(static_cast<MessageObject*>(message->peer())));
  }
  MessageObject* object = new_object(message);
  if (object != nullptr) {
    message->retain();
  }
  return as_object(object);
}

PyObject* wrap_new(Message* message) noexcept {
  MessageObject* object = new_object(message);
  if (object == nullptr) {
    Message::release(message);
  }
  return as_object(object);
}

PyObject* submessage_object(MessageObject* owner, const FieldSchema& field) noexcept {
  if (Message* message = owner->message->member<AnyMessageRef>(field).get()) {
    return wrap(message);
  }
  if (owner->children != nullptr) {
    if (ChildObject* child = find_child(owner, field)) {
      return Py_NewRef(as_object(child));
    }
  }
  Message* message = field.message->create(nullptr);
  PyObject* object = wrap_new(message);
  if (object != nullptr) {
    become_child(as_message(object), owner, field);
  }
  return object;
}

PyObject* repeated_object(MessageObject* owner, const FieldSchema& field) noexcept {
  if (owner->children != nullptr) {
    if (ChildObject* child = find_child(owner, field)) {
      return Py_NewRef(as_object(child));
    }
  }
  auto* object = allocate<RepeatedObject>(repeated_class(field.kind == Kind::kMessage));
  if (object == nullptr) {
    return nullptr;
  }
  object->own = nullptr;
  become_child(object, owner, field);
  return as_object(object);
}

void attach_slow(MessageObject* object) noexcept {
  // Upwards first, then from the outermost owner down, without recursion: a chain may be long.
  MessageObject* top = object;
  Py_ssize_t levels = 0;
  for (; top->owner != nullptr; top = top->owner) {
    ++levels;
  }
  std::vector<MessageObject*> chain;
  chain.reserve(static_cast<std::size_t>(levels));
  for (MessageObject* at = object; at->owner != nullptr; at = at->owner) {
    chain.push_back(at);
  }
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    MessageObject* child = *at;
    MessageObject* owner = child->owner;
    const FieldSchema& field = *child->field;
    if (field.oneof >= 0) {
      owner->message->clear_other_members(field);
    }
    child->message->retain();
    owner->message->member<AnyMessageRef>(field).reset(child->message);
    leave_owner(child);
  }
}

void detach_children(MessageObject* object, const FieldSchema* field) noexcept {
  ChildObject* child = object->children;
  while (child != nullptr) {
    ChildObject* next = child->next;
    if (field == nullptr || child->field == field) {
      if (child->field->repeated()) {
        std::swap(static_cast<RepeatedObject*>(child)->own,
                  object->message->member<void*>(*child->field));
      }
      leave_owner(child);
    }
    child = next;
  }
}

void follow_children(MessageObject* object) noexcept {
  std::vector<MessageObject*> pending{object};
  while (!pending.empty()) {
    MessageObject* owner = pending.back();
    pending.pop_back();
    ChildObject* child = owner->children;
    while (child != nullptr) {
      ChildObject* next = child->next;
      if (!child->field->repeated()) {
        auto* held = static_cast<MessageObject*>(child);
        Message* there = owner->message->member<AnyMessageRef>(*child->field).get();
        if (there != nullptr && there->peer() != nullptr) {
          leave_owner(held);  // the message has an object already; this one stays alone
        } else if (there != nullptr) {
          Message* before = held->message;
          there->retain();
          there->set_peer(held);
          held->message = there;
          before->set_peer(nullptr);
          Message::release(before);
          leave_owner(held);
          pending.push_back(held);
        }
      }
      child = next;
    }
  }
}

void leave_owner(ChildObject* child) noexcept {
  if (child->owner == nullptr) {
    return;
  }
  unlink(child);
  MessageObject* owner = child->owner;
  child->owner = nullptr;
  // An owner that only this child kept goes, and then its own owner, one after the other: a chain
  // of unset submessages may be longer than the stack is deep.
  while (owner != nullptr && Py_REFCNT(as_object(owner)) == 1) {
    MessageObject* next = owner->owner;
    if (next != nullptr) {
      unlink(owner);
      owner->owner = nullptr;
    }
    Py_DECREF(as_object(owner));
    owner = next;
  }
  if (owner != nullptr) {
    Py_DECREF(as_object(owner));
  }
}

}  // namespace nocopy::onnx
