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
    with_gil_if_alive([this] {
      Py_DECREF(tensor_);
      Py_XDECREF(array_);
    });
  }
  [[nodiscard]] bool promises_memory() const noexcept override { return false; }
  void watch() override { watched_ = place(); }
  [[nodiscard]] bool still_in_place() override { return place() == watched_; }
  [[nodiscard]] PyObject* held() const noexcept override { return tensor_; }
  void hold_in_place() override;

 private:
  struct Place {
    uintptr_t address = 0;
    int64_t storage_nbytes = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  [[nodiscard]] Place place() const;

  PyObject* tensor_;
  PyObject* array_ = nullptr;
  Place watched_;
};

// torch's modules and classes stay once imported, so these are kept for good.
struct Torch {
  PyObject* module = nullptr;
  PyObject* tensor = nullptr;
  PyObject* parameter = nullptr;
  PyObject* strided = nullptr;
  // Properties and methods of the class, looked up once: finding one costs more than asking it, and
  // a tensor's own attributes of these names can be anything.
  PyObject* dtype = nullptr;
  PyObject* device = nullptr;
  PyObject* is_cpu = nullptr;
  PyObject* is_nested = nullptr;
  PyObject* is_quantized = nullptr;
  PyObject* layout = nullptr;
  PyObject* shape = nullptr;
  PyObject* stride = nullptr;
  PyObject* data_ptr = nullptr;
  PyObject* is_neg = nullptr;
  PyObject* is_conj = nullptr;
  PyObject* storage_offset = nullptr;
  PyObject* untyped_storage = nullptr;
  PyObject* storage_nbytes = nullptr;

  [[nodiscard]] static nb::object call(PyObject* method, nb::handle tensor) {
    PyObject* result = PyObject_CallOneArg(method, tensor.ptr());
    if (result == nullptr) {
      throw nb::python_error();
    }
    return nb::steal(result);
  }
  [[nodiscard]] static nb::object get(PyObject* property, nb::handle tensor) {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(tensor.ptr()));
    PyObject* value = Py_TYPE(property)->tp_descr_get(property, tensor.ptr(), type);
    if (value == nullptr) {
      throw nb::python_error();
    }
    return nb::steal(value);
  }
};

// The torch that this process has imported, or nothing. Looked up in sys.modules: importing it is
// what loads libtorch, and that is the caller's choice to make.
const Torch* imported_torch() noexcept {
  static Torch torch;
  if (torch.tensor != nullptr) {
    return &torch;
  }
  PyObject* modules = PySys_GetObject("modules");  // borrowed, gone in the end
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
  PyObject* storage = PyObject_GetAttrString(module, "UntypedStorage");
  bool whole = storage != nullptr && found.tensor != nullptr && PyType_Check(found.tensor) != 0 &&
               found.strided != nullptr && found.parameter != nullptr;
  const std::pair<const char*, PyObject**> members[] = {
      {"dtype", &found.dtype},
      {"device", &found.device},
      {"is_cpu", &found.is_cpu},
      {"is_nested", &found.is_nested},
      {"is_quantized", &found.is_quantized},
      {"layout", &found.layout},
      {"shape", &found.shape},
      {"stride", &found.stride},
      {"data_ptr", &found.data_ptr},
      {"is_neg", &found.is_neg},
      {"is_conj", &found.is_conj},
      {"storage_offset", &found.storage_offset},
      {"untyped_storage", &found.untyped_storage}};
  for (const auto& [name, member] : members) {
    *member = whole ? PyObject_GetAttrString(found.tensor, name) : nullptr;
    whole = *member != nullptr && Py_TYPE(*member)->tp_descr_get != nullptr;
  }
  found.storage_nbytes = whole ? PyObject_GetAttrString(storage, "nbytes") : nullptr;
  whole = found.storage_nbytes != nullptr;
  Py_XDECREF(storage);
  if (!whole) {
    PyErr_Clear();
    Py_XDECREF(found.tensor);
    Py_XDECREF(found.strided);
    Py_XDECREF(found.parameter);
    for (const auto& [name, member] : members) {
      Py_XDECREF(*member);
    }
    return nullptr;
  }
  Py_INCREF(found.module);
  torch = found;
  return &torch;
}

DType dtype_of(const Torch& torch, nb::handle tensor, const std::string& label) {
  const nb::object dtype = Torch::get(torch.dtype, tensor);
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

bool is_true(const nb::object& object) { return PyObject_IsTrue(object.ptr()) == 1; }

void check_kind(const Torch& torch, nb::handle tensor, const std::string& label) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(tensor.ptr()));
  if (type != torch.tensor && type != torch.parameter) {
    throw Error(ErrorKind::kDType,
                label + " is a " + python_type_name(tensor) +
                    ", a subclass of torch.Tensor whose memory may not hold what it shows. Pass "
                    "x.as_subclass(torch.Tensor) if it does.");
  }
  if (is_true(Torch::get(torch.is_nested, tensor))) {
    throw Error(ErrorKind::kLayout, label +
                                        " is a nested tensor, which has no one shape. Pad it with "
                                        "x.to_padded_tensor(...) first.");
  }
  if (is_true(Torch::get(torch.is_quantized, tensor))) {
    throw Error(ErrorKind::kDType, label +
                                       " is a quantized tensor: its memory holds integers, not "
                                       "the values it shows. Pass x.int_repr() or x.dequantize().");
  }
  const nb::object layout = Torch::get(torch.layout, tensor);
  if (layout.ptr() != torch.strided) {
    throw Error(ErrorKind::kLayout, label + " has layout " + nb::str(layout).c_str() +
                                        ", whose memory is not one block of elements. Pass "
                                        "x.to_dense().");
  }
  if (is_true(Torch::call(torch.is_neg, tensor))) {
    throw Error(ErrorKind::kLayout, label +
                                        " is a negated view: its memory holds the values with the "
                                        "other sign. Pass x.resolve_neg().");
  }
}

