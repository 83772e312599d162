#include "bindings/executorch/python_method.h"

#include <nanobind/stl/string.h>

#include "bindings/executorch/input_values.h"
#include "bindings/executorch/logging.h"
#include "bindings/executorch/metadata.h"
#include "bindings/executorch/torch_result.h"
#include "bindings/memory/guarded.h"
#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "bindings/memory/tensor_buffer.h"
#include "bindings/memory/unlocked.h"
#include "memory/error.h"

namespace nocopy::executorch {

PythonMethod::PythonMethod(std::shared_ptr<Method> method)
    : method_(std::move(method)), returns_torch_(process_has_torch()) {}

uint64_t PythonMethod::set_inputs(nb::handle inputs) {
  const Method::Use use(*method_);
  const LogForwarder forward;
  return take_inputs(inputs);
}

uint64_t PythonMethod::take_inputs(nb::handle inputs) {
  try {
    // Converted before the method is touched: it runs the caller's code, which may call back.
    std::vector<InputValue> values = std::move(spare_values_);
    input_values(*method_, inputs, values);
    const uint64_t set = method_->set_inputs(values);
    values.clear();
    spare_values_ = std::move(values);
    return set;
  } catch (...) {
    method_->refuse_inputs();
    throw;
  }
}

uint64_t PythonMethod::run() {
  const Method::Use use(*method_);
  const LogForwarder forward;
  return run_once();
}

uint64_t PythonMethod::run_once() {
  // First, as it may run anyone's code: from here to the end of the run nothing does.
  forget_outputs();
  method_->prepare();
  const Unlocked unlocked;
  method_->run();
  return method_->epoch();
}

void PythonMethod::require_epoch(uint64_t epoch) const {
  if (epoch != method_->epoch()) {
    throw Error(ErrorKind::kIncompleteInputs,
                "method '" + method_->name() +
                    "' was used again, by code that its own inputs or results ran, in the middle "
                    "of a call. Call it again.");
  }
}

nb::list PythonMethod::outputs(bool clone) {
  const Method::Use use(*method_);
  return give_outputs(clone);
}

nb::list PythonMethod::give_outputs(bool clone) {
  method_->require_outputs();
  if (epoch_ != method_->epoch()) {
    epoch_ = method_->epoch();
    forget_outputs();
  }
  std::vector<nb::object>& handed_over = clone ? cloned_ : lent_;
  if (handed_over.empty()) {
    read_outputs(clone);
  }
  const size_t count = handed_over.size();
  nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(count)));
  if (!result.is_valid()) {
    throw nb::python_error();
  }
  for (size_t i = 0; i < count; ++i) {
    PyList_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i),
                    nb::object(handed_over[i]).release().ptr());
  }
  return result;
}

void PythonMethod::read_outputs(bool clone) {
  const uint64_t epoch = epoch_;
  std::vector<nb::object> fresh = std::move(spare_);
  fresh.clear();
  for (size_t i = 0; i < method_->output_count(); ++i) {
    if (const auto same = method_->same_output(i)) {
      fresh.push_back(fresh[*same]);
      continue;
    }
    fresh.push_back(convert(method_->output(i, clone)));
    // Making a torch tensor runs Python, which may have used this very method.
    require_epoch(epoch);
  }
  std::vector<nb::object>& handed_over = clone ? cloned_ : lent_;
  spare_ = std::exchange(handed_over, std::move(fresh));
}

nb::list PythonMethod::call(nb::handle inputs, bool clone) {
  const Method::Use use(*method_);
  const LogForwarder forward;
  const uint64_t set = take_inputs(inputs);
  forget_outputs();
  require_epoch(set);
  const uint64_t ran = run_once();
  require_epoch(ran);
  return give_outputs(clone);
}

nb::list PythonMethod::input_plan(nb::handle inputs) {
  const Method::Use use(*method_);
  std::vector<InputValue> values;
  input_values(*method_, inputs, values);
  const nb::object make = nb::module_::import_("nocopy.runtime").attr("InputPlan");
  nb::list plans;
  for (size_t i = 0; i < values.size(); ++i) {
    const InputPlan plan = method_->plan(i, values[i]);
    const char* action = "value";
    switch (plan.action) {
      case InputAction::kCopiedByRuntime:
        action = "copied by the runtime";
        break;
      case InputAction::kBorrowed:
        action = "borrowed";
        break;
      case InputAction::kCopiedByUs:
        action = "copied by us";
        break;
      case InputAction::kValue:
        break;
    }
    plans.append(make(i, method_->input_spec(i).name, action, std::string(plan.why)));
  }
  return plans;
}

nb::object PythonMethod::convert(OwnedTensor&& tensor) {
  if (returns_torch_ && tensor.view.device.is_host()) {
    return torch_tensor(std::move(tensor));
  }
  return make_tensor_buffer(std::move(tensor));
}

