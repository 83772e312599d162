#pragma once

#include <cstdint>

// The structures of DLPack 1.x, as its specification lays them out in memory
// (https://dmlc.github.io/dlpack/latest/c_api.html). Written out here because a header that two
// extensions share must not depend on which dlpack.h a consumer has.
namespace nocopy::dlpack {

struct Device {
  int32_t device_type;
  int32_t device_id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null means packed in the order of the shape
  uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor*);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

inline constexpr uint64_t kFlagReadOnly = 1;
inline constexpr uint64_t kFlagCopied = 2;

struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned*);
  uint64_t flags;
  Tensor tensor;
};

inline constexpr Version kVersion{1, 1};

inline constexpr char kName[] = "dltensor";
inline constexpr char kUsedName[] = "used_dltensor";
inline constexpr char kVersionedName[] = "dltensor_versioned";
inline constexpr char kUsedVersionedName[] = "used_dltensor_versioned";

}  // namespace nocopy::dlpack
