#pragma once

#include <nanobind/nanobind.h>

#include "onnx/options.h"

namespace nocopy::onnx {

// What a nocopy.onnx.SerializeOptions says, or one of its base; the defaults for None. TypeError
// for anything else.
[[nodiscard]] SerializeOptions serialize_options(nanobind::handle options);
[[nodiscard]] TensorBufferOptions tensor_buffer_options(nanobind::handle options);

}  // namespace nocopy::onnx
