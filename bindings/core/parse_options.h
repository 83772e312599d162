#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "onnx/options.h"

namespace nocopy::onnx {

// What a nocopy.onnx.ParseOptions says; the defaults for None. TypeError for anything else. With a
// callback, what is made of the options needs the interpreter's lock for as long as it parses.
[[nodiscard]] ParseOptions parse_options(nanobind::handle options);

// A str as the system knows the path.
[[nodiscard]] std::string to_path(nanobind::handle path);

}  // namespace nocopy::onnx
