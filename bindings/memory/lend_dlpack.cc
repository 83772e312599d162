// The way in through DLPack.

#include <cstring>
#include <limits>
#include <optional>
#include <variant>

#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "memory/dlpack.h"
#include "memory/error.h"
#include "memory/layout.h"

namespace nocopy {
namespace {

// A claimed capsule. Owning both halves in one object keeps the promise to call the deleter, once,
// also when something throws half way.
class DlpackPin final : public PythonPin {
 public:
  explicit DlpackPin(dlpack::ManagedTensor* managed) : legacy_(managed) {}
  explicit DlpackPin(dlpack::ManagedTensorVersioned* managed) : versioned_(managed) {}
  ~DlpackPin() override {
    // Some producers' deleters need the interpreter and do not take its lock themselves.
    with_gil_if_alive([this] {
      const KeptException kept;
      if (legacy_ != nullptr && legacy_->deleter != nullptr) {
        legacy_->deleter(legacy_);
      } else if (versioned_ != nullptr && versioned_->deleter != nullptr) {
        versioned_->deleter(versioned_);
      }
    });
  }

  [[nodiscard]] const dlpack::Tensor& tensor() const noexcept {
    return legacy_ != nullptr ? legacy_->tensor : versioned_->tensor;
  }
  [[nodiscard]] bool read_only() const noexcept {
    return versioned_ != nullptr && (versioned_->flags & dlpack::kFlagReadOnly) != 0;
  }
  [[nodiscard]] const dlpack::Version* version() const noexcept {
    return versioned_ != nullptr ? &versioned_->version : nullptr;
  }

  // Claiming is a promise by both sides: the producer leaves the memory alone until the deleter.
  [[nodiscard]] bool promises_memory() const noexcept override { return !read_only(); }
  void watch() override { watched_ = place(); }
  [[nodiscard]] bool still_in_place() override { return place() == watched_; }

 private:
  struct Place {
    const void* data = nullptr;
    uint64_t offset = 0;
    std::optional<int64_t> elements;
    friend bool operator==(const Place&, const Place&) = default;
  };
  [[nodiscard]] Place place() const noexcept {
    const dlpack::Tensor& t = tensor();
    if (t.ndim < 0 || (t.ndim > 0 && t.shape == nullptr)) {
      return {};
    }
    return {t.data, t.byte_offset, packed_nbytes({t.shape, static_cast<size_t>(t.ndim)}, 1)};
  }

