#include "bindings/memory/lend.h"

#include "bindings/memory/python.h"
#include "bindings/memory/tensor_buffer.h"
#include "memory/error.h"

namespace nocopy {
namespace {

// Memory of ours: it cannot move, and it is writable unless it says otherwise.
class TensorBufferPin final : public PythonPin {
 public:
  TensorBufferPin(PyObject* object, bool writable) : object_(object), writable_(writable) {
    Py_INCREF(object);
  }
  ~TensorBufferPin() override {
    with_gil_if_alive([this] { Py_DECREF(object_); });
  }
  [[nodiscard]] bool promises_memory() const noexcept override { return writable_; }
  [[nodiscard]] bool still_in_place() override { return true; }
  [[nodiscard]] PyObject* held() const noexcept override { return object_; }

 private:
  PyObject* object_;
  bool writable_;
};

bool is_torch_tensor(nb::handle object) {
  PyObject* type = torch_tensor_type();
  return type != nullptr &&
         PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type)) != 0;
}

// Any object can carry the name; the class decides.
bool claims_to_be_torch_tensor(nb::handle object) {
  const std::string name = python_type_name(object);
  return name == "torch.Tensor" || name == "torch.nn.parameter.Parameter";
}

}  // namespace

std::string python_type_name(nb::handle object) {
  PyTypeObject* type = Py_TYPE(object.ptr());
  std::string name = type->tp_name;
  // CPython's own types keep their dictionary elsewhere since 3.12.
  PyObject* module =
      type->tp_dict != nullptr ? PyDict_GetItemString(type->tp_dict, "__module__") : nullptr;
  if (name.find('.') == std::string::npos && module != nullptr && PyUnicode_Check(module) != 0) {
    const char* text = PyUnicode_AsUTF8(module);
    if (text == nullptr) {
      PyErr_Clear();
    } else if (std::string_view(text) != "builtins") {
      name = std::string(text) + "." + name;
    }
  }
  return name;
}

bool has_memory(nb::handle object) {
  return PyObject_CheckBuffer(object.ptr()) != 0 || is_torch_tensor(object) ||
         nb::hasattr(object, "__dlpack__");
}

bool is_plain_memory(nb::handle object) {
  return as_tensor_buffer(object) != nullptr || is_torch_tensor(object);
}

void lend(nb::handle object, const std::string& label, LentTensor& lent) {
  if (const OwnedTensor* tensor = as_tensor_buffer(object)) {
    lent.view = tensor->view;
    lent.pin = std::make_unique<TensorBufferPin>(object.ptr(), !lent.view.read_only);
    return;
  }
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    lend_buffer(object, label, lent);
    return;
  }
  if (is_torch_tensor(object)) {
    lent = lend_torch(object, label);
    return;
  }
  if (claims_to_be_torch_tensor(object)) {
    throw Error(ErrorKind::kDType, label +
                                       " has a type called torch.Tensor that is not torch's own "
                                       "class, so what it says of itself is not believed. Pass a "
                                       "real tensor or a numpy array.");
  }
  if (nb::hasattr(object, "__dlpack__")) {
    lent = lend_dlpack(object, label);
    return;
  }
  std::string message =
      label + " is a " + python_type_name(object) + ", which has no memory to read. ";
  const bool nested = PyList_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0;
  message += nested ? "Nested lists of numbers are not guessed at: pass numpy.asarray(values, "
                      "dtype=...)."
                    : "Pass a numpy array, another object with the buffer protocol, a DLPack "
                      "producer or a torch tensor.";
  throw Error(ErrorKind::kDType, message);
}

}  // namespace nocopy
