#pragma once

#include <Python.h>

namespace nocopy::onnx {

// The methods that all message classes have, as a type is made from them.
[[nodiscard]] PyMethodDef* message_methods() noexcept;
// `name in message`, which is HasField.
int message_contains(PyObject* self, PyObject* name);

}  // namespace nocopy::onnx
