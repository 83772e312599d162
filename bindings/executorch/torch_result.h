#pragma once

#include <nanobind/nanobind.h>

#include "bindings/memory/tensor_buffer.h"

namespace nocopy::executorch {

// Whether results are torch tensors, asked once when a method is loaded: the process has imported
// torch. Never imports it.
[[nodiscard]] bool process_has_torch();

// A torch tensor over the memory of `tensor`, strides included, which it keeps alive. No copy.
// Only where process_has_torch() was true.
[[nodiscard]] nanobind::object torch_tensor(OwnedTensor tensor);

}  // namespace nocopy::executorch