Device device_of(const Torch& torch, nb::handle tensor, const std::string& label) {
  // Reading the name of a device makes a str.
  if (is_true(Torch::get(torch.is_cpu, tensor))) {
    return kHost;
  }
  const nb::object device = Torch::get(torch.device, tensor);
  const std::string kind = nb::str(device.attr("type")).c_str();
  const nb::object index = device.attr("index");
  const int32_t number = index.is_none() ? 0 : nb::cast<int32_t>(index);
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

void read_dims(nb::handle tuple, Dims& dims) {
  if (PyTuple_Check(tuple.ptr()) == 0) {
    nb::raise_type_error("torch gave a %s for a shape or strides", Py_TYPE(tuple.ptr())->tp_name);
  }
  dims.resize(static_cast<size_t>(PyTuple_GET_SIZE(tuple.ptr())));
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] =
        nb::cast<int64_t>(nb::handle(PyTuple_GET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i))));
  }
}

}  // namespace

PyObject* torch_tensor_type() noexcept {
  const Torch* torch = imported_torch();
  return torch != nullptr ? torch->tensor : nullptr;
}

TorchPin::Place TorchPin::place() const {
  const Torch& torch = *imported_torch();
  return {nb::cast<uintptr_t>(Torch::call(torch.data_ptr, tensor_)),
          nb::cast<int64_t>(
              Torch::call(torch.storage_nbytes, Torch::call(torch.untyped_storage, tensor_)))};
}

// An array of numpy's over the whole storage: it keeps the storage, whatever the tensor gets
// instead, and torch does not resize a storage that numpy has an array over.
void TorchPin::hold_in_place() {
  const Torch& torch = *imported_torch();
  const nb::handle module = torch.module;
  const nb::object storage = Torch::call(torch.untyped_storage, tensor_);
  const nb::object bytes = module.attr("empty")(0, nb::arg("dtype") = module.attr("uint8"));
  bytes.attr("set_")(storage);
  array_ = nb::object(bytes.attr("numpy")()).release().ptr();
}

LentTensor lend_torch(nb::handle tensor, const std::string& label) {
  const Torch& torch = *imported_torch();
  check_kind(torch, tensor, label);
  LentTensor lent;
  TensorView& view = lent.view;
  view.device = device_of(torch, tensor, label);
  view.dtype = dtype_of(torch, tensor, label);
  constexpr int kComplexCode = 5;
  if (info(view.dtype).dlpack_code == kComplexCode && is_true(Torch::call(torch.is_conj, tensor))) {
    throw Error(ErrorKind::kLayout, label +
                                        " is a conjugated view: its memory holds the values "
                                        "before conjugation. Pass x.resolve_conj().");
  }
  read_dims(Torch::get(torch.shape, tensor), view.shape);
  read_dims(Torch::call(torch.stride, tensor), view.strides);
  const auto itemsize = static_cast<int64_t>(info(view.dtype).itemsize());
  bool agree = view.strides.size() == view.shape.size();
  for (size_t i = 0; agree && i < view.strides.size(); ++i) {
    agree = !__builtin_mul_overflow(view.strides[i], itemsize, &view.strides[i]);
  }
  if (!agree) {
    throw Error(ErrorKind::kLayout, label +
                                        " gives a shape and strides that do not agree, so its "
                                        "layout cannot be read. Pass x.contiguous().");
  }
  // A storage can be resized under the tensors that view it.
  const auto extent = extent_of(view.shape, view.strides, static_cast<size_t>(itemsize));
  const auto storage = nb::cast<int64_t>(
      Torch::call(torch.storage_nbytes, Torch::call(torch.untyped_storage, tensor)));
  int64_t end = nb::cast<int64_t>(Torch::call(torch.storage_offset, tensor));
  if (!extent || __builtin_mul_overflow(end, itemsize, &end) ||
      __builtin_add_overflow(end, extent->high, &end) || (extent->high != 0 && end > storage)) {
    throw Error(ErrorKind::kLayout, label + " reaches past the end of its storage, which has " +
                                        std::to_string(storage) +
                                        " bytes left. Pass a tensor whose storage holds all of "
                                        "its elements.");
  }
  view.data = reinterpret_cast<void*>(nb::cast<uintptr_t>(Torch::call(torch.data_ptr, tensor)));
  lent.pin = std::make_unique<TorchPin>(tensor);
  return lent;
}

}  // namespace nocopy
