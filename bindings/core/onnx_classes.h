#pragma once

#include <nanobind/nanobind.h>

namespace nocopy::onnx {

namespace nb = nanobind;

// Defines what nocopy.onnx makes its classes from. The classes themselves are made when it asks, so
// that those who import the extension for something else do not wait for them.
void bind_onnx_classes(nb::module_& m);

// Defines reading a message from a file.
void bind_onnx_files(nb::module_& m);
// Defines writing a message to a file, and moving its tensors into one buffer.
void bind_onnx_save(nb::module_& m);

}  // namespace nocopy::onnx
