#include <memory>
#include <string>
#include <vector>

#include "bindings/memory/python.h"
#include "bindings/memory/tensor_buffer.h"
#include "memory/dlpack.h"
#include "memory/error.h"

namespace nocopy {
namespace {

// Everything that a managed tensor points at, freed by its deleter.
template <typename Managed>
struct Export {
  Managed managed{};
  std::shared_ptr<void> owner;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // elements
};

template <typename Managed>
void delete_export(Managed* managed) {
  delete static_cast<Export<Managed>*>(managed->manager_ctx);  // NOLINT(*-owning-memory)
}

template <typename Managed>
void destroy_unclaimed(PyObject* capsule) {
  constexpr bool versioned = std::is_same_v<Managed, dlpack::ManagedTensorVersioned>;
  const char* name = versioned ? dlpack::kVersionedName : dlpack::kName;
  if (PyCapsule_IsValid(capsule, name) == 0) {
    return;  // claimed: its consumer calls the deleter
  }
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

template <typename Managed>
nb::object make_capsule(const OwnedTensor& tensor, const char* name, bool copied) {
  const TensorView& view = tensor.view;
  const DTypeInfo& dtype = info(view.dtype);
  const auto itemsize = static_cast<int64_t>(dtype.itemsize());
  auto exported = std::make_unique<Export<Managed>>();
  exported->owner = tensor.owner;
  exported->shape.assign(view.shape.begin(), view.shape.end());
  for (const int64_t stride : view.strides) {
    exported->strides.push_back(stride / itemsize);
  }
  Managed& managed = exported->managed;
  managed.tensor.data = view.data;
  managed.tensor.device = {view.device.kind, view.device.index};
  managed.tensor.ndim = static_cast<int32_t>(view.shape.size());
  managed.tensor.dtype = {static_cast<uint8_t>(dtype.dlpack_code), dtype.bits, 1};
  managed.tensor.shape = exported->shape.data();
  managed.tensor.strides = exported->strides.data();
  managed.tensor.byte_offset = 0;
  managed.manager_ctx = exported.get();
  managed.deleter = delete_export<Managed>;
  if constexpr (std::is_same_v<Managed, dlpack::ManagedTensorVersioned>) {
    managed.version = dlpack::kVersion;
    managed.flags =
        (view.read_only ? dlpack::kFlagReadOnly : 0) | (copied ? dlpack::kFlagCopied : 0);
  }
  PyObject* capsule = PyCapsule_New(&managed, name, destroy_unclaimed<Managed>);
  if (capsule == nullptr) {
    throw nb::python_error();
  }
  static_cast<void>(exported.release());  // the capsule's now
  return nb::steal(capsule);
}

}  // namespace

nb::object make_dlpack_capsule(const OwnedTensor& tensor, bool versioned, bool copied) {
  const DTypeInfo& dtype = info(tensor.view.dtype);
  if (dtype.dlpack_code == kNoCode || dtype.bits % 8 != 0) {
    const std::string why = "DLPack has no name for dtype " + std::string(dtype.name) +
                            "; read the memory through the buffer protocol instead";
    PyErr_SetString(PyExc_BufferError, why.c_str());
    throw nb::python_error();
  }
  return versioned
             ? make_capsule<dlpack::ManagedTensorVersioned>(tensor, dlpack::kVersionedName, copied)
             : make_capsule<dlpack::ManagedTensor>(tensor, dlpack::kName, copied);
}

}  // namespace nocopy
