#include "bindings/core/raw_data.h"

#include "bindings/core/classes.h"
#include "bindings/memory/tensor_buffer.h"
#include "onnx/messages.h"
#include "onnx/tensor_view.h"

// A tensor's raw data as memory that others can read.
namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

// The bytes, flat. Writable where the tensor owns them. They stay for as long as the result does,
// whatever happens to the tensor.
nb::object raw_data(nb::handle tensor) {
  Message& message = message_of(tensor, &TensorProto::kSchema);
  return make_tensor_buffer(view_raw_data(static_cast<TensorProto&>(message)));
}

}  // namespace

void bind_raw_data(nb::module_& m) { m.def("onnx_raw_data", &raw_data, nb::arg("tensor")); }

}  // namespace nocopy::onnx
