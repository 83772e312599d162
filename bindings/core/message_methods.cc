#include "bindings/core/message_methods.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>

#include "bindings/core/classes.h"
#include "bindings/core/held_buffer.h"
#include "bindings/core/options.h"
#include "bindings/memory/unlocked.h"
#include "memory/pages.h"
#include "onnx/serialize.h"

// The methods of messages: presence, copies, bytes. Signatures and exceptions are protobuf's.
namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

// Inputs from here on are read without the interpreter's lock.
constexpr std::size_t kUnlockFrom = 64 * 1024;

std::string_view utf8(PyObject* name) noexcept {
  if (PyBytes_Check(name)) {
    return {PyBytes_AS_STRING(name), static_cast<std::size_t>(PyBytes_GET_SIZE(name))};
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &size) : nullptr;
  if (text == nullptr && PyErr_Occurred() == nullptr) {
    PyErr_Format(PyExc_ValueError, "Expected a field name, but got non-string argument %R.", name);
  }
  return {text, static_cast<std::size_t>(size)};
}

PyObject* fail_no_field(const MessageSchema& schema, PyObject* name) noexcept {
  if (PyErr_Occurred() == nullptr) {
    PyErr_Format(PyExc_ValueError, "Protocol message %s has no \"%S\" field.", schema.name.data(),
                 name);
  }
  return nullptr;
}

// The index of the oneof of that name, or -1.
int find_oneof(const MessageSchema& schema, std::string_view name) noexcept {
  for (std::size_t i = 0; i < schema.oneofs.size(); ++i) {
    if (schema.oneofs[i] == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

PyObject* has_field(PyObject* self, PyObject* name) {
  const Message& message = *as_message(self)->message;
  const std::string_view text = utf8(name);
  if (text.data() == nullptr) {
    return nullptr;
  }
  const FieldSchema* field = message.schema().find(text);
  if (field != nullptr && !field->repeated()) {
    return PyBool_FromLong(message.has(*field));
  }
  if (field != nullptr) {
    PyErr_Format(PyExc_ValueError, "Field %s.%s does not have presence.",
                 message.schema().full_name.data(), field->name.data());
    return nullptr;
  }
  const int oneof = find_oneof(message.schema(), text);
  if (oneof < 0) {
    return fail_no_field(message.schema(), name);
  }
  return PyBool_FromLong(message.which(static_cast<std::size_t>(oneof)) != nullptr);
}

PyObject* which_oneof(PyObject* self, PyObject* name) {
  const Message& message = *as_message(self)->message;
  const std::string_view text = utf8(name);
  const int oneof = text.data() != nullptr ? find_oneof(message.schema(), text) : -1;
  if (oneof < 0) {
    return fail_no_field(message.schema(), name);
  }
  const FieldSchema* field = message.which(static_cast<std::size_t>(oneof));
  if (field == nullptr) {
    Py_RETURN_NONE;
  }
  return PyUnicode_FromStringAndSize(field->name.data(),
                                     static_cast<Py_ssize_t>(field->name.size()));
}

PyObject* clear_field(PyObject* self, PyObject* name) {
  MessageObject* object = as_message(self);
  const MessageSchema& schema = object->message->schema();
  const std::string_view text = utf8(name);
  if (text.data() == nullptr) {
    return nullptr;
  }
  const FieldSchema* field = schema.find(text);
  if (field == nullptr) {
    const int oneof = find_oneof(schema, text);
    if (oneof < 0) {
      return fail_no_field(schema, name);
    }
    field = object->message->which(static_cast<std::size_t>(oneof));
  }
  attach(object);
  if (field != nullptr) {
    detach_children(object, field);
    object->message->clear(*field);
  }
  Py_RETURN_NONE;
}

PyObject* clear(PyObject* self, PyObject* /*none*/) {
  MessageObject* object = as_message(self);
  attach(object);
  detach_children(object, nullptr);
  object->message->Clear();
  Py_RETURN_NONE;
}

PyObject* set_in_parent(PyObject* self, PyObject* /*none*/) {
  attach(as_message(self));
  Py_RETURN_NONE;
}

bool check_same_class(PyObject* self, PyObject* other, const char* method) noexcept {
  if (Py_TYPE(self) == Py_TYPE(other)) {
    return true;
  }
  PyErr_Format(PyExc_TypeError,
               "Parameter to %s() must be instance of same class: expected %R got %R.", method,
               as_object(Py_TYPE(self)), as_object(Py_TYPE(other)));
  return false;
}

PyObject* copy_from(PyObject* self, PyObject* other) {
  if (!check_same_class(self, other, "CopyFrom")) {
    return nullptr;
  }
  if (self == other) {
    Py_RETURN_NONE;
  }
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    MessageObject* object = as_message(self);
    attach(object);
    // As in protobuf, who holds an element list keeps the old one only if there was something in
    // it.
    for (const FieldSchema& field : object->message->schema().fields) {
      if (object->message->has(field)) {
        detach_children(object, &field);
      }
    }
    object->message->CopyFrom(*as_message(other)->message);
    follow_children(object);
    return Py_NewRef(Py_None);
  });
}

PyObject* merge_from(PyObject* self, PyObject* other) {
  if (!check_same_class(self, other, "MergeFrom")) {
    return nullptr;
  }
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    MessageObject* object = as_message(self);
    // Before it becomes a part of its owner, which may be a part of the other.
    object->message->MergeFrom(*as_message(other)->message);
    attach(object);
    follow_children(object);
    return Py_NewRef(Py_None);
  });
}