nb::object PythonMethod::convert(OutputList list) {
  nb::list result;
  std::visit(
      [&](auto& values) {
        for (auto&& value : values) {
          using Element = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Element, std::optional<OwnedTensor>>) {
            result.append(value ? convert(std::move(*value)) : nb::none());
          } else if constexpr (std::is_same_v<Element, int64_t>) {
            result.append(nb::int_(value));
          } else if constexpr (std::is_same_v<Element, double>) {
            result.append(nb::float_(value));
          } else {
            result.append(nb::bool_(static_cast<bool>(value)));
          }
        }
      },
      list);
  return result;
}

nb::object PythonMethod::convert(OutputValue&& value) {
  if (auto* tensor = std::get_if<OwnedTensor>(&value)) {
    return convert(std::move(*tensor));
  }
  if (auto* list = std::get_if<OutputList>(&value)) {
    return convert(std::move(*list));
  }
  if (const auto* b = std::get_if<bool>(&value)) {
    return nb::bool_(*b);
  }
  if (const auto* n = std::get_if<int64_t>(&value)) {
    return nb::int_(*n);
  }
  if (const auto* d = std::get_if<double>(&value)) {
    return nb::float_(*d);
  }
  if (const auto* s = std::get_if<std::string>(&value)) {
    return nb::str(s->data(), s->size());
  }
  return nb::none();
}

int PythonMethod::traverse(visitproc visit, void* arg) const {
  for (const auto* objects : {&cloned_, &lent_}) {
    for (const nb::object& object : *objects) {
      Py_VISIT(object.ptr());
    }
  }
  int result = 0;
  method_->visit_pins([&](const Pin& pin) {
    // Every pin that reaches a method through this extension is one of these.
    PyObject* held = static_cast<const PythonPin&>(pin).held();
    if (held != nullptr && result == 0) {
      result = visit(held, arg);
    }
  });
  return result;
}

void PythonMethod::forget_outputs() {
  if (cloned_.empty() && lent_.empty()) {
    return;
  }
  // Letting go of an object may run its owner's code, which may come back here: emptied first.
  std::vector<nb::object> cloned = std::exchange(cloned_, {});
  std::vector<nb::object> lent = std::exchange(lent_, {});
  cloned.clear();
  lent.clear();
  if (spare_.capacity() == 0) {
    spare_ = std::move(cloned);
  }
}

void PythonMethod::clear() {
  forget_outputs();
  method_->drop_inputs();
}

namespace {

int traverse_slot(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  if (!nb::inst_ready(self)) {
    return 0;
  }
  return nb::inst_ptr<PythonMethod>(self)->traverse(visit, arg);
}

int clear_slot(PyObject* self) {
  if (nb::inst_ready(self)) {
    nb::inst_ptr<PythonMethod>(self)->clear();
  }
  return 0;
}

// The arguments of execute(), which is written on the C API: it is what is called in loops.
// `inputs` stays null where none are given.
bool read_arguments(PyObject* const* arguments, Py_ssize_t given, PyObject* names,
                    PyObject*& inputs, bool& clone) {
  if (given > 2) {
    PyErr_Format(PyExc_TypeError, "execute() takes at most 2 arguments (%zd given)", given);
    return false;
  }
  PyObject* values[2] = {given > 0 ? arguments[0] : nullptr, given > 1 ? arguments[1] : nullptr};
  const Py_ssize_t named = names != nullptr ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    const bool is_inputs = PyUnicode_CompareWithASCIIString(name, "inputs") == 0;
    if (!is_inputs && PyUnicode_CompareWithASCIIString(name, "clone_outputs") != 0) {
      PyErr_Format(PyExc_TypeError, "execute() got an unexpected keyword argument '%U'", name);
      return false;
    }
    PyObject*& value = values[is_inputs ? 0 : 1];
    if (value != nullptr) {
      PyErr_Format(PyExc_TypeError, "execute() got multiple values for argument '%U'", name);
      return false;
    }
    value = arguments[given + i];
  }
  if (values[1] != nullptr && PyBool_Check(values[1]) == 0) {
    PyErr_Format(PyExc_TypeError, "clone_outputs must be a bool, not %s",
                 Py_TYPE(values[1])->tp_name);
    return false;
  }
  inputs = values[0];
  clone = values[1] != Py_False;
  return true;
}

PyObject* execute(PyObject* self, PyObject* const* arguments, Py_ssize_t given, PyObject* names) {
  PyObject* inputs = nullptr;
  bool clone = true;
  if (!read_arguments(arguments, given, names, inputs, clone)) {
    return nullptr;
  }
  if (!nb::inst_ready(self)) {
    PyErr_SetString(PyExc_TypeError, "this Method was never loaded; only load_method makes one");
    return nullptr;
  }
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    PythonMethod& method = *nb::inst_ptr<PythonMethod>(self);
    if (inputs == nullptr) {
      method.run();
      return nb::none().release().ptr();
    }
    return method.call(inputs, clone).release().ptr();
  });
}

