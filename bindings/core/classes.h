#pragma once

#include "bindings/core/message_object.h"
#include "bindings/memory/guarded.h"

// Between the files of the message classes; not for others.
namespace nocopy::onnx {

[[nodiscard]] PyTypeObject* repeated_class(bool of_messages) noexcept;
[[nodiscard]] PyTypeObject* make_repeated_class(bool of_messages);
// The class that all message classes derive from.
[[nodiscard]] PyTypeObject* make_message_type();
[[nodiscard]] PyTypeObject* make_message_class(const MessageSchema& schema, PyTypeObject* base);

// Values. Those that read return a new reference; those that write return whether it went well, and
// leave an exception where not.
[[nodiscard]] PyObject* text_to_python(const FieldSchema& field, std::string_view text) noexcept;
[[nodiscard]] PyObject* number_to_python(Kind kind, const void* number) noexcept;
[[nodiscard]] bool python_to_text(const FieldSchema& field, PyObject* value, String* text) noexcept;
[[nodiscard]] bool python_to_number(const FieldSchema& field, PyObject* value,
                                    void* number) noexcept;
// Sets a number, a string or bytes.
[[nodiscard]] bool set_value(MessageObject* object, const FieldSchema& field,
                             PyObject* value) noexcept;

// Sets fields from keywords, as a constructor does.
[[nodiscard]] bool set_fields(MessageObject* object, PyObject* keywords) noexcept;
// Adds an iterable to a repeated field.
[[nodiscard]] bool extend(RepeatedObject* object, PyObject* values) noexcept;
// Adds a new message with these fields; a new reference to its object.
[[nodiscard]] PyObject* add_message(RepeatedObject* object, PyObject* keywords) noexcept;

PyObject* fail_expected_bytes(PyObject* value) noexcept;

// What functions of the module are given and return. Both throw nb::python_error; TypeError for
// what is not a message, or not one of this schema.
[[nodiscard]] Message& message_of(nanobind::handle object, const MessageSchema* schema = nullptr);
[[nodiscard]] nanobind::object object_of(Message& message);

}  // namespace nocopy::onnx