PyObject* discard_unknown_fields(PyObject* self, PyObject* /*none*/) {
  attach(as_message(self));  // as all methods of protobuf's that may change something
  as_message(self)->message->DiscardUnknownFields();
  Py_RETURN_NONE;
}

// The arguments of a method that reads bytes: (bytes, options=None).
struct ToParse {
  std::shared_ptr<HeldBuffer> buffer;
  ParseOptions options;

  ToParse(const char* method, PyObject* const* arguments, Py_ssize_t positional,
          PyObject* keywords) {
    PyObject* given = positional == 2 ? arguments[1] : Py_None;
    const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
    const bool by_name = named == 1 && PyUnicode_CompareWithASCIIString(
                                           PyTuple_GET_ITEM(keywords, 0), "options") == 0;
    if (positional < 1 || positional + named > 2 || (named != 0 && !by_name)) {
      PyErr_Format(PyExc_TypeError, "%s() takes the arguments (bytes, options=None)", method);
      throw nb::python_error();
    }
    if (by_name) {
      given = arguments[1];
    }
    buffer = std::make_shared<HeldBuffer>(arguments[0]);
    if (given != Py_None) {
      options = parse_options(given);
    }
    if (options.no_copy) {
      options.owner = buffer;
    }
  }

  // Whether to read without the interpreter's lock, into a message that nobody else has.
  [[nodiscard]] bool unlocked() const noexcept {
    return buffer->bytes().size() >= kUnlockFrom && !options.raw_data_callback;
  }
  void parse_into(Message& message) const { message.MergeFromString(buffer->bytes(), options); }
  [[nodiscard]] PyObject* size() const noexcept {
    return PyLong_FromSize_t(buffer->bytes().size());
  }
};

// A message that nobody else has, until a callback shows it to someone.
AnyMessageRef parse_new(const MessageSchema& schema, const ToParse& to_parse) {
  AnyMessageRef made(schema.create(nullptr));
  if (to_parse.unlocked()) {
    const Unlocked unlocked;
    to_parse.parse_into(*made.get());
  } else {
    to_parse.parse_into(*made.get());
  }
  return made;
}

PyObject* parse_from_string(PyObject* self, PyObject* const* arguments, Py_ssize_t positional,
                            PyObject* keywords) {
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const ToParse to_parse("ParseFromString", arguments, positional, keywords);
    MessageObject* object = as_message(self);
    attach(object);
    detach_children(object, nullptr);
    object->message->Clear();
    if (!to_parse.options.raw_data_callback) {
      const AnyMessageRef made = parse_new(object->message->schema(), to_parse);
      object->message->swap_contents(*made.get());
      return to_parse.size();
    }
    // In place: a callback is given parts of this message, or this message itself.
    try {
      to_parse.parse_into(*object->message);
    } catch (...) {
      detach_children(object, nullptr);
      object->message->Clear();
      throw;
    }
    follow_children(object);
    return to_parse.size();
  });
}

