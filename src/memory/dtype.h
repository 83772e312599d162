#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace nocopy {

// Every element type that one of the two formats, the buffer protocol or DLPack can name.
// The order is that of the rows of the table in dtype.cc.
enum class DType : uint8_t {
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kComplex32,
  kComplex64,
  kComplex128,
  kBool,
  kQInt8,
  kQUInt8,
  kQInt32,
  kBFloat16,
  kQUInt4x2,
  kQUInt2x4,
  kBits1x8,
  kBits2x4,
  kBits4x2,
  kBits8,
  kBits16,
  kFloat8E5M2,
  kFloat8E4M3FN,
  kFloat8E5M2FNUZ,
  kFloat8E4M3FNUZ,
  kUInt16,
  kUInt32,
  kUInt64,
  kString,
  kUInt4,
  kInt4,
  kFloat4E2M1,
  kFloat8E8M0,
  kUInt2,
  kInt2,
};

inline constexpr int kNoCode = -1;

// One row per dtype. Every conversion, in either direction, reads this table, so an input and an
// output of the same dtype cannot disagree about what it is.
struct DTypeInfo {
  DType dtype;
  std::string_view name;        // what users read, and numpy's or ml_dtypes' name where one exists
  uint8_t bits;                 // of one element; 0 where an element has no fixed size
  char format;                  // buffer-protocol code on a host with C's usual sizes; 0 if none
  int dlpack_code;              // DLDataTypeCode, or kNoCode
  int scalar_type;              // ExecuTorch ScalarType, or kNoCode
  int onnx_type;                // onnx.TensorProto.DataType, or kNoCode
  std::string_view torch_name;  // attribute of the torch module; empty if none

  // Bytes of one element; sub-byte dtypes are packed and have none.
  [[nodiscard]] constexpr size_t itemsize() const noexcept { return bits / 8; }

  // What the address of an element is a multiple of where it is aligned: its size, or of a complex
  // number that of its parts.
  [[nodiscard]] constexpr size_t alignment() const noexcept {
    constexpr int kComplexCode = 5;
    const size_t size = bits < 8 ? 1 : itemsize();
    return dlpack_code == kComplexCode ? size / 2 : size;
  }
};

[[nodiscard]] std::span<const DTypeInfo> dtype_table() noexcept;
[[nodiscard]] const DTypeInfo& info(DType dtype) noexcept;

// The dtype of a buffer-protocol format. The code names the kind and the item size decides the
// width, because some codes vary by platform. Nothing for a foreign byte order, a structure, or a
// code that names no dtype.
[[nodiscard]] std::optional<DType> dtype_from_format(std::string_view format,
                                                     size_t itemsize) noexcept;
[[nodiscard]] std::optional<DType> dtype_from_dlpack(uint8_t code, uint8_t bits) noexcept;
[[nodiscard]] std::optional<DType> dtype_from_scalar_type(int scalar_type) noexcept;
[[nodiscard]] std::optional<DType> dtype_from_onnx(int onnx_type) noexcept;
// Accepts numpy's, ml_dtypes' and torch's names.
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name) noexcept;

// The buffer-protocol format under which elements of this dtype are lent: its own code, or the
// unsigned integer of the same width where no code names it.
[[nodiscard]] const char* lending_format(DType dtype) noexcept;

}  // namespace nocopy
