#include <algorithm>
#include <vector>

#include "bindings/core/repeated_access.h"
#include "bindings/memory/python.h"

// What lists can do, for repeated fields.
namespace nocopy::onnx {
namespace {

bool insert(RepeatedObject* object, Py_ssize_t index, PyObject* value) noexcept;

PyObject* done(bool well) noexcept { return well ? Py_NewRef(Py_None) : nullptr; }

PyObject* append_method(PyObject* self, PyObject* value) {
  return done(append(as_repeated(self), value));
}

PyObject* extend_method(PyObject* self, PyObject* values) {
  return done(extend(as_repeated(self), values));
}

PyObject* insert_method(PyObject* self, PyObject* arguments) {
  Py_ssize_t index = 0;
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(arguments, "nO", &index, &value)) {
    return nullptr;
  }
  return done(insert(as_repeated(self), index, value));
}

PyObject* add(PyObject* self, PyObject* positional, PyObject* keywords) {
  if (PyTuple_GET_SIZE(positional) != 0) {
    PyErr_SetString(PyExc_TypeError, "No positional arguments allowed");
    return nullptr;
  }
  return add_message(as_repeated(self), keywords);
}

PyObject* pop(PyObject* self, PyObject* arguments) {
  Py_ssize_t index = -1;
  if (!PyArg_ParseTuple(arguments, "|n", &index)) {
    return nullptr;
  }
  RepeatedObject* object = as_repeated(self);
  const Py_ssize_t size = length_of(object);
  index = index < 0 ? index + size : index;
  if (index < 0 || index >= size) {
    PyErr_SetString(PyExc_IndexError, "list index out of range");
    return nullptr;
  }
  PyObject* value = element(object, index);
  if (value != nullptr) {
    attach_owner(object);
    erase(object, index, 1);
  }
  return value;
}

PyObject* remove(PyObject* self, PyObject* value) {
  PyObject* list = to_list(as_repeated(self));
  if (list == nullptr) {
    return nullptr;
  }
  const Py_ssize_t index = PySequence_Index(list, value);
  Py_DECREF(list);
  if (index < 0) {
    return nullptr;  // "sequence.index(x): x not in sequence"
  }
  RepeatedObject* object = as_repeated(self);
  if (index < length_of(object)) {
    attach_owner(object);
    erase(object, index, 1);
  }
  Py_RETURN_NONE;
}

PyObject* clear(PyObject* self, PyObject* /*none*/) {
  if (length_of(as_repeated(self)) == 0) {
    Py_RETURN_NONE;  // as in protobuf, an owner that is not set stays so
  }
  attach_owner(as_repeated(self));
  visit_elements(as_repeated(self), [](auto& values) { values.clear(); });
  Py_RETURN_NONE;
}

// Puts the elements in the order of a list of their own objects.
bool reorder(RepeatedObject* object, PyObject* list) noexcept {
  const Py_ssize_t size = PyList_GET_SIZE(list);
  if (size != length_of(object)) {
    PyErr_SetString(PyExc_ValueError, "list modified during sort");
    return false;
  }
  attach_owner(object);
  if (object->field->kind != Kind::kMessage) {
    erase(object, 0, size);
    return extend(object, list);
  }
  const ReleaseLater later;
  Message** messages = messages_of(object).data();
  for (Py_ssize_t i = 0; i < size; ++i) {
    as_message(PyList_GET_ITEM(list, i))->message->retain();
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    Message::release(messages[i]);
    messages[i] = as_message(PyList_GET_ITEM(list, i))->message;
  }
  return true;
}

PyObject* sort(PyObject* self, PyObject* positional, PyObject* keywords) {
  PyObject* list = to_list(as_repeated(self));
  if (list == nullptr) {
    return nullptr;
  }
  PyObject* method = PyObject_GetAttrString(list, "sort");
  PyObject* sorted = method != nullptr ? PyObject_Call(method, positional, keywords) : nullptr;
  const bool well = sorted != nullptr && (PyList_GET_SIZE(list) == 0 ||  // an unset owner stays so
                                          reorder(as_repeated(self), list));
  Py_XDECREF(sorted);
  Py_XDECREF(method);
  Py_DECREF(list);
  return done(well);
}

PyObject* reverse(PyObject* self, PyObject* /*none*/) {
  PyObject* list = to_list(as_repeated(self));
  if (list == nullptr) {
    return nullptr;
  }
  const bool well = PyList_Reverse(list) == 0 && reorder(as_repeated(self), list);
  Py_DECREF(list);
  return done(well);
}

PyObject* deepcopy(PyObject* self, PyObject* /*memo*/) {
  // A repeated field of its own, as protobuf's: it can be used as a list and belongs to no message.
  RepeatedObject* object = as_repeated(self);
  auto* copy = reinterpret_cast<RepeatedObject*>(PyObject_Malloc(sizeof(RepeatedObject)));
  if (copy == nullptr) {
    return PyErr_NoMemory();
  }
  PyObject_Init(as_object(copy), Py_TYPE(self));
  copy->owner = nullptr;
  copy->field = object->field;
  copy->next = nullptr;
  copy->own = nullptr;
  if (!extend(copy, self)) {
    Py_DECREF(as_object(copy));
    return nullptr;
  }
  return as_object(copy);
}

PyObject* reduce(PyObject* self, PyObject* /*version*/) {
  if (as_repeated(self)->field->kind == Kind::kMessage) {
    PyErr_Format(PyExc_TypeError, "cannot pickle '%s' object", Py_TYPE(self)->tp_name);
    return nullptr;
  }
  PyObject* module = PyImport_ImportModule("pickle");
  PyObject* error = module != nullptr ? PyObject_GetAttrString(module, "PickleError") : nullptr;
  if (error != nullptr) {
    PyErr_SetString(error, "can't pickle repeated message fields, convert to list first");
  }
  Py_XDECREF(error);
  Py_XDECREF(module);
  return nullptr;
}

// Puts the last element, just added, where it belongs.
void move_last(RepeatedObject* object, Py_ssize_t index) noexcept {
  visit_elements(object, [&]<typename R>(R& values) {
    auto* first = values.data();
    auto* last = first + values.size() - 1;
    using Element = std::remove_cvref_t<decltype(*last)>;
    Element moved = std::move(*last);
    for (auto* at = last; at != first + index; --at) {
      *at = std::move(*(at - 1));
    }
    first[index] = std::move(moved);
  });
}

bool insert(RepeatedObject* object, Py_ssize_t index, PyObject* value) noexcept {
  const Py_ssize_t size = length_of(object);
  index = std::clamp(index < 0 ? index + size : index, Py_ssize_t{0}, size);
  if (!append(object, value)) {
    return false;
  }
  if (index < length_of(object)) {
    move_last(object, index);
  }
  return true;
}

}  // namespace