PyObject* merge_from_string(PyObject* self, PyObject* const* arguments, Py_ssize_t positional,
                            PyObject* keywords) {
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const ToParse to_parse("MergeFromString", arguments, positional, keywords);
    MessageObject* object = as_message(self);
    attach(object);
    try {
      to_parse.parse_into(*object->message);
    } catch (...) {
      follow_children(object);
      throw;
    }
    follow_children(object);
    return to_parse.size();
  });
}

PyObject* from_string(PyObject* type, PyObject* const* arguments, Py_ssize_t positional,
                      PyObject* keywords) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    const MessageSchema* schema = schema_of(reinterpret_cast<PyTypeObject*>(type));
    if (schema == nullptr) {
      return nullptr;
    }
    const ToParse to_parse("FromString", arguments, positional, keywords);
    return wrap(parse_new(*schema, to_parse).get());
  });
}

PyObject* serialize(PyObject* self, PyObject* positional, PyObject* keywords) {
  // Writing is deterministic always; the argument is there for those who ask for it.
  static const char* names[] = {"deterministic", "options", nullptr};
  PyObject* deterministic = nullptr;
  PyObject* options = Py_None;
  if (!PyArg_ParseTupleAndKeywords(positional, keywords, "|OO", const_cast<char**>(names),
                                   &deterministic, &options)) {
    return nullptr;
  }
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    if (options != Py_None) {
      check_for_bytes(serialize_options(options));
    }
    const Serialized serialized(*as_message(self)->message);
    PyObject* bytes =
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(serialized.size()));
    if (bytes != nullptr) {
      populate_pages(PyBytes_AS_STRING(bytes), serialized.size());
      serialized.write(reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(bytes)));
    }
    return bytes;
  });
}

PyObject* byte_size(PyObject* self, PyObject* /*none*/) {
  return guarded(static_cast<PyObject*>(nullptr),
                 [&] { return PyLong_FromSize_t(as_message(self)->message->ByteSize()); });
}

PyObject* is_initialized(PyObject* /*self*/, PyObject* const* /*errors*/, Py_ssize_t /*count*/) {
  Py_RETURN_TRUE;  // no field of ONNX is required
}

PyObject* find_initialization_errors(PyObject* /*self*/, PyObject* /*none*/) {
  return PyList_New(0);
}

PyObject* field_value(MessageObject* object, const FieldSchema& field) noexcept {
  return PyObject_GetAttrString(as_object(object), field.name.data());
}

PyObject* list_fields(PyObject* self, PyObject* /*none*/) {
  MessageObject* object = as_message(self);
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const nb::object by_name = nb::borrow(self).attr("DESCRIPTOR").attr("fields_by_name");
    nb::list fields;
    for (const FieldSchema& field : object->message->schema().fields) {
      if (object->message->has(field)) {
        const nb::object value = nb::steal(field_value(object, field));
        if (!value.is_valid()) {
          throw nb::python_error();
        }
        fields.append(nb::make_tuple(by_name[field.name.data()], value));
      }
    }
    return fields.release().ptr();
  });
}

PyObject* copy(PyObject* self, PyObject* /*memo*/) {
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const Message& message = *as_message(self)->message;
    AnyMessageRef made(message.schema().create(nullptr));
    made.get()->CopyFrom(message);
    made.get()->retain();
    return wrap_new(made.get());
  });
}

PyObject* reduce(PyObject* self, PyObject* /*none*/) {
  PyObject* bytes = PyObject_CallMethod(self, "SerializePartialToString", nullptr);
  if (bytes == nullptr) {
    return nullptr;
  }
  return Py_BuildValue("O(){sN}", as_object(Py_TYPE(self)), "serialized", bytes);
}

PyObject* get_state(PyObject* self, PyObject* /*none*/) {
  PyObject* bytes = PyObject_CallMethod(self, "SerializePartialToString", nullptr);
  return bytes != nullptr ? Py_BuildValue("{sN}", "serialized", bytes) : nullptr;
}