PyMethodDef methods[] = {
    {"execute", as_function(execute), METH_FASTCALL | METH_KEYWORDS,
     "execute($self, inputs=..., clone_outputs=True)\n--\n\n"
     "Set the inputs, run, and return the outputs as a list.\n\n"
     "Without ``inputs``, run on those that :meth:`set_inputs` set and return None; read the\n"
     "outputs with :meth:`get_outputs`.\n\n"
     "See :meth:`set_inputs` for what is copied and what raises, and :meth:`get_outputs` for\n"
     "who owns the results."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot method_slots[] = {{Py_tp_methods, methods},
                              {Py_tp_traverse, reinterpret_cast<void*>(traverse_slot)},
                              {Py_tp_clear, reinterpret_cast<void*>(clear_slot)},
                              {0, nullptr}};

// Told apart from every object that a caller could pass, None included.
nb::object& missing() {
  static nb::object* marker = new nb::object(nb::module_::import_("builtins").attr("object")());
  return *marker;
}

}  // namespace

void bind_method(nb::module_& m) {
  const nb::object none_given = missing();
  nb::class_<PythonMethod>(
      m, "Method", nb::type_slots(method_slots), nb::is_weak_referenceable(),
      "A method of a program, loaded: it can be given inputs and run.\n\n"
      "Inputs are a sequence of values, or one value: numpy arrays and anything else with the\n"
      "buffer protocol, DLPack producers, torch tensors, earlier results; int, float, bool, str "
      "and\n"
      "None where the method takes them. A bare array is one input.\n\n"
      "A method holds its inputs and outputs, so it serves one thread at a time: load one per\n"
      "thread. The interpreter's lock is released while it runs.")
      .def(
          "__call__",
          [](PythonMethod& self, nb::handle inputs, bool clone_outputs) {
            return inputs.is(missing()) ? self.call(nb::tuple(), clone_outputs)
                                        : self.call(inputs, clone_outputs);
          },
          nb::arg("inputs").none().sig("...") = none_given, nb::arg("clone_outputs") = true,
          "Set the inputs, run, and return the outputs: ``method.execute(inputs)``.")
      .def("set_inputs", &PythonMethod::set_inputs, nb::arg("inputs").none(),
           "Set the inputs for the next run.\n\n"
           "An input that the program reserves memory for is copied into it here. Any other host\n"
           "input is read in place while the method runs, and the method holds a reference to its\n"
           "memory until the inputs are replaced, if its owner lends it writable and keeps it in\n"
           "place; otherwise it is copied once. :meth:`input_plan` says which.\n\n"
           "Raises\n------\n"
           "DTypeError, ShapeError, LayoutError, DeviceError\n"
           "    An input is not what the method expects; the message names both. The method then\n"
           "    has no usable inputs until a whole set is given.\n"
           "MethodBusyError\n"
           "    The method is in use on another thread.")
      .def(
          "get_outputs", &PythonMethod::outputs, nb::arg("clone_outputs") = true,
          "Return the outputs of the last run as a list; the same objects when read twice.\n\n"
          "A tensor comes as a ``torch.Tensor`` if the process had imported torch when the method\n"
          "was loaded, and as a :class:`TensorBuffer` otherwise. Its memory belongs to the "
          "result:\n"
          "later runs never change it.\n\n"
          "With ``clone_outputs=False``, an output in the method's planned memory is lent without\n"
          "a copy. It keeps that memory alive, and the next set of inputs or run overwrites it.\n\n"
          "Raises\n------\n"
          "IncompleteInputsError\n"
          "    The method has not run since its inputs were set or refused.")
      .def("input_plan", &PythonMethod::input_plan, nb::arg("inputs").none(),
           "Say what :meth:`set_inputs` would do with each of these inputs, and why.\n\n"
           "Returns a list of :class:`InputPlan`. Sets nothing. Raises as :meth:`set_inputs`.")
      .def_prop_ro(
          "metadata",
          [](const PythonMethod& self) {
            return MethodMetadata(self.method().program(), self.method().name());
          },
          "The :class:`MethodMeta`: inputs and outputs with their shapes, dtypes and layouts.")
      .def("method_meta",
           [](const PythonMethod& self) {
             return MethodMetadata(self.method().program(), self.method().name());
           })
      .def("__repr__", [](const PythonMethod& self) {
        return "<nocopy.runtime.Method '" + self.method().name() +
               "': " + std::to_string(self.method().input_count()) + " inputs, " +
               std::to_string(self.method().output_count()) + " outputs>";
      });
}

}  // namespace nocopy::executorch