  dlpack::ManagedTensor* legacy_ = nullptr;
  dlpack::ManagedTensorVersioned* versioned_ = nullptr;
  Place watched_;
};

nb::object ask_for_capsule(nb::handle object) {
  const nb::object method = object.attr("__dlpack__");
  try {
    return method(nb::arg("max_version") =
                      nb::make_tuple(dlpack::kVersion.major, dlpack::kVersion.minor));
  } catch (nb::python_error& error) {
    // Producers of before version 1.0 do not know the argument.
    if (!error.matches(PyExc_TypeError)) {
      throw;
    }
  }
  return method();
}

std::unique_ptr<DlpackPin> claim(const nb::object& capsule, const std::string& label) {
  const auto take = [&](const char* name, const char* used) -> void* {
    if (PyCapsule_IsValid(capsule.ptr(), name) == 0) {
      return nullptr;
    }
    void* managed = PyCapsule_GetPointer(capsule.ptr(), name);
    if (managed == nullptr || PyCapsule_SetName(capsule.ptr(), used) != 0) {
      throw nb::python_error();
    }
    return managed;
  };
  if (void* managed = take(dlpack::kVersionedName, dlpack::kUsedVersionedName)) {
    return std::make_unique<DlpackPin>(static_cast<dlpack::ManagedTensorVersioned*>(managed));
  }
  if (void* managed = take(dlpack::kName, dlpack::kUsedName)) {
    return std::make_unique<DlpackPin>(static_cast<dlpack::ManagedTensor*>(managed));
  }
  std::string got = python_type_name(capsule);
  if (PyCapsule_CheckExact(capsule.ptr()) != 0) {
    const char* name = PyCapsule_GetName(capsule.ptr());
    got = std::string("a capsule named '") + (name != nullptr ? name : "") + "'";
  }
  throw Error(ErrorKind::kDType, label + " offers __dlpack__ but handed over " + got +
                                     ", not an unclaimed capsule. Each capsule can be taken once.");
}

DType dtype_of(const dlpack::Tensor& tensor, const std::string& label) {
  const dlpack::DataType type = tensor.dtype;
  if (type.lanes != 1) {
    throw Error(ErrorKind::kDType, label + " has vector elements (" + std::to_string(type.lanes) +
                                       " lanes), which no tensor of the runtime has. Give the "
                                       "lanes a dimension of their own.");
  }
  const auto dtype = dtype_from_dlpack(type.code, type.bits);
  if (!dtype || info(*dtype).itemsize() == 0) {
    throw Error(ErrorKind::kDType, label + " has DLPack type code " + std::to_string(type.code) +
                                       " with " + std::to_string(type.bits) +
                                       " bits, which names no dtype that can be read here.");
  }
  return *dtype;
}

void describe(const dlpack::Tensor& tensor, TensorView& view, const std::string& label) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::kLayout, label + " describes its memory wrongly: " + why + ".");
  };
  view.dtype = dtype_of(tensor, label);
  view.device = Device{tensor.device.device_type, tensor.device.device_id};
  if (tensor.ndim < 0 || tensor.ndim > 64) {
    throw Error(ErrorKind::kShape, label + " has " + std::to_string(tensor.ndim) +
                                       " dimensions; at most 64 can be read.");
  }
  const auto rank = static_cast<size_t>(tensor.ndim);
  if (rank != 0 && tensor.shape == nullptr) {
    fail("it has dimensions but no shape");
  }
  const auto itemsize = static_cast<int64_t>(info(view.dtype).itemsize());
  view.shape.assign({tensor.shape, rank});
  const auto nbytes = packed_nbytes(view.shape, static_cast<size_t>(itemsize));
  if (!nbytes) {
    throw Error(ErrorKind::kShape,
                label + " has shape " + to_string(view.shape) + ", which no memory can hold.");
  }
  if (tensor.strides == nullptr) {
    view.strides = contiguous_strides(view.shape, static_cast<size_t>(itemsize));
  } else {
    view.strides.resize(rank);
    for (size_t i = 0; i < rank; ++i) {
      if (__builtin_mul_overflow(tensor.strides[i], itemsize, &view.strides[i])) {
        fail("a stride of " + std::to_string(tensor.strides[i]) + " elements");
      }
    }
  }
  const auto address = reinterpret_cast<uintptr_t>(tensor.data);
  if (tensor.byte_offset > std::numeric_limits<uintptr_t>::max() - address) {
    fail("a byte offset of " + std::to_string(tensor.byte_offset));
  }
  view.data =
      tensor.data == nullptr ? nullptr : static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

}  // namespace

LentTensor lend_dlpack(nb::handle object, const std::string& label) {
  // Asked first, as the standard says: a producer may move memory when asked for the capsule.
  Device declared;
  if (nb::hasattr(object, "__dlpack_device__")) {
    const nb::object device = object.attr("__dlpack_device__")();
    if (PyTuple_Check(device.ptr()) == 0 || PyTuple_GET_SIZE(device.ptr()) != 2 ||
        !nb::try_cast<int32_t>(nb::int_(nb::handle(PyTuple_GET_ITEM(device.ptr(), 0))),
                               declared.kind) ||
        !nb::try_cast<int32_t>(nb::int_(nb::handle(PyTuple_GET_ITEM(device.ptr(), 1))),
                               declared.index)) {
      throw Error(ErrorKind::kDevice,
                  label +
                      " does not say where its memory is: __dlpack_device__ gave no pair of "
                      "numbers.");
    }
  }
  std::unique_ptr<DlpackPin> pin = claim(ask_for_capsule(object), label);
  if (const dlpack::Version* version = pin->version();
      version != nullptr && version->major != dlpack::kVersion.major) {
    throw Error(ErrorKind::kDType, label + " speaks DLPack " + std::to_string(version->major) +
                                       "." + std::to_string(version->minor) +
                                       "; version 1 is read here.");
  }
  LentTensor lent;
  describe(pin->tensor(), lent.view, label);
  if (nb::hasattr(object, "__dlpack_device__") && !(lent.view.device == declared)) {
    throw Error(ErrorKind::kDevice, label + " says that it is on " + to_string(declared) +
                                        ", but handed over memory on " +
                                        to_string(lent.view.device) + ".");
  }
  lent.view.read_only = pin->read_only();
  lent.pin = std::move(pin);
  return lent;
}

}  // namespace nocopy
