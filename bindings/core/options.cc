#include "bindings/core/options.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <functional>

#include "bindings/core/classes.h"
#include "bindings/core/python_deleter.h"
#include "onnx/messages.h"

namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

template <typename T>
T option(nb::handle from, const char* name) {
  return nb::cast<T>(from.attr(name));
}

// Whether there are options to read, which are then of this class.
bool are_given(nb::handle from, const char* name) {
  if (from.is_none()) {
    return false;
  }
  if (!nb::isinstance(from, nb::module_::import_("nocopy.onnx._options").attr(name))) {
    PyErr_Format(PyExc_TypeError, "options must be a nocopy.onnx.%s or None, not %R", name,
                 from.ptr());
    throw nb::python_error();
  }
  return true;
}

void read_base(nb::handle from, TensorBufferOptions& options) {
  options.raw_data_threshold = option<std::size_t>(from, "raw_data_threshold");
  options.alignment = option<std::size_t>(from, "alignment");
}

void read_location(nb::handle from, std::string& location) {
  const nb::object given = from.attr("location");
  if (!given.is_none()) {
    location = to_path(given);
  }
}

}  // namespace

std::string to_path(nb::handle path) {
  const nb::object encoded = nb::steal(PyUnicode_EncodeFSDefault(path.ptr()));
  if (!encoded.is_valid()) {
    throw nb::python_error();
  }
  char* text = nullptr;
  // A zero byte would end the name early, and so name another file: ValueError.
  if (PyBytes_AsStringAndSize(encoded.ptr(), &text, nullptr) != 0) {
    throw nb::python_error();
  }
  return text;
}

TensorBufferOptions tensor_buffer_options(nb::handle from) {
  TensorBufferOptions options;
  if (are_given(from, "TensorBufferOptions")) {
    read_base(from, options);
  }
  return options;
}

SerializeOptions serialize_options(nb::handle from) {
  SerializeOptions options;
  if (!are_given(from, "SerializeOptions")) {
    return options;
  }
  read_base(from, options);
  read_location(from, options.location);
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

ParseOptions parse_options(nb::handle from) {
  ParseOptions options;
  if (!are_given(from, "ParseOptions")) {
    return options;
  }
  read_base(from, options);
  options.no_copy = option<bool>(from, "no_copy");
  options.num_threads = option<int>(from, "num_threads");
  options.load_external_data = option<bool>(from, "load_external_data");
  options.allow_outside = option<bool>(from, "allow_outside");
  read_location(from, options.location);
  const nb::object callback = from.attr("raw_data_callback");
  if (!callback.is_none()) {
    options.raw_data_callback = [callback](TensorProto& tensor,
                                           GraphProto* graph) -> std::function<void()> {
      const nb::object returned = callback(
          object_of(tensor), graph != nullptr ? object_of(*graph) : nb::object(nb::none()));
      return python_deleter(returned, "what raw_data_callback returns");
    };
  }
  return options;
}

}  // namespace nocopy::onnx
