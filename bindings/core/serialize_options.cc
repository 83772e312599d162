#include "bindings/core/serialize_options.h"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings/core/parse_options.h"

namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

template <typename T>
T option(nb::handle options, const char* name) {
  return nb::cast<T>(options.attr(name));
}

void check_class(nb::handle options, const char* name) {
  if (!nb::isinstance(options, nb::module_::import_("nocopy.onnx._options").attr(name))) {
    PyErr_Format(PyExc_TypeError, "options must be a nocopy.onnx.%s or None, not %R", name,
                 options.ptr());
    throw nb::python_error();
  }
}

void read_base(nb::handle from, TensorBufferOptions& options) {
  options.raw_data_threshold = option<std::size_t>(from, "raw_data_threshold");
  options.alignment = option<std::size_t>(from, "alignment");
}

}  // namespace

TensorBufferOptions tensor_buffer_options(nb::handle from) {
  TensorBufferOptions options;
  if (!from.is_none()) {
    check_class(from, "TensorBufferOptions");
    read_base(from, options);
  }
  return options;
}

SerializeOptions serialize_options(nb::handle from) {
  SerializeOptions options;
  if (from.is_none()) {
    return options;
  }
  check_class(from, "SerializeOptions");
  read_base(from, options);
  if (!from.attr("location").is_none()) {
    options.location = to_path(from.attr("location"));
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

}  // namespace nocopy::onnx
