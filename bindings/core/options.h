#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "onnx/options.h"

namespace nocopy::onnx {

// What an options object of nocopy.onnx says, of the class of that name or one derived from it; the
// defaults for None. TypeError for anything else.
[[nodiscard]] TensorBufferOptions tensor_buffer_options(nanobind::handle from);
[[nodiscard]] SerializeOptions serialize_options(nanobind::handle from);
// With a callback, what is made of these needs the interpreter's lock for as long as it parses.
[[nodiscard]] ParseOptions parse_options(nanobind::handle from);

// A str as the system knows the path.
[[nodiscard]] std::string to_path(nanobind::handle path);

}  // namespace nocopy::onnx
