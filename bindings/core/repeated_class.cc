#include "bindings/core/repeated_access.h"

// The two classes of repeated fields as sequences: reading, slices, assignment, iteration.
namespace nocopy::onnx {
namespace {

struct IteratorObject {
  PyObject ob_base;
  RepeatedObject* list;  // strong; null at the end
  Py_ssize_t next;
};
PyTypeObject* iterator_class = nullptr;

PyObject* fail_index() noexcept {
  PyErr_SetString(PyExc_IndexError, "list index out of range");
  return nullptr;
}

Py_ssize_t length(PyObject* self) { return length_of(as_repeated(self)); }

PyObject* item(PyObject* self, Py_ssize_t index) {
  RepeatedObject* object = as_repeated(self);
  if (index < 0 || index >= length_of(object)) {
    return fail_index();
  }
  return element(object, index);
}

// The place of an index that may count from the end, or -1 with an exception set.
Py_ssize_t place(PyObject* self, PyObject* key) noexcept {
  if (!PyIndex_Check(key)) {
    PyErr_Format(PyExc_TypeError, "list indices must be integers or slices, not %s",
                 Py_TYPE(key)->tp_name);
    return -1;
  }
  Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_TypeError);  // as protobuf, unlike lists
  if (index == -1 && PyErr_Occurred() != nullptr) {
    return -1;
  }
  const Py_ssize_t size = length(self);
  if (index < 0) {
    index += size;
  }
  if (index < 0 || index >= size) {
    fail_index();
    return -1;
  }
  return index;
}

PyObject* subscript(PyObject* self, PyObject* key) {
  if (!PySlice_Check(key)) {
    const Py_ssize_t index = place(self, key);
    return index < 0 ? nullptr : element(as_repeated(self), index);
  }
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Unpack(key, &start, &stop, &step) != 0) {
    return nullptr;
  }
  const Py_ssize_t count = PySlice_AdjustIndices(length(self), &start, &stop, step);
  return to_list(as_repeated(self), start, step, count);
}

void erase_slice(RepeatedObject* object, Py_ssize_t start, Py_ssize_t step,
                 Py_ssize_t count) noexcept {
  if (step < 0) {
    start += step * (count - 1);
    step = -step;
  }
  if (step == 1) {
    erase(object, start, count);
    return;
  }
  for (Py_ssize_t i = count; i-- > 0;) {
    erase(object, start + i * step, 1);
  }
}

int assign_value(RepeatedObject* object, Py_ssize_t index, PyObject* value) noexcept {
  const FieldSchema& field = *object->field;
  return visit_elements(object, [&]<typename R>(R& /*values*/) -> int {
    if constexpr (std::is_same_v<R, AnyRepeatedMessage>) {
      return -1;
    } else if constexpr (std::is_same_v<R, Repeated<String>>) {
      String text;
      if (!python_to_text(field, value, &text)) {
        return -1;
      }
      visit_elements(object, [&]<typename S>(S& now) {
        if constexpr (std::is_same_v<S, Repeated<String>>) {
          now[static_cast<std::size_t>(index)].swap(text);
        }
      });
      return 0;
    } else {
      typename R::value_type number{};
      if (!python_to_number(field, value, &number)) {
        return -1;
      }
      // Converting may have run code that made the list shorter.
      visit_elements(object, [&]<typename S>(S& now) {
        if constexpr (std::is_same_v<S, R>) {
          if (static_cast<std::size_t>(index) < now.size()) {
            now[static_cast<std::size_t>(index)] = number;
          }
        }
      });
      return 0;
    }
  });
}

// Replaces `count` elements from `start` on by the values, of which there may be another number.
int assign_slice(RepeatedObject* object, Py_ssize_t start, Py_ssize_t step, Py_ssize_t count,
                 PyObject* value) noexcept {
  PyObject* values = PySequence_List(value);
  if (values == nullptr) {
    return -1;
  }
  int result = 0;
  const Py_ssize_t given = PyList_GET_SIZE(values);
  if (step != 1 && given != count) {
    PyErr_Format(PyExc_ValueError,
                 "attempt to assign sequence of size %zd to extended slice of size %zd", given,
                 count);
    result = -1;
  } else if (given == count) {
    for (Py_ssize_t i = 0; i < count && result == 0; ++i) {
      result = assign_value(object, start + i * step, PyList_GET_ITEM(values, i));
    }
  } else {
    PyObject* all = to_list(object);
    result = all == nullptr || PyList_SetSlice(all, start, start + count, values) != 0 ? -1 : 0;
    if (result == 0) {
      // Behind what is there, which goes when all values were taken, and stays when one was not.
      const Py_ssize_t before = length_of(object);
      result = extend(object, all) ? 0 : -1;
      const Py_ssize_t after = length_of(object);  // converting may have run code that changed it
      if (after >= before) {
        erase(object, result == 0 ? 0 : before, result == 0 ? before : after - before);
      }
    }
    Py_XDECREF(all);
  }
  Py_DECREF(values);
  return result;
}

