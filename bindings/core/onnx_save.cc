#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

#include "bindings/core/classes.h"
#include "bindings/core/onnx_classes.h"
#include "bindings/core/parse_options.h"
#include "onnx/consolidate.h"
#include "onnx/file.h"
#include "onnx/fresh_file.h"
#include "onnx/messages.h"

// Writing messages to files, and laying out tensors in memory. All of it with the interpreter's
// lock: nobody may change a message meanwhile.
namespace nocopy::onnx {
namespace {

template <typename T>
T option(nb::handle options, const char* name) {
  return nb::cast<T>(options.attr(name));
}

void read_buffer_options(nb::handle from, TensorBufferOptions& options) {
  options.raw_data_threshold = option<std::size_t>(from, "raw_data_threshold");
  options.alignment = option<std::size_t>(from, "alignment");
}

// From a nocopy.onnx.SerializeOptions; None for the defaults.
SerializeOptions serialize_options(nb::handle from) {
  SerializeOptions options;
  if (from.is_none()) {
    return options;
  }
  read_buffer_options(from, options);
  if (!from.attr("location").is_none()) {
    options.location = option<std::string>(from, "location");
  }
  options.max_external_file_size = option<std::uint64_t>(from, "max_external_file_size");
  options.file_per_tensor = option<bool>(from, "file_per_tensor");
  const auto which = option<std::string>(from, "external_tensors");
  options.external_tensors = which == "initializers" ? ExternalTensors::kInitializers
                             : which == "attributes" ? ExternalTensors::kAndAttributes
                                                     : ExternalTensors::kAll;
  options.allow_missing_external_data = option<bool>(from, "allow_missing_external_data");
  options.sync = option<bool>(from, "sync");
  return options;
}

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

void consolidate(nb::handle model, nb::handle from) {
  Message& message = message_of(model);
  if (&message.schema() != &ModelProto::kSchema) {
    PyErr_Format(PyExc_TypeError, "expected a nocopy.onnx.ModelProto, got %s",
                 Py_TYPE(model.ptr())->tp_name);
    throw nb::python_error();
  }
  TensorBufferOptions options;
  if (!from.is_none()) {
    read_buffer_options(from, options);
  }
  ConsolidateTensorsToBuffer(static_cast<ModelProto&>(message), options);
}

}  // namespace

void bind_onnx_save(nb::module_& m) {
  m.def("onnx_save_file", save_file, nb::arg("message"), nb::arg("path"),
        nb::arg("options").none());
  m.def("onnx_write_file", write_file, nb::arg("bytes"), nb::arg("path"));
  m.def("onnx_consolidate", consolidate, nb::arg("model"), nb::arg("options").none());
}

}  // namespace nocopy::onnx
