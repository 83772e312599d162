#include "bindings/memory/errors.h"

#include <system_error>

#include "bindings/memory/python.h"

namespace nocopy {
namespace {

const char* class_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kLayout:
      return "LayoutError";
    case ErrorKind::kDType:
      return "DTypeError";
    case ErrorKind::kShape:
      return "ShapeError";
    case ErrorKind::kDevice:
      return "DeviceError";
    case ErrorKind::kIncompleteInputs:
      return "IncompleteInputsError";
    case ErrorKind::kMethodBusy:
      return "MethodBusyError";
    case ErrorKind::kProgram:
      return "ProgramError";
    case ErrorKind::kDecode:
      return "DecodeError";
    case ErrorKind::kExternalData:
      return "ExternalDataError";
    case ErrorKind::kGeneric:
      break;
  }
  return "NocopyError";
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise_error(error);
  } catch (const std::system_error& error) {
    raise_error(error);
  }
}

}  // namespace

void raise_error(const Error& error) noexcept {
  PyObject* module = PyImport_ImportModule("nocopy.errors");
  if (module == nullptr) {
    return;  // with the import's own exception set
  }
  PyObject* type = PyObject_GetAttrString(module, class_name(error.kind()));
  if (type != nullptr) {
    // Decoded leniently: a message may quote bytes of a damaged file.
    PyObject* text = PyUnicode_DecodeUTF8(
        error.what(), static_cast<Py_ssize_t>(std::string_view(error.what()).size()),
        "backslashreplace");
    if (text != nullptr) {
      PyErr_SetObject(type, text);
      Py_DECREF(text);
    }
    Py_DECREF(type);
  }
  Py_DECREF(module);
}

void raise_error(const std::system_error& error) noexcept {
  // OSError picks its subclass (FileNotFoundError, PermissionError) by the number. The message
  // quotes a file's name, whose bytes need not be UTF-8.
  PyObject* arguments =
      Py_BuildValue("(iN)", error.code().value(), PyUnicode_DecodeFSDefault(error.what()));
  if (arguments != nullptr) {
    PyErr_SetObject(PyExc_OSError, arguments);
    Py_DECREF(arguments);
  }
}

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace nocopy