// Messages are not replaced, but changed in place.
bool check_assignable(RepeatedObject* object) noexcept {
  if (object->field->kind == Kind::kMessage) {
    PyErr_Format(PyExc_TypeError, "'%s' object does not support item assignment",
                 Py_TYPE(as_object(object))->tp_name);
    return false;
  }
  return true;
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  RepeatedObject* object = as_repeated(self);
  attach_owner(object);
  if (!PySlice_Check(key)) {
    const Py_ssize_t index = place(self, key);
    if (index < 0 || (value != nullptr && !check_assignable(object))) {
      return -1;
    }
    if (value != nullptr) {
      return assign_value(object, index, value);
    }
    erase(object, index, 1);
    return 0;
  }
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Unpack(key, &start, &stop, &step) != 0) {
    return -1;
  }
  const Py_ssize_t count = PySlice_AdjustIndices(length(self), &start, &stop, step);
  if (value != nullptr && !check_assignable(object)) {
    return -1;
  }
  if (value != nullptr) {
    return assign_slice(object, start, step, count, value);
  }
  erase_slice(object, start, step, count);
  return 0;
}

PyObject* compare(PyObject* self, PyObject* other, int how) {
  if (how != Py_EQ && how != Py_NE) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  PyObject* mine = to_list(as_repeated(self));
  PyObject* theirs = is_repeated(other) ? to_list(as_repeated(other)) : Py_NewRef(other);
  PyObject* result = nullptr;
  if (mine != nullptr && theirs != nullptr) {
    result = PyObject_RichCompare(mine, theirs, how);
  }
  Py_XDECREF(mine);
  Py_XDECREF(theirs);
  return result;
}

PyObject* repr(PyObject* self) {
  PyObject* list = to_list(as_repeated(self));
  PyObject* text = list != nullptr ? PyObject_Repr(list) : nullptr;
  Py_XDECREF(list);
  return text;
}

PyObject* iterate(PyObject* self) {
  auto* iterator = PyObject_New(IteratorObject, iterator_class);
  if (iterator == nullptr) {
    return nullptr;
  }
  iterator->list = as_repeated(Py_NewRef(self));
  iterator->next = 0;
  return as_object(iterator);
}

PyObject* iterator_next(PyObject* self) {
  auto* iterator = reinterpret_cast<IteratorObject*>(self);
  RepeatedObject* list = iterator->list;
  if (list == nullptr) {
    return nullptr;
  }
  if (iterator->next < length_of(list)) {
    return element(list, iterator->next++);
  }
  iterator->list = nullptr;
  Py_DECREF(as_object(list));
  return nullptr;
}

void iterator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(as_object(reinterpret_cast<IteratorObject*>(self)->list));
  PyObject_Free(self);
  Py_DECREF(as_object(type));
}

void dealloc(PyObject* self) {
  RepeatedObject* object = as_repeated(self);
  if (object->owner != nullptr) {
    leave_owner(object);
  } else {
    visit_elements(object, [](auto& values) { values.clear(); });
  }
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(as_object(type));
}

PyObject* no_new(PyTypeObject* type, PyObject* /*positional*/, PyObject* /*keywords*/) {
  PyErr_Format(PyExc_RuntimeError, "Objects of type %s may not be created directly.",
               type->tp_name);
  return nullptr;
}

}  // namespace

PyTypeObject* make_repeated_class(bool of_messages) {
  static PyType_Slot iterator_slots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                         {Py_tp_iternext, reinterpret_cast<void*>(iterator_next)},
                                         {Py_tp_dealloc, reinterpret_cast<void*>(iterator_dealloc)},
                                         {0, nullptr}};
  static PyType_Spec iterator_spec{"nocopy.onnx.RepeatedIterator", sizeof(IteratorObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   iterator_slots};
  if (iterator_class == nullptr) {
    iterator_class = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&iterator_spec));
    if (iterator_class == nullptr) {
      return nullptr;
    }
  }
  PyType_Slot slots[] = {{Py_tp_methods, repeated_methods(of_messages)},
                         {Py_tp_new, reinterpret_cast<void*>(no_new)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                         {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                         {Py_sq_length, reinterpret_cast<void*>(length)},
                         {Py_sq_item, reinterpret_cast<void*>(item)},
                         {Py_mp_length, reinterpret_cast<void*>(length)},
                         {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
                         {Py_mp_ass_subscript, reinterpret_cast<void*>(assign_subscript)},
                         {0, nullptr}};
  PyType_Spec spec{of_messages ? "nocopy.onnx.RepeatedCompositeContainer"
                               : "nocopy.onnx.RepeatedScalarContainer",
                   sizeof(RepeatedObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_SEQUENCE, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace nocopy::onnx