PyObject* to_list(RepeatedObject* object, Py_ssize_t start, Py_ssize_t step,
                  Py_ssize_t count) noexcept {
  count = count < 0 ? length_of(object) : count;
  PyObject* list = PyList_New(count);
  for (Py_ssize_t i = 0; list != nullptr && i < count; ++i) {
    PyObject* value = element(object, start + i * step);
    if (value == nullptr) {
      Py_CLEAR(list);
      break;
    }
    PyList_SET_ITEM(list, i, value);
  }
  return list;
}

bool append(RepeatedObject* object, PyObject* value) noexcept {
  const FieldSchema& field = *object->field;
  return guarded(false, [&] {
    if (field.kind == Kind::kMessage) {
      if (!is_message(value)) {
        PyErr_Format(PyExc_TypeError, "Expected a message object, but got %R.", value);
        return false;
      }
      if (Py_TYPE(value) != class_of(*field.message)) {
        PyErr_Format(PyExc_TypeError,
                     "Parameter to MergeFrom() must be instance of same class: expected %R got %R.",
                     as_object(class_of(*field.message)), as_object(Py_TYPE(value)));
        return false;
      }
      AnyMessageRef copy(field.message->create(nullptr));
      copy.get()->CopyFrom(*as_message(value)->message);
      attach_owner(object);
      copy.get()->retain();
      messages_of(object).push_back(copy.get());
      return true;
    }
    return visit_elements(object, [&]<typename R>(R& /*values*/) -> bool {
      if constexpr (std::is_same_v<R, AnyRepeatedMessage>) {
        return false;
      } else {
        typename R::value_type converted{};
        if constexpr (std::is_same_v<R, Repeated<String>>) {
          if (!python_to_text(field, value, &converted)) {
            return false;
          }
        } else if (!python_to_number(field, value, &converted)) {
          return false;
        }
        attach_owner(object);
        // Looked up again: converting may have run code that moved the elements elsewhere.
        visit_elements(object, [&]<typename S>(S& now) {
          if constexpr (std::is_same_v<S, R>) {
            now.push_back(std::move(converted));
          }
        });
        return true;
      }
    });
  });
}

