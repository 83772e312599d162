// The way in for torch tensors: through torch's Python API, so that nothing here links torch.

#include <cstring>
#include <vector>

#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "memory/error.h"
#include "memory/layout.h"

namespace nocopy {
namespace {

// A tensor can be resized or freed while the object stays alive, so holding it promises nothing.
class TorchPin final : public PythonPin {
 public:
  explicit TorchPin(nb::handle tensor) : tensor_(tensor.ptr()) { Py_INCREF(tensor_); }
  ~TorchPin() override {
    with_gil_if_alive([this] { Py_DECREF(tensor_); });
  }
  [[nodiscard]] bool promises_memory() const noexcept override { return false; }
  [[nodiscard]] bool still_in_place() override { return true; }
  [[nodiscard]] PyObject* held() const noexcept override { return tensor_; }

 private:
  PyObject* tensor_;
};

// torch's modules and classes stay once imported, so these are kept for good.
struct Torch {
  PyObject* module = nullptr;
  PyObject* tensor = nullptr;
  PyObject* parameter = nullptr;
  PyObject* strided = nullptr;
};

// The torch that this process has imported, or nothing. Looked up in sys.modules: importing it is
// what loads libtorch, and that is the caller's choice to make.
const Torch* imported_torch() noexcept {
  static Torch torch;
  if (torch.tensor != nullptr) {
    return &torch;
  }
  PyObject* modules = PyImport_GetModuleDict();  // borrowed
  PyObject* module = modules != nullptr ? PyDict_GetItemString(modules, "torch") : nullptr;
  if (module == nullptr) {
    return nullptr;
  }
  Torch found;
  found.module = module;
  found.tensor = PyObject_GetAttrString(module, "Tensor");
  found.strided = PyObject_GetAttrString(module, "strided");
  PyObject* nn = PyObject_GetAttrString(module, "nn");
  found.parameter = nn != nullptr ? PyObject_GetAttrString(nn, "Parameter") : nullptr;
  Py_XDECREF(nn);
  // Half imported, as seen from a thread while another imports it, is not imported.
  if (found.tensor == nullptr || PyType_Check(found.tensor) == 0 || found.strided == nullptr ||
      found.parameter == nullptr) {
    PyErr_Clear();
    Py_XDECREF(found.tensor);
    Py_XDECREF(found.strided);
    Py_XDECREF(found.parameter);
    return nullptr;
  }
  Py_INCREF(found.module);
  torch = found;
  return &torch;
}

DType dtype_of(nb::handle tensor, const std::string& label) {
  const nb::object dtype = tensor.attr("dtype");
  // One object per dtype for the life of the process.
  static std::vector<std::pair<PyObject*, DType>> known;
  for (const auto& [object, value] : known) {
    if (object == dtype.ptr()) {
      return value;
    }
  }
  const std::string text = nb::str(dtype).c_str();
  const auto found =
      text.starts_with("torch.") ? dtype_from_name(std::string_view(text).substr(6)) : std::nullopt;
  if (!found || info(*found).torch_name.empty()) {
    throw Error(ErrorKind::kDType,
                label + " has dtype " + text + ", which names no dtype that can be read here.");
  }
  Py_INCREF(dtype.ptr());
  known.emplace_back(dtype.ptr(), *found);
  return *found;
}

bool flag(nb::handle tensor, const char* method) {
  return PyObject_IsTrue(nb::object(tensor.attr(method)()).ptr()) == 1;
}

bool property(nb::handle tensor, const char* name) {
  return PyObject_IsTrue(nb::object(tensor.attr(name)).ptr()) == 1;
}

void check_kind(const Torch& torch, nb::handle tensor, const std::string& label) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(tensor.ptr()));
  if (type != torch.tensor && type != torch.parameter) {
    throw Error(ErrorKind::kDType,
                label + " is a " + python_type_name(tensor) +
                    ", a subclass of torch.Tensor whose memory may not hold what it shows. Pass "
                    "x.as_subclass(torch.Tensor) if it does.");
  }
  if (property(tensor, "is_nested")) {
    throw Error(ErrorKind::kLayout, label +
                                        " is a nested tensor, which has no one shape. Pad it with "
                                        "x.to_padded_tensor(...) first.");
  }
  if (property(tensor, "is_quantized")) {
    throw Error(ErrorKind::kDType, label +
                                       " is a quantized tensor: its memory holds integers, not "
                                       "the values it shows. Pass x.int_repr() or x.dequantize().");
  }
  const nb::object layout = tensor.attr("layout");
  if (layout.ptr() != torch.strided) {
    throw Error(ErrorKind::kLayout, label + " has layout " + nb::str(layout).c_str() +
                                        ", whose memory is not one block of elements. Pass "
                                        "x.to_dense().");
  }
  if (flag(tensor, "is_neg")) {
    throw Error(ErrorKind::kLayout, label +
                                        " is a negated view: its memory holds the values with the "
                                        "other sign. Pass x.resolve_neg().");
  }
  if (flag(tensor, "is_conj")) {
    throw Error(ErrorKind::kLayout, label +
                                        " is a conjugated view: its memory holds the values "
                                        "before conjugation. Pass x.resolve_conj().");
  }
}

Device device_of(nb::handle tensor, const std::string& label) {
  const nb::object device = tensor.attr("device");
  const std::string kind = nb::str(device.attr("type")).c_str();
  const nb::object index = device.attr("index");
  const int32_t number = index.is_none() ? 0 : nb::cast<int32_t>(index);
  if (kind == "cpu") {
    return kHost;
  }
  if (kind == "cuda") {
    return Device{2, number};
  }
  if (kind == "meta") {
    throw Error(ErrorKind::kDevice, label +
                                        " is a meta tensor: it has a shape and no memory. Pass a "
                                        "tensor with values.");
  }
  throw Error(ErrorKind::kDevice, label + " is on device '" + nb::str(device).c_str() +
                                      "', which the runtime cannot name. Pass x.cpu().");
}

Dims dims_of(nb::handle sequence) {
  Dims dims(nb::len(sequence));
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = nb::cast<int64_t>(sequence[i]);
  }
  return dims;
}

}  // namespace

PyObject* torch_tensor_type() noexcept {
  const Torch* torch = imported_torch();
  return torch != nullptr ? torch->tensor : nullptr;
}

LentTensor lend_torch(nb::handle tensor, const std::string& label) {
  check_kind(*imported_torch(), tensor, label);
  LentTensor lent;
  TensorView& view = lent.view;
  view.device = device_of(tensor, label);
  view.dtype = dtype_of(tensor, label);
  view.shape = dims_of(tensor.attr("shape"));
  view.strides = dims_of(tensor.attr("stride")());
  const auto itemsize = nb::cast<int64_t>(tensor.attr("element_size")());
  // Shape, strides and element size arrive in separate calls, so nothing says that they agree.
  bool agree = view.strides.size() == view.shape.size() &&
               itemsize == static_cast<int64_t>(info(view.dtype).itemsize());
  for (size_t i = 0; agree && i < view.strides.size(); ++i) {
    agree = !__builtin_mul_overflow(view.strides[i], itemsize, &view.strides[i]);
  }
  if (!agree) {
    throw Error(ErrorKind::kLayout,
                label +
                    " gives a shape, strides and an element size that do not agree, so its "
                    "layout cannot be read. Pass x.contiguous().");
  }
  view.data = reinterpret_cast<void*>(nb::cast<uintptr_t>(tensor.attr("data_ptr")()));
  lent.pin = std::make_unique<TorchPin>(tensor);
  return lent;
}

}  // namespace nocopy
