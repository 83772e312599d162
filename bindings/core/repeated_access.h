#pragma once

#include "bindings/core/classes.h"
#include "onnx/fields.h"

// What a repeated field's object stands for.
namespace nocopy::onnx {

template <typename Visit>
decltype(auto) visit_elements(RepeatedObject* object, Visit&& visit) {
  const FieldSchema& field = *object->field;
  // On its own, the object holds the bits of the member.
  const auto at = [&]<typename R>(std::type_identity<R>) -> R& {
    return object->owner != nullptr ? object->owner->message->member<R>(field)
                                    : *reinterpret_cast<R*>(&object->own);
  };
  switch (field.kind) {
    case Kind::kMessage:
      return visit(at(std::type_identity<AnyRepeatedMessage>{}));
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kPayload:
      return visit(at(std::type_identity<Repeated<String>>{}));
    default:
      return visit_number(field.kind, [&]<typename T>(std::type_identity<T>) -> decltype(auto) {
        return visit(at(std::type_identity<Repeated<T>>{}));
      });
  }
}

[[nodiscard]] inline AnyRepeatedMessage& messages_of(RepeatedObject* object) noexcept {
  return object->owner != nullptr
             ? object->owner->message->member<AnyRepeatedMessage>(*object->field)
             : *reinterpret_cast<AnyRepeatedMessage*>(&object->own);
}

[[nodiscard]] inline Py_ssize_t length_of(RepeatedObject* object) noexcept {
  return visit_elements(object,
                        [](const auto& values) { return static_cast<Py_ssize_t>(values.size()); });
}

// Before a change.
inline void attach_owner(RepeatedObject* object) noexcept {
  if (object->owner != nullptr) {
    attach(object->owner);
  }
}

// A new reference to the element's object; the index must be one.
[[nodiscard]] inline PyObject* element(RepeatedObject* object, Py_ssize_t index) noexcept {
  const auto at = static_cast<std::size_t>(index);
  return visit_elements(object, [&]<typename R>(R& values) -> PyObject* {
    if constexpr (std::is_same_v<R, AnyRepeatedMessage>) {
      return wrap(values.at(at));
    } else if constexpr (std::is_same_v<R, Repeated<String>>) {
      return text_to_python(*object->field, values[at].view());
    } else {
      return number_to_python(object->field->kind, &values[at]);
    }
  });
}

// All elements, or those of a slice, as a list. New references; null with an exception set.
[[nodiscard]] PyObject* to_list(RepeatedObject* object, Py_ssize_t start = 0, Py_ssize_t step = 1,
                                Py_ssize_t count = -1) noexcept;

// Adds one value: a number or text that is converted, or a copy of a message.
[[nodiscard]] bool append(RepeatedObject* object, PyObject* value) noexcept;
void erase(RepeatedObject* object, Py_ssize_t index, Py_ssize_t count) noexcept;

[[nodiscard]] PyMethodDef* repeated_methods(bool of_messages) noexcept;

}  // namespace nocopy::onnx
