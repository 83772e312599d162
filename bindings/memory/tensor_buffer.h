#pragma once

#include <nanobind/nanobind.h>

#include "memory/tensor_view.h"

namespace nocopy {

// Memory with an owner, lent to Python through the buffer protocol and DLPack. Every way out.
struct TensorBuffer {
  OwnedTensor tensor;
};

// Binds nocopy.TensorBuffer; done by `_core`, known to both extensions.
void bind_tensor_buffer(nanobind::module_& m);

// The member of nocopy.dtypes.DType.
[[nodiscard]] nanobind::object python_dtype(DType dtype);

[[nodiscard]] nanobind::tuple python_tuple(const Dims& values);

// A DLPack capsule over memory with an owner. The capsule and whoever claims it share the owner, so
// they need neither the object it came from nor, to let go, the interpreter's lock.
[[nodiscard]] nanobind::object make_dlpack_capsule(const OwnedTensor& tensor, bool versioned,
                                                   bool copied);

}  // namespace nocopy
