#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "bindings/core/classes.h"
#include "bindings/core/message_methods.h"
#include "bindings/core/tensor_methods.h"
#include "bindings/core/text_format.h"
#include "bindings/memory/python.h"
#include "onnx/messages.h"
#include "onnx/tensor_view.h"

// The class of each message: its fields as attributes, and how its objects begin and end.
namespace nocopy::onnx {
namespace {

constexpr std::size_t kMostClasses = 64;
// Strong references, held for as long as the process runs.
std::array<PyTypeObject*, kMostClasses> classes{};
PyTypeObject* base_class = nullptr;
PyTypeObject* repeated_classes[2] = {};

const FieldSchema& field_of(void* closure) noexcept {
  return *static_cast<const FieldSchema*>(closure);
}

PyObject* get_text(PyObject* self, void* closure) {
  const FieldSchema& field = field_of(closure);
  return text_to_python(field, as_message(self)->message->member<String>(field).view());
}

PyObject* get_payload(PyObject* self, void* closure) {
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const Message& message = *as_message(self)->message;
    const auto& bytes = message.member<ByteSpan>(field_of(closure));
    if (bytes.is_borrowed() && &message.schema() == &TensorProto::kSchema) {
      check_raw_data_is_there(static_cast<const TensorProto&>(message));
    }
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()),
                                     static_cast<Py_ssize_t>(bytes.size()));
  });
}

PyObject* get_number(PyObject* self, void* closure) {
  const FieldSchema& field = field_of(closure);
  return number_to_python(field.kind, &as_message(self)->message->member<std::byte>(field));
}

PyObject* get_message(PyObject* self, void* closure) {
  return submessage_object(as_message(self), field_of(closure));
}

PyObject* get_repeated(PyObject* self, void* closure) {
  return repeated_object(as_message(self), field_of(closure));
}

int set(PyObject* self, PyObject* value, void* closure) {
  const FieldSchema& field = field_of(closure);
  if (field.repeated() || field.kind == Kind::kMessage || value == nullptr) {
    PyErr_Format(PyExc_AttributeError,
                 value == nullptr
                     ? "a field cannot be deleted; clear it with ClearField(\"%s\") (of %s)"
                     : "Assignment not allowed to message, map, or repeated field \"%s\" in "
                       "protocol message object of class %s; use CopyFrom() or extend()",
                 field.name.data(), Py_TYPE(self)->tp_name);
    return -1;
  }
  return set_value(as_message(self), field, value) ? 0 : -1;
}

getter getter_of(const FieldSchema& field) noexcept {
  if (field.repeated()) {
    return get_repeated;
  }
  switch (field.kind) {
    case Kind::kMessage:
      return get_message;
    case Kind::kString:
    case Kind::kBytes:
      return get_text;
    case Kind::kPayload:
      return get_payload;
    default:
      return get_number;
  }
}

// tp_new has no room for what class it makes, so each class has its own.
template <std::size_t Index>
PyObject* new_message(PyTypeObject* /*type*/, PyObject* /*positional*/, PyObject* /*keywords*/) {
  return guarded(static_cast<PyObject*>(nullptr),
                 [] { return wrap_new(all_messages()[Index]->create(nullptr)); });
}

template <std::size_t... Index>
constexpr std::array<newfunc, sizeof...(Index)> all_new(std::index_sequence<Index...> /*all*/) {
  return {&new_message<Index>...};
}
constexpr auto kNew = all_new(std::make_index_sequence<kMostClasses>());

PyObject* no_new(PyTypeObject* type, PyObject* /*positional*/, PyObject* /*keywords*/) {
  PyErr_Format(PyExc_TypeError, "cannot create objects of %s; use the class of a message",
               type->tp_name);
  return nullptr;
}

int init(PyObject* self, PyObject* positional, PyObject* keywords) {
  if (PyTuple_GET_SIZE(positional) != 0) {
    PyErr_SetString(PyExc_TypeError, "No positional arguments allowed");
    return -1;
  }
  return keywords == nullptr || set_fields(as_message(self), keywords) ? 0 : -1;
}

void dealloc(PyObject* self) {
  MessageObject* object = as_message(self);
  // Children hold a reference to their owner, so there are none left.
  leave_owner(object);
  object->message->set_peer(nullptr);
  Message::release(object->message);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(as_object(type));
}

PyObject* compare(PyObject* self, PyObject* other, int how) {
  if (how != Py_EQ && how != Py_NE) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (!is_message(other) || Py_TYPE(self) != Py_TYPE(other)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const bool same = as_message(self)->message->Equals(*as_message(other)->message);
    return Py_NewRef(same == (how == Py_EQ) ? Py_True : Py_False);
  });
}

