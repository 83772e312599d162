#include "bindings/core/classes.h"
#include "onnx/fields.h"

// Messages from keywords, and what a constructor takes for each kind of field.
namespace nocopy::onnx {
namespace {

bool set_submessage(MessageObject* object, const FieldSchema& field, PyObject* value) noexcept {
  PyObject* child = submessage_object(object, field);
  if (child == nullptr) {
    return false;
  }
  bool done = false;
  if (PyDict_Check(value)) {
    attach(as_message(child));
    done = set_fields(as_message(child), value);
  } else if (Py_TYPE(value) == class_of(*field.message)) {
    done = guarded(false, [&] {
      attach(as_message(child));
      as_message(child)->message->MergeFrom(*as_message(value)->message);
      follow_children(as_message(child));
      return true;
    });
  } else {
    PyErr_Format(PyExc_TypeError,
                 "Parameter to initialize message field must be dict or instance of same class: "
                 "expected %R got %R.",
                 as_object(class_of(*field.message)), as_object(Py_TYPE(value)));
  }
  Py_DECREF(child);
  return done;
}

bool set_field(MessageObject* object, const FieldSchema& field, PyObject* value) noexcept {
  if (value == Py_None) {
    return true;
  }
  if (field.repeated()) {
    PyObject* list = repeated_object(object, field);
    if (list == nullptr) {
      return false;
    }
    const bool done = extend(as_repeated(list), value);
    Py_DECREF(list);
    return done;
  }
  return field.kind == Kind::kMessage ? set_submessage(object, field, value)
                                      : set_value(object, field, value);
}

}  // namespace

bool set_fields(MessageObject* object, PyObject* keywords) noexcept {
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  if (Py_EnterRecursiveCall(" while setting the fields of a message") != 0) {
    return false;
  }
  bool done = true;
  while (done && PyDict_Next(keywords, &at, &name, &value)) {
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &size) : nullptr;
    if (utf8 == nullptr) {
      if (PyErr_Occurred() == nullptr) {
        PyErr_SetString(PyExc_TypeError, "the names of fields must be strings");
      }
      done = false;
      break;
    }
    const MessageSchema& schema = object->message->schema();
    const FieldSchema* field = schema.find(std::string_view(utf8, static_cast<std::size_t>(size)));
    if (field == nullptr) {
      PyErr_Format(PyExc_ValueError, "Protocol message %s has no \"%s\" field.", schema.name.data(),
                   utf8);
      done = false;
      break;
    }
    // Setting a field may run code that changes the dictionary.
    Py_INCREF(value);
    done = set_field(object, *field, value);
    Py_DECREF(value);
  }
  Py_LeaveRecursiveCall();
  return done;
}

}  // namespace nocopy::onnx
