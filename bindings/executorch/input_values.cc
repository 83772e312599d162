#include "bindings/executorch/input_values.h"

#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "memory/error.h"

namespace nocopy::executorch {
namespace {

bool is_one_value(nb::handle inputs) {
  PyObject* object = inputs.ptr();
  return object == Py_None || PyUnicode_Check(object) != 0 || PyLong_Check(object) != 0 ||
         PyFloat_Check(object) != 0 || has_memory(inputs);
}

void add_value(std::vector<InputValue>& values, nb::handle object, const std::string& label) {
  PyObject* o = object.ptr();
  if (o == Py_None) {
    values.emplace_back();
    return;
  }
  if (PyBool_Check(o) != 0) {
    values.emplace_back(o == Py_True);
    return;
  }
  // Members of an IntEnum are numbers too; what also lends memory, such as numpy.float64, says
  // there which number it is.
  if (PyLong_Check(o) != 0 && PyObject_CheckBuffer(o) == 0) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) {
      throw Error(ErrorKind::kDType, label + " is an int that does not fit 64 bits.");
    }
    values.emplace_back(int64_t{value});
    return;
  }
  if (PyFloat_Check(o) != 0 && PyObject_CheckBuffer(o) == 0) {
    values.emplace_back(PyFloat_AS_DOUBLE(o));
    return;
  }
  if (PyUnicode_Check(o) != 0) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(o, &size);
    if (text == nullptr) {
      throw nb::python_error();
    }
    values.emplace_back(std::string(text, static_cast<size_t>(size)));
    return;
  }
  values.emplace_back(std::in_place_type<LentTensor>);
  lend(object, label, std::get<LentTensor>(values.back()));
}

// Whether reading this input may run code of the object's own, which could do anything to the
// others.
bool runs_own_code(nb::handle object) {
  PyObject* o = object.ptr();
  if (o == Py_None || PyLong_CheckExact(o) != 0 || PyFloat_CheckExact(o) != 0 ||
      PyBool_Check(o) != 0 || PyUnicode_Check(o) != 0) {
    return false;
  }
  const bool is_static = (Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
  return !(is_static && PyObject_CheckBuffer(o) != 0) && !is_plain_memory(object);
}

void watch_all(std::span<InputValue> values) {
  for (InputValue& value : values) {
    if (auto* tensor = std::get_if<LentTensor>(&value)) {
      tensor->pin->watch();
    }
  }
}

// Memory that was described before another input's own code ran may have moved since.
void require_in_place(const Method& method, const std::vector<InputValue>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto* tensor = std::get_if<LentTensor>(&values[i]);
    if (tensor != nullptr && !tensor->pin->still_in_place()) {
      throw Error(ErrorKind::kLayout,
                  method.input_label(i) +
                      " moved, or was resized, while the other inputs were being read. Give inputs "
                      "whose memory stays in place.");
    }
  }
}

[[noreturn]] void refuse_container(const Method& method, nb::handle inputs) {
  const std::string type = python_type_name(inputs);
  std::string message = "the inputs of method '" + method.name() + "' are a " + type +
                        ", which is neither a sequence of inputs nor memory to read. ";
  if (PyDict_Check(inputs.ptr()) != 0) {
    message += "Inputs are given by position: pass list(inputs.values()) if that is their order.";
  } else if (PyIter_Check(inputs.ptr()) != 0 || PyAnySet_Check(inputs.ptr()) != 0) {
    message += "Pass a list of inputs: [x, y].";
  } else {
    message += "Pass a list of inputs, or one array.";
  }
  throw Error(ErrorKind::kDType, message);
}

}  // namespace

void input_values(const Method& method, nb::handle inputs, std::vector<InputValue>& values) {
  const auto expected = static_cast<Py_ssize_t>(method.input_count());
  values.reserve(method.input_count());
  // Exact lists and tuples first: nothing else is as common, and asking the rest costs more.
  const bool is_list = PyList_CheckExact(inputs.ptr()) != 0;
  const bool is_tuple = PyTuple_CheckExact(inputs.ptr()) != 0;
  if (!is_list && !is_tuple) {
    if (is_one_value(inputs)) {
      if (expected != 1) {
        method.refuse_count(1);
      }
      add_value(values, inputs, method.input_label(0));
      return;
    }
    if (PyDict_Check(inputs.ptr()) != 0 || PySequence_Check(inputs.ptr()) == 0) {
      refuse_container(method, inputs);
    }
  }
  const auto size = [&] {
    const Py_ssize_t n = PySequence_Size(inputs.ptr());
    if (n < 0) {
      throw nb::python_error();
    }
    return n;
  };
  if (const Py_ssize_t given = size(); given != expected) {
    method.refuse_count(static_cast<size_t>(given));
  }
  bool watched = !is_list && !is_tuple;
  for (Py_ssize_t i = 0; i < expected; ++i) {
    // Reading an input runs the caller's code, which may change the sequence.
    if (const Py_ssize_t given = i != 0 ? size() : expected; given != expected) {
      method.refuse_count(static_cast<size_t>(given));
    }
    const nb::object item = is_tuple  ? nb::borrow(PyTuple_GET_ITEM(inputs.ptr(), i))
                            : is_list ? nb::borrow(PyList_GET_ITEM(inputs.ptr(), i))
                                      : nb::steal(PySequence_GetItem(inputs.ptr(), i));
    if (!item.is_valid()) {
      throw nb::python_error();
    }
    if (!watched && expected > 1 && runs_own_code(item)) {
      watched = true;
      watch_all(values);
    }
    add_value(values, item, method.input_label(static_cast<size_t>(i)));
    if (watched) {
      watch_all({&values.back(), 1});
    }
  }
  if (watched) {
    require_in_place(method, values);
  }
}

}  // namespace nocopy::executorch
