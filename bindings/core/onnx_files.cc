#include <nanobind/stl/string.h>

#include <string>

#include "bindings/core/classes.h"
#include "bindings/core/onnx_classes.h"
#include "onnx/file.h"

namespace nocopy::onnx {
namespace {

nb::object load_file(nb::handle type, const std::string& path) {
  const MessageSchema* schema = schema_of(reinterpret_cast<PyTypeObject*>(type.ptr()));
  if (schema == nullptr) {
    throw nb::python_error();
  }
  AnyMessageRef made(schema->create(nullptr));
  {
    const nb::gil_scoped_release unlocked;
    ParseFromFile(*made.get(), path);
  }
  made.get()->retain();
  nb::object object = nb::steal(wrap_new(made.get()));
  if (!object.is_valid()) {
    throw nb::python_error();
  }
  return object;
}

void save_file(nb::handle message, const std::string& path) {
  if (!is_message(message.ptr())) {
    PyErr_Format(PyExc_TypeError, "expected a message, got %s", Py_TYPE(message.ptr())->tp_name);
    throw nb::python_error();
  }
  // With the lock: nobody may change the message meanwhile.
  SerializeToFile(*as_message(message.ptr())->message, path);
}

}  // namespace

void bind_onnx_files(nb::module_& m) {
  m.def("onnx_load_file", load_file, nb::arg("type"), nb::arg("path"));
  m.def("onnx_save_file", save_file, nb::arg("message"), nb::arg("path"));
}

}  // namespace nocopy::onnx
