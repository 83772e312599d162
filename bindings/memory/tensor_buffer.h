#pragma once

#include <nanobind/nanobind.h>

#include "memory/tensor_view.h"

namespace nocopy {

// TensorBuffer: memory with an owner, lent to Python through the buffer protocol and DLPack. Every
// way out. `_core` makes the class, and `_executorch` takes it from there.
void bind_tensor_buffer(nanobind::module_& m);
void import_tensor_buffer();

[[nodiscard]] nanobind::object make_tensor_buffer(OwnedTensor&& tensor);

// What a TensorBuffer holds, or null for any other object.
[[nodiscard]] const OwnedTensor* as_tensor_buffer(nanobind::handle object) noexcept;

// The member of nocopy.dtypes.DType.
[[nodiscard]] nanobind::object python_dtype(DType dtype);

[[nodiscard]] nanobind::tuple python_tuple(const Dims& values);

// A DLPack capsule over memory with an owner. The capsule and whoever claims it share the owner, so
// they need neither the object it came from nor, to let go, the interpreter's lock.
[[nodiscard]] nanobind::object make_dlpack_capsule(const OwnedTensor& tensor, bool versioned,
                                                   bool copied);

}  // namespace nocopy
