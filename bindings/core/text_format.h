#pragma once

#include <nanobind/nanobind.h>

namespace nocopy::onnx {

// What str() of a message gives; a new reference, or null with an exception set.
[[nodiscard]] PyObject* message_to_str(PyObject* self) noexcept;

// Binds what python/nocopy/onnx/text_format.py is made of.
void bind_text_format(nanobind::module_& m);

}  // namespace nocopy::onnx
