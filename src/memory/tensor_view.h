#pragma once

#include <cstddef>

#include "memory/device.h"
#include "memory/dims.h"
#include "memory/dtype.h"
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
  // What keeps `data` alive. Null where the caller of the function that takes the view does.
  PinPtr pin;
};

}  // namespace nocopy
