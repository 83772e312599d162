#pragma once

#include <Python.h>

namespace nocopy::onnx {

// What only tensors have: methods and properties about the memory of their raw data.
[[nodiscard]] PyMethodDef* tensor_methods() noexcept;
extern PyGetSetDef tensor_is_aligned;

}  // namespace nocopy::onnx
