#pragma once

#include <memory>
#include <utility>

#include "memory/device.h"
#include "memory/dims.h"
#include "memory/dtype.h"
#include "memory/layout.h"
#include "memory/pin.h"

namespace nocopy {

// The one description of some memory. Every way in (buffer protocol, DLPack, a torch tensor's
// Python API, an ONNX tensor) becomes one of these at once, and after that there is one path.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::kUInt8;
  Dims shape;
  Dims strides;  // bytes
  Device device;
  bool read_only = false;
};

// The bytes that the elements occupy, without gaps. The view's sizes were checked to have a
// product.
[[nodiscard]] inline size_t nbytes_of(const TensorView& view) noexcept {
  return static_cast<size_t>(packed_nbytes(view.shape, info(view.dtype).itemsize()).value_or(0));
}

// A view, and what keeps its memory alive for as long as this exists.
struct LentTensor {
  TensorView view;
  PinPtr pin;
  // A flat, packed run of bytes that says nothing of what its elements are.
  bool raw_bytes = false;
};

// A view over memory that this object owns, alone or with others.
struct OwnedTensor {
  TensorView view;
  std::shared_ptr<void> owner;
};

}  // namespace nocopy
