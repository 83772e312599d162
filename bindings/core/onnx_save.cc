#include "bindings/core/classes.h"
#include "bindings/core/onnx_classes.h"
#include "bindings/core/parse_options.h"
#include "bindings/core/serialize_options.h"
#include "onnx/consolidate.h"
#include "onnx/file.h"
#include "onnx/fresh_file.h"
#include "onnx/messages.h"

// Writing messages to files, and laying out tensors in memory. All of it with the interpreter's
// lock: nobody may change a message meanwhile.
namespace nocopy::onnx {
namespace {

Message& message_of(nb::handle object) {
  if (!is_message(object.ptr())) {
    PyErr_Format(PyExc_TypeError, "expected a message, got %s", Py_TYPE(object.ptr())->tp_name);
    throw nb::python_error();
  }
  return *as_message(object.ptr())->message;
}

void save_file(nb::handle message, nb::handle path, nb::handle options) {
  SerializeToFile(message_of(message), to_path(path), serialize_options(options));
}

void write_file(const nb::bytes& bytes, nb::handle path) {
  FreshFile file(behind_links(to_path(path)));
  file.write(bytes.c_str(), bytes.size());
  file.finish(true);
  file.take_place();
}

void consolidate(nb::handle model, nb::handle options) {
  Message& message = message_of(model);
  if (&message.schema() != &ModelProto::kSchema) {
    PyErr_Format(PyExc_TypeError, "expected a nocopy.onnx.ModelProto, got %s",
                 Py_TYPE(model.ptr())->tp_name);
    throw nb::python_error();
  }
  ConsolidateTensorsToBuffer(static_cast<ModelProto&>(message), tensor_buffer_options(options));
}

}  // namespace

void bind_onnx_save(nb::module_& m) {
  m.def("onnx_save_file", save_file, nb::arg("message"), nb::arg("path"),
        nb::arg("options").none());
  m.def("onnx_write_file", write_file, nb::arg("bytes"), nb::arg("path"));
  m.def("onnx_consolidate", consolidate, nb::arg("model"), nb::arg("options").none());
}

}  // namespace nocopy::onnx
