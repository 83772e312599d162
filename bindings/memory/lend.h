#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "memory/tensor_view.h"

namespace nocopy {

// A pin that may hold a Python object, so that the collector can see through it.
class PythonPin : public Pin {
 public:
  // The object held, or null.
  [[nodiscard]] virtual PyObject* held() const noexcept { return nullptr; }
};

// Asks a Python object for its memory, without copying: a TensorBuffer, anything with the buffer
// protocol, arrays of dtypes that numpy does not lend (ml_dtypes), a torch tensor through torch's
// Python API, any DLPack producer. `label` names the object in messages. The view may be of any
// layout, and on any device.
//
// `lent` is a LentTensor as it is made; after a throw, anything may be in it. Throws nocopy::Error,
// or nb::python_error for an exception of the object's own.
void lend(nanobind::handle object, const std::string& label, LentTensor& lent);

// Whether `object` would be asked for memory at all: one input rather than a sequence of them.
[[nodiscard]] bool has_memory(nanobind::handle object);

// Whether `object` is a TensorBuffer or a torch tensor, which run no code of the caller's.
[[nodiscard]] bool is_plain_memory(nanobind::handle object);

// Each knows one way in; `lend` chooses.
void lend_buffer(nanobind::handle object, const std::string& label, LentTensor& lent);
[[nodiscard]] LentTensor lend_dlpack(nanobind::handle object, const std::string& label);
[[nodiscard]] LentTensor lend_torch(nanobind::handle object, const std::string& label);

// torch.Tensor if this process has imported torch, else null. Never imports it.
[[nodiscard]] PyObject* torch_tensor_type() noexcept;

// "numpy.ndarray": the type of an object, for messages.
[[nodiscard]] std::string python_type_name(nanobind::handle object);

}  // namespace nocopy
