#include "bindings/core/parse_options.h"

#include <functional>

#include "bindings/core/message_object.h"
#include "bindings/core/python_deleter.h"
#include "onnx/messages.h"

namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

nb::object object_of(Message& message) {
  nb::object object = nb::steal(wrap(&message));
  if (!object.is_valid()) {
    throw nb::python_error();
  }
  return object;
}

std::size_t size_of(nb::handle options, const char* name) {
  return nb::cast<std::size_t>(options.attr(name));
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

ParseOptions parse_options(nb::handle options) {
  ParseOptions result;
  if (options.is_none()) {
    return result;
  }
  const nb::object type = nb::module_::import_("nocopy.onnx._options").attr("ParseOptions");
  if (!nb::isinstance(options, type)) {
    PyErr_Format(PyExc_TypeError, "options must be a nocopy.onnx.ParseOptions or None, not %R",
                 options.ptr());
    throw nb::python_error();
  }
  result.raw_data_threshold = size_of(options, "raw_data_threshold");
  result.alignment = size_of(options, "alignment");
  result.no_copy = nb::cast<bool>(options.attr("no_copy"));
  result.num_threads = nb::cast<int>(options.attr("num_threads"));
  result.load_external_data = nb::cast<bool>(options.attr("load_external_data"));
  result.allow_outside = nb::cast<bool>(options.attr("allow_outside"));
  const nb::object location = options.attr("location");
  if (!location.is_none()) {
    result.location = to_path(location);
  }
  const nb::object callback = options.attr("raw_data_callback");
  if (!callback.is_none()) {
    result.raw_data_callback = [callback](TensorProto& tensor,
                                          GraphProto* graph) -> std::function<void()> {
      const nb::object returned = callback(
          object_of(tensor), graph != nullptr ? object_of(*graph) : nb::object(nb::none()));
      return python_deleter(returned, "what raw_data_callback returns");
    };
  }
  return result;
}

}  // namespace nocopy::onnx
