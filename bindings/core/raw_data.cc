#include "bindings/core/raw_data.h"

#include <memory>

#include "bindings/core/classes.h"
#include "bindings/memory/tensor_buffer.h"
#include "onnx/messages.h"

// A tensor's raw data as memory that others can read.
namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

// The bytes, flat. Writable where the tensor owns them. They stay for as long as the result does,
// whatever happens to the tensor.
nb::object raw_data(nb::handle tensor) {
  if (!is_message(tensor.ptr()) ||
      &as_message(tensor.ptr())->message->schema() != &TensorProto::kSchema) {
    PyErr_Format(PyExc_TypeError, "expected a nocopy.onnx.TensorProto, not %s",
                 Py_TYPE(tensor.ptr())->tp_name);
    throw nb::python_error();
  }
  ByteSpan& bytes = static_cast<TensorProto&>(*as_message(tensor.ptr())->message).ref_raw_data();
  OwnedTensor result;
  result.owner = bytes.share();
  TensorView& view = result.view;
  view.dtype = DType::kUInt8;
  view.shape = Dims{static_cast<std::int64_t>(bytes.size())};
  view.strides = Dims{1};
  view.read_only = bytes.mutable_data() == nullptr;
  // Written to only where mutable_data() allows it, which read_only says.
  view.data = const_cast<std::uint8_t*>(bytes.data());
  return make_tensor_buffer(std::move(result));
}

}  // namespace

void bind_raw_data(nb::module_& m) { m.def("onnx_raw_data", &raw_data, nb::arg("tensor")); }

}  // namespace nocopy::onnx
