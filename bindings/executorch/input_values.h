#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "executorch/method.h"

namespace nocopy::executorch {

// Takes what a caller passed as "the inputs" of a method: a sequence of them, or a single one,
// which a bare array is although it could be taken apart. Appends to `values`, which is empty.
// Throws nocopy::Error naming the input.
void input_values(const Method& method, nanobind::handle inputs, std::vector<InputValue>& values);

}  // namespace nocopy::executorch
