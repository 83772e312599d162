#include "onnx/text_format.h"

#include <string>
#include <string_view>

#include "bindings/core/classes.h"
#include "bindings/core/text_format.h"
#include "bindings/memory/guarded.h"

// Messages to text and back.
namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

PyObject* to_str(std::string_view text) noexcept {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

// Raises the class of errors that lies in Python, which has the line and the column.
[[noreturn]] void raise_text_error(const TextError& error) {
  const nb::object type = nb::module_::import_("nocopy.onnx.text_format").attr("ParseError");
  const std::string_view what(error.what());
  const nb::object message =
      nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace"));
  PyErr_SetObject(type.ptr(), type(message, error.line(), error.column()).ptr());
  throw nb::python_error();
}

// The text of a str, or bytes as they are.
std::string_view text_of(nb::handle text) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(text.ptr())) {
    const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 == nullptr) {
      throw nb::python_error();
    }
    return {utf8, static_cast<std::size_t>(size)};
  }
  if (PyBytes_Check(text.ptr())) {
    return {PyBytes_AS_STRING(text.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr()))};
  }
  PyErr_Format(PyExc_TypeError, "the text must be str or bytes, not %s",
               Py_TYPE(text.ptr())->tp_name);
  throw nb::python_error();
}

void parse(nb::handle text, nb::handle message, bool allow_repeats, bool allow_unknown_field,
           bool allow_field_number, int max_recursion_depth) {
  static_cast<void>(message_of(message));  // or TypeError
  MessageObject* object = as_message(message.ptr());
  TextParseOptions options;
  options.allow_repeats = allow_repeats;
  options.allow_unknown_field = allow_unknown_field;
  options.allow_field_number = allow_field_number;
  options.max_recursion_depth = max_recursion_depth;
  const std::string_view bytes = text_of(text);
  attach(object);
  try {
    parse_text(*object->message, bytes, options);
  } catch (const TextError& error) {
    follow_children(object);
    raise_text_error(error);
  } catch (...) {
    follow_children(object);
    throw;
  }
  follow_children(object);
}

nb::object print(nb::handle message, bool as_utf8, bool as_one_line,
                 bool use_short_repeated_primitives, bool pointy_brackets, bool use_index_order,
                 bool use_field_number, int indent, bool print_unknown_fields, bool force_colon) {
  TextPrintOptions options;
  options.numbers = TextPrintOptions::Numbers::kPython;
  options.as_utf8 = as_utf8;
  options.as_one_line = as_one_line;
  options.use_short_repeated_primitives = use_short_repeated_primitives;
  options.pointy_brackets = pointy_brackets;
  options.use_index_order = use_index_order;
  options.use_field_number = use_field_number;
  options.indent = indent;
  options.print_unknown_fields = print_unknown_fields;
  options.force_colon = force_colon;
  const nb::object text = nb::steal(to_str(print_text(message_of(message), options)));
  if (!text.is_valid()) {
    throw nb::python_error();
  }
  return text;
}

}  // namespace

PyObject* message_to_str(PyObject* self) noexcept {
  return guarded(static_cast<PyObject*>(nullptr),
                 [&] { return to_str(print_text(*as_message(self)->message)); });
}

void bind_text_format(nb::module_& m) {
  m.def("print_text", &print, nb::arg("message"), nb::arg("as_utf8"), nb::arg("as_one_line"),
        nb::arg("use_short_repeated_primitives"), nb::arg("pointy_brackets"),
        nb::arg("use_index_order"), nb::arg("use_field_number"), nb::arg("indent"),
        nb::arg("print_unknown_fields"), nb::arg("force_colon"));
  m.def("parse_text", &parse, nb::arg("text"), nb::arg("message"), nb::arg("allow_repeats"),
        nb::arg("allow_unknown_field"), nb::arg("allow_field_number"),
        nb::arg("max_recursion_depth"));
}

}  // namespace nocopy::onnx
