#include "bindings/executorch/torch_result.h"

#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "memory/error.h"

namespace nocopy::executorch {
namespace {

nb::object torch_module() {
  static PyObject* name = PyUnicode_InternFromString("torch");
  nb::object module = nb::steal(name != nullptr ? PyImport_GetModule(name) : nullptr);
  if (!module.is_valid()) {
    PyErr_Clear();  // there are no modules any more as the interpreter ends
    throw Error(ErrorKind::kGeneric,
                "this method returns torch tensors, because torch was imported when it was "
                "loaded, but torch is no longer among the imported modules. Load the method "
                "again to get TensorBuffers.");
  }
  return module;
}

// What makes a tensor of a DLPack capsule. Looked up once, as long as torch is the same.
nb::handle from_dlpack(nb::handle torch) {
  static nb::handle module;
  static nb::object* function = new nb::object();
  if (!module.is(torch)) {
    *function = torch.attr("utils").attr("dlpack").attr("from_dlpack");
    module = torch.inc_ref();
  }
  return *function;
}

}  // namespace

bool process_has_torch() { return torch_tensor_type() != nullptr; }

nb::object torch_tensor(OwnedTensor tensor) {
  const nb::object torch = torch_module();
  const DTypeInfo dtype = info(tensor.view.dtype);
  // What every version of torch reads through DLPack. Other dtypes cross as the unsigned or signed
  // integer of their width, and torch is told what they are.
  constexpr int kLastOldCode = 5;
  const bool direct = dtype.dlpack_code != kNoCode && dtype.dlpack_code <= kLastOldCode &&
                      dtype.dtype != DType::kUInt16 && dtype.dtype != DType::kUInt32 &&
                      dtype.dtype != DType::kUInt64;
  if (!direct) {
    switch (dtype.itemsize()) {
      case 1:
        tensor.view.dtype = DType::kUInt8;
        break;
      case 2:
        tensor.view.dtype = DType::kInt16;
        break;
      case 4:
        tensor.view.dtype = DType::kInt32;
        break;
      default:
        tensor.view.dtype = DType::kInt64;
        break;
    }
  }
  nb::object result =
      from_dlpack(torch)(make_dlpack_capsule(tensor, /*versioned=*/false, /*copied=*/false));
  if (!direct) {
    result = result.attr("view")(torch.attr(std::string(dtype.torch_name).c_str()));
  }
  return result;
}

}  // namespace nocopy::executorch
