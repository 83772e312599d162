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

InputValue input_value(nb::handle object, const std::string& label) {
  PyObject* o = object.ptr();
  if (o == Py_None) {
    return std::monostate{};
  }
  if (PyBool_Check(o) != 0) {
    return o == Py_True;
  }
  if (PyLong_CheckExact(o) != 0) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) {
      throw Error(ErrorKind::kDType, label + " is an int that does not fit 64 bits.");
    }
    return int64_t{value};
  }
  if (PyFloat_CheckExact(o) != 0) {
    return PyFloat_AS_DOUBLE(o);
  }
  if (PyUnicode_Check(o) != 0) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(o, &size);
    if (text == nullptr) {
      throw nb::python_error();
    }
    return std::string(text, static_cast<size_t>(size));
  }
  return lend(object, label);
}

[[noreturn]] void refuse_count(const Method& method, Py_ssize_t given) {
  // Method::set_inputs says it in full; the values do not matter for that.
  std::vector<InputValue> values(static_cast<size_t>(given));
  const_cast<Method&>(method).set_inputs(values);
  throw Error(ErrorKind::kShape, "the number of inputs changed while they were read.");
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

std::vector<InputValue> input_values(const Method& method, nb::handle inputs) {
  const auto expected = static_cast<Py_ssize_t>(method.input_count());
  std::vector<InputValue> values;
  values.reserve(method.input_count());
  // Exact lists and tuples first: nothing else is as common, and asking the rest costs more.
  const bool is_list = PyList_CheckExact(inputs.ptr()) != 0;
  const bool is_tuple = PyTuple_CheckExact(inputs.ptr()) != 0;
  if (!is_list && !is_tuple) {
    if (is_one_value(inputs)) {
      if (expected != 1) {
        refuse_count(method, 1);
      }
      values.push_back(input_value(inputs, method.input_label(0)));
      return values;
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
  if (size() != expected) {
    refuse_count(method, size());
  }
  for (Py_ssize_t i = 0; i < expected; ++i) {
    // Reading an input runs the caller's code, which may change the sequence.
    if (i != 0 && size() != expected) {
      refuse_count(method, size());
    }
    const nb::object item = is_tuple  ? nb::borrow(PyTuple_GET_ITEM(inputs.ptr(), i))
                            : is_list ? nb::borrow(PyList_GET_ITEM(inputs.ptr(), i))
                                      : nb::steal(PySequence_GetItem(inputs.ptr(), i));
    if (!item.is_valid()) {
      throw nb::python_error();
    }
    values.push_back(input_value(item, method.input_label(static_cast<size_t>(i))));
  }
  return values;
}

}  // namespace nocopy::executorch