PyObject* set_state(PyObject* self, PyObject* state) {
  PyObject* bytes = PyDict_Check(state) ? PyDict_GetItemString(state, "serialized") : nullptr;
  if (bytes == nullptr) {
    PyErr_SetString(PyExc_TypeError, "expected a dict with the key 'serialized'");
    return nullptr;
  }
  PyObject* size = parse_from_string(self, &bytes, 1, nullptr);
  if (size == nullptr) {
    return nullptr;
  }
  Py_DECREF(size);
  Py_RETURN_NONE;
}

}  // namespace

int message_contains(PyObject* self, PyObject* name) {
  PyObject* has = has_field(self, name);
  Py_XDECREF(has);  // True and False stay
  return has == nullptr ? -1 : has == Py_True;
}

PyMethodDef* message_methods() noexcept {
  static PyMethodDef methods[] = {
      {"HasField", has_field, METH_O, "HasField(name)\n--\n\nWhether a field or a oneof is set."},
      {"WhichOneof", which_oneof, METH_O,
       "WhichOneof(name)\n--\n\nThe name of the oneof's member that is set, or None."},
      {"ClearField", clear_field, METH_O,
       "ClearField(name)\n--\n\nClears a field, or what is set of a oneof."},
      {"Clear", clear, METH_NOARGS, "Clear()\n--\n\nClears all fields."},
      {"SetInParent", set_in_parent, METH_NOARGS,
       "SetInParent()\n--\n\nMakes an unset submessage set, with nothing in it."},
      {"CopyFrom", copy_from, METH_O,
       "CopyFrom(other)\n--\n\nReplaces all fields by copies of another message's."},
      {"MergeFrom", merge_from, METH_O,
       "MergeFrom(other)\n--\n\nAdds copies of another message's fields."},
      {"DiscardUnknownFields", discard_unknown_fields, METH_NOARGS,
       "DiscardUnknownFields()\n--\n\nDrops unknown fields here and in all submessages."},
      {"ParseFromString", as_function(parse_from_string), METH_FASTCALL | METH_KEYWORDS,
       "ParseFromString(bytes, options=None)\n--\n\nReplaces all fields by what the bytes say. "
       "Copies, unless the options\nsay no_copy: then raw data is borrowed and the message holds "
       "the bytes. After an error the\nmessage is empty. Returns the number of bytes. Raises "
       "DecodeError."},
      {"MergeFromString", as_function(merge_from_string), METH_FASTCALL | METH_KEYWORDS,
       "MergeFromString(bytes, options=None)\n--\n\nAdds what the bytes say; see "
       "ParseFromString. After an error what was read\nup to there is added. Returns the number of "
       "bytes."},
      {"FromString", as_function(from_string), METH_FASTCALL | METH_KEYWORDS | METH_CLASS,
       "FromString(bytes, options=None)\n--\n\nA new message from bytes; see ParseFromString."},
      {"SerializeToString", as_function(serialize), METH_VARARGS | METH_KEYWORDS,
       "SerializeToString(deterministic=None, options=None)\n--\n\nThe message as bytes."},
      {"SerializePartialToString", as_function(serialize), METH_VARARGS | METH_KEYWORDS,
       "SerializePartialToString(deterministic=None, options=None)\n--\n\nThe message as bytes."},
      {"ByteSize", byte_size, METH_NOARGS, "ByteSize()\n--\n\nThe size of the message as bytes."},
      {"IsInitialized", as_function(is_initialized), METH_FASTCALL,
       "IsInitialized(errors=None)\n--\n\nTrue: no field of ONNX is required."},
      {"FindInitializationErrors", find_initialization_errors, METH_NOARGS,
       "FindInitializationErrors()\n--\n\nAn empty list: no field of ONNX is required."},
      {"ListFields", list_fields, METH_NOARGS,
       "ListFields()\n--\n\nPairs of descriptor and value of the fields that are set, by number."},
      {"__copy__", copy, METH_NOARGS, nullptr},
      {"__deepcopy__", copy, METH_O, nullptr},
      {"__reduce__", reduce, METH_NOARGS, nullptr},
      {"__getstate__", get_state, METH_NOARGS, nullptr},
      {"__setstate__", set_state, METH_O, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  return methods;
}

}  // namespace nocopy::onnx