std::string qualified(const MessageSchema& schema) {
  return (schema.containing != nullptr ? qualified(*schema.containing) + "." : "") +
         std::string(schema.name);
}

}  // namespace

PyTypeObject* message_type() noexcept { return base_class; }
PyTypeObject* class_of(const MessageSchema& schema) noexcept { return classes[schema.index]; }
PyTypeObject* repeated_class(bool of_messages) noexcept {
  return repeated_classes[of_messages ? 1 : 0];
}

bool is_message(PyObject* object) noexcept {
  return base_class != nullptr && PyObject_TypeCheck(object, base_class) &&
         Py_TYPE(object) != base_class;
}

Message& message_of(nb::handle object, const MessageSchema* schema) {
  if (!is_message(object.ptr()) ||
      (schema != nullptr && &as_message(object.ptr())->message->schema() != schema)) {
    const std::string expected =
        schema != nullptr ? "nocopy.onnx." + qualified(*schema) : "message of nocopy.onnx";
    PyErr_Format(PyExc_TypeError, "expected a %s, not %s", expected.c_str(),
                 Py_TYPE(object.ptr())->tp_name);
    throw nb::python_error();
  }
  return *as_message(object.ptr())->message;
}

nb::object object_of(Message& message) {
  nb::object object = nb::steal(wrap(&message));
  if (!object.is_valid()) {
    throw nb::python_error();
  }
  return object;
}

bool is_repeated(PyObject* object) noexcept {
  return Py_TYPE(object) == repeated_classes[0] || Py_TYPE(object) == repeated_classes[1];
}

const MessageSchema* schema_of(PyTypeObject* type) noexcept {
  for (const MessageSchema* schema : all_messages()) {
    if (classes[schema->index] == type) {
      return schema;
    }
  }
  PyErr_Format(PyExc_TypeError, "%s is not the class of a message", type->tp_name);
  return nullptr;
}

PyTypeObject* make_message_type() {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("What the classes of all messages have in common.")},
      {Py_tp_methods, message_methods()},
      {Py_tp_new, reinterpret_cast<void*>(no_new)},
      {Py_tp_init, reinterpret_cast<void*>(init)},
      {Py_tp_str, reinterpret_cast<void*>(message_to_str)},
      {Py_tp_repr, reinterpret_cast<void*>(message_to_str)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
      {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
      {Py_sq_contains, reinterpret_cast<void*>(message_contains)},
      {0, nullptr}};
  static PyType_Spec spec{"nocopy.onnx.Message", sizeof(MessageObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  base_class = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  repeated_classes[0] = make_repeated_class(false);
  repeated_classes[1] = make_repeated_class(true);
  return repeated_classes[0] != nullptr && repeated_classes[1] != nullptr ? base_class : nullptr;
}

PyTypeObject* make_message_class(const MessageSchema& schema, PyTypeObject* base) {
  // What a type's attributes are made from must stay for as long as the type does: for good.
  static std::deque<std::vector<PyGetSetDef>> kept;
  static std::deque<std::string> names;
  std::vector<PyGetSetDef>& attributes = kept.emplace_back();
  for (const FieldSchema& field : schema.fields) {
    attributes.push_back(
        {field.name.data(), getter_of(field), set, nullptr, const_cast<FieldSchema*>(&field)});
  }
  const bool is_tensor = &schema == &TensorProto::kSchema;
  if (is_tensor) {
    attributes.push_back(tensor_is_aligned);
  }
  attributes.push_back({});
  const std::string& name = names.emplace_back("nocopy.onnx." + qualified(schema));
  PyType_Slot slots[] = {{Py_tp_getset, attributes.data()},
                         {Py_tp_new, reinterpret_cast<void*>(kNew[schema.index])},
                         {is_tensor ? Py_tp_methods : 0, tensor_methods()},
                         {0, nullptr}};
  PyType_Spec spec{name.c_str(), sizeof(MessageObject), 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject* type = PyType_FromSpecWithBases(&spec, as_object(base));
  if (type == nullptr) {
    return nullptr;
  }
  // The name above is split at the last dot, which is not where a nested class's module ends.
  PyObject* module = PyUnicode_FromString("nocopy.onnx");
  PyObject* qualname = PyUnicode_FromString(qualified(schema).c_str());
  const bool named = module != nullptr && qualname != nullptr &&
                     PyObject_SetAttrString(type, "__module__", module) == 0 &&
                     PyObject_SetAttrString(type, "__qualname__", qualname) == 0;
  Py_XDECREF(module);
  Py_XDECREF(qualname);
  if (!named) {
    return nullptr;
  }
  classes[schema.index] = reinterpret_cast<PyTypeObject*>(type);
  return classes[schema.index];
}

}  // namespace nocopy::onnx
