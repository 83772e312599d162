#pragma once

#include <nanobind/nanobind.h>

namespace nocopy::onnx {

// Binds reading a tensor's raw data in place.
void bind_raw_data(nanobind::module_& m);

}  // namespace nocopy::onnx