bool extend(RepeatedObject* object, PyObject* values) noexcept {
  // A snapshot of another repeated field, which may be this one.
  PyObject* source = is_repeated(values) ? to_list(as_repeated(values)) : Py_NewRef(values);
  PyObject* iterator = source != nullptr ? PyObject_GetIter(source) : nullptr;
  Py_XDECREF(source);
  if (iterator == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) && object->field->kind != Kind::kMessage) {
      PyErr_SetString(PyExc_TypeError, "must assign iterable");
    }
    return false;
  }
  attach_owner(object);
  bool well = true;
  while (well) {
    PyObject* value = PyIter_Next(iterator);
    if (value == nullptr) {
      well = PyErr_Occurred() == nullptr;
      break;
    }
    if (object->field->kind == Kind::kMessage && PyDict_Check(value)) {
      PyObject* added = add_message(object, value);
      well = added != nullptr;
      Py_XDECREF(added);
    } else {
      well = append(object, value);
    }
    Py_DECREF(value);
  }
  Py_DECREF(iterator);
  return well;
}

PyObject* add_message(RepeatedObject* object, PyObject* keywords) noexcept {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    PyObject* added = wrap_new(object->field->message->create(nullptr));
    if (added == nullptr || (keywords != nullptr && !set_fields(as_message(added), keywords))) {
      Py_XDECREF(added);
      return nullptr;
    }
    attach_owner(object);
    as_message(added)->message->retain();
    messages_of(object).push_back(as_message(added)->message);
    return added;
  });
}

void erase(RepeatedObject* object, Py_ssize_t index, Py_ssize_t count) noexcept {
  if (count > 0) {
    visit_elements(object, [&](auto& values) {
      values.erase(static_cast<std::size_t>(index), static_cast<std::size_t>(count));
    });
  }
}

PyMethodDef* repeated_methods(bool of_messages) noexcept {
  static PyMethodDef methods[] = {
      {"append", append_method, METH_O,
       "append(value)\n--\n\nAdds a value, or a copy of a message."},
      {"extend", extend_method, METH_O, "extend(values)\n--\n\nAdds all of an iterable."},
      {"MergeFrom", extend_method, METH_O, "MergeFrom(other)\n--\n\nAdds all of an iterable."},
      {"insert", insert_method, METH_VARARGS,
       "insert(index, value)\n--\n\nAdds before an element."},
      {"pop", pop, METH_VARARGS, "pop(index=-1)\n--\n\nRemoves an element and returns it."},
      {"remove", remove, METH_O, "remove(value)\n--\n\nRemoves the first element that is equal."},
      {"clear", clear, METH_NOARGS, "clear()\n--\n\nRemoves all elements."},
      {"sort", as_function(sort), METH_VARARGS | METH_KEYWORDS,
       "sort(*, key=None, reverse=False)\n--\n\nSorts in place, as lists do."},
      {"reverse", reverse, METH_NOARGS, "reverse()\n--\n\nReverses in place."},
      {"__deepcopy__", deepcopy, METH_O, nullptr},
      {"__reduce__", reduce, METH_NOARGS, nullptr},
      {"__reduce_ex__", reduce, METH_O, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  static PyMethodDef message_methods[std::size(methods) + 1] = {
      {"add", as_function(add), METH_VARARGS | METH_KEYWORDS,
       "add(**fields)\n--\n\nAdds a new message with these fields and returns it."}};
  std::copy(std::begin(methods), std::end(methods), message_methods + 1);
  return of_messages ? message_methods : methods;
}

}  // namespace nocopy::onnx
