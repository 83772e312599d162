#include <limits>

#include "bindings/core/classes.h"
#include "onnx/fields.h"

// Values between Python and messages, with the checks and the exceptions of protobuf's classes.
namespace nocopy::onnx {
namespace {

bool fail_range(PyObject* value) noexcept {
  PyErr_Format(PyExc_ValueError, "Value out of range: %S", value);
  return false;
}

template <typename T>
bool to_integer(const FieldSchema& field, PyObject* value, T* number) noexcept {
  if (PyBool_Check(value)) {
    PyErr_Format(PyExc_TypeError, "Field %s: Expected an int, got a boolean.", field.name.data());
    return false;
  }
  PyObject* index = PyLong_Check(value) ? Py_NewRef(value) : PyNumber_Index(value);
  if (index == nullptr) {
    return false;
  }
  bool fits = false;
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    *number = PyLong_AsUnsignedLongLong(index);
    fits = *number != std::numeric_limits<std::uint64_t>::max() || PyErr_Occurred() == nullptr;
    if (!fits) {
      PyErr_Clear();
    }
  } else {
    int overflow = 0;
    const long long wide = PyLong_AsLongLongAndOverflow(index, &overflow);
    fits = overflow == 0 && wide >= std::numeric_limits<T>::min() &&
           wide <= std::numeric_limits<T>::max();
    *number = static_cast<T>(wide);
  }
  Py_DECREF(index);
  return fits || fail_range(value);
}

bool to_enum(const FieldSchema& field, PyObject* value, std::int32_t* number) noexcept {
  if (PyUnicode_Check(value)) {
    Py_ssize_t size = 0;
    const char* name = PyUnicode_AsUTF8AndSize(value, &size);
    if (name == nullptr) {
      return false;
    }
    const EnumValue* known =
        field.enumeration->find(std::string_view(name, static_cast<std::size_t>(size)));
    if (known == nullptr) {
      PyErr_Format(PyExc_ValueError, "unknown enum label \"%s\"", name);
      return false;
    }
    *number = known->number;
    return true;
  }
  if (!to_integer(field, value, number)) {
    return false;
  }
  if (field.enumeration->find(*number) == nullptr) {
    PyErr_Format(PyExc_ValueError, "invalid enumerator %d", static_cast<int>(*number));
    return false;
  }
  return true;
}

}  // namespace

PyObject* fail_expected_bytes(PyObject* value) noexcept {
  PyErr_Format(PyExc_TypeError, "expected bytes, %s found", Py_TYPE(value)->tp_name);
  return nullptr;
}

PyObject* text_to_python(const FieldSchema& field, std::string_view text) noexcept {
  const auto size = static_cast<Py_ssize_t>(text.size());
  if (field.kind == Kind::kString) {
    return PyUnicode_DecodeUTF8(text.data(), size, nullptr);
  }
  return PyBytes_FromStringAndSize(text.data(), size);
}

PyObject* number_to_python(Kind kind, const void* number) noexcept {
  switch (kind) {
    case Kind::kInt64:
      return PyLong_FromLongLong(*static_cast<const std::int64_t*>(number));
    case Kind::kUint64:
      return PyLong_FromUnsignedLongLong(*static_cast<const std::uint64_t*>(number));
    case Kind::kFloat:
      return PyFloat_FromDouble(static_cast<double>(*static_cast<const float*>(number)));
    case Kind::kDouble:
      return PyFloat_FromDouble(*static_cast<const double*>(number));
    default:
      return PyLong_FromLong(*static_cast<const std::int32_t*>(number));
  }
}

bool python_to_number(const FieldSchema& field, PyObject* value, void* number) noexcept {
  switch (field.kind) {
    case Kind::kInt32:
      return to_integer(field, value, static_cast<std::int32_t*>(number));
    case Kind::kInt64:
      return to_integer(field, value, static_cast<std::int64_t*>(number));
    case Kind::kUint64:
      return to_integer(field, value, static_cast<std::uint64_t*>(number));
    case Kind::kEnum:
      return to_enum(field, value, static_cast<std::int32_t*>(number));
    default:
      break;
  }
  if (std::string_view(Py_TYPE(value)->tp_name) == "numpy.ndarray") {
    // Also where it has one element, which numpy would make a number of.
    PyErr_Format(PyExc_TypeError, "field %s: expected a float, numpy.ndarray found",
                 field.name.data());
    return false;
  }
  const double wide = PyFloat_AsDouble(value);
  if (wide == -1.0 && PyErr_Occurred() != nullptr) {
    return false;
  }
  if (field.kind == Kind::kDouble) {
    *static_cast<double*>(number) = wide;
  } else {
    *static_cast<float*>(number) = static_cast<float>(wide);  // infinite where it does not fit
  }
  return true;
}

bool python_to_text(const FieldSchema& field, PyObject* value, String* text) noexcept {
  return guarded(false, [&] {
    if (field.kind == Kind::kString && PyUnicode_Check(value)) {
      Py_ssize_t size = 0;
      const char* utf8 = PyUnicode_AsUTF8AndSize(value, &size);
      if (utf8 == nullptr) {
        return false;
      }
      text->assign({utf8, static_cast<std::size_t>(size)});
      return true;
    }
    if (!PyBytes_Check(value)) {
      if (field.kind == Kind::kString) {
        PyErr_Format(PyExc_TypeError, "field %s: expected str or bytes, %s found",
                     field.name.data(), Py_TYPE(value)->tp_name);
      } else {
        fail_expected_bytes(value);
      }
      return false;
    }
    const std::string_view bytes(PyBytes_AS_STRING(value),
                                 static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
    if (field.kind == Kind::kString) {
      // Decoding is the check, and its exception is the one to raise.
      PyObject* decoded = PyUnicode_DecodeUTF8(bytes.data(), PyBytes_GET_SIZE(value), nullptr);
      if (decoded == nullptr) {
        return false;
      }
      Py_DECREF(decoded);
    }
    text->assign(bytes);
    return true;
  });
}

bool set_value(MessageObject* object, const FieldSchema& field, PyObject* value) noexcept {
  // The value is read in full before anything changes.
  if (is_number(field.kind)) {
    return visit_number(field.kind, [&]<typename T>(std::type_identity<T>) {
      T number{};
      if (!python_to_number(field, value, &number)) {
        return false;
      }
      attach(object);
      object->message->set_number(field, number);
      return true;
    });
  }
  if (field.kind == Kind::kPayload) {
    if (!PyBytes_Check(value)) {
      fail_expected_bytes(value);
      return false;
    }
    return guarded(false, [&] {
      attach(object);
      object->message->member<ByteSpan>(field).assign(
          PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
      return true;
    });
  }
  String text;
  if (!python_to_text(field, value, &text)) {
    return false;
  }
  attach(object);
  if (field.oneof >= 0) {
    object->message->clear_other_members(field);
  }
  object->message->member<String>(field).swap(text);
  return true;
}

}  // namespace nocopy::onnx
