#include "memory/dtype.h"

#include <array>

namespace nocopy {
namespace {

// DLPack codes: int 0, uint 1, float 2, bfloat 4, complex 5, bool 6, and since version 1.1 the
// narrow floats from 7 on (dlpack.h).
constexpr std::array kTable = {
    DTypeInfo{DType::kUInt8, "uint8", 8, 'B', 1, 0, 2, "uint8"},
    DTypeInfo{DType::kInt8, "int8", 8, 'b', 0, 1, 3, "int8"},
    DTypeInfo{DType::kInt16, "int16", 16, 'h', 0, 2, 5, "int16"},
    DTypeInfo{DType::kInt32, "int32", 32, 'i', 0, 3, 6, "int32"},
    DTypeInfo{DType::kInt64, "int64", 64, 'q', 0, 4, 7, "int64"},
    DTypeInfo{DType::kFloat16, "float16", 16, 'e', 2, 5, 10, "float16"},
    DTypeInfo{DType::kFloat32, "float32", 32, 'f', 2, 6, 1, "float32"},
    DTypeInfo{DType::kFloat64, "float64", 64, 'd', 2, 7, 11, "float64"},
    DTypeInfo{DType::kComplex32, "complex32", 32, 0, 5, 8, kNoCode, "complex32"},
    DTypeInfo{DType::kComplex64, "complex64", 64, 'F', 5, 9, 14, "complex64"},
    DTypeInfo{DType::kComplex128, "complex128", 128, 'D', 5, 10, 15, "complex128"},
    DTypeInfo{DType::kBool, "bool", 8, '?', 6, 11, 9, "bool"},
    DTypeInfo{DType::kQInt8, "qint8", 8, 0, kNoCode, 12, kNoCode, "qint8"},
    DTypeInfo{DType::kQUInt8, "quint8", 8, 0, kNoCode, 13, kNoCode, "quint8"},
    DTypeInfo{DType::kQInt32, "qint32", 32, 0, kNoCode, 14, kNoCode, "qint32"},
    DTypeInfo{DType::kBFloat16, "bfloat16", 16, 0, 4, 15, 16, "bfloat16"},
    DTypeInfo{DType::kQUInt4x2, "quint4x2", 8, 0, kNoCode, 16, kNoCode, "quint4x2"},
    DTypeInfo{DType::kQUInt2x4, "quint2x4", 8, 0, kNoCode, 17, kNoCode, "quint2x4"},
    DTypeInfo{DType::kBits1x8, "bits1x8", 8, 0, kNoCode, 18, kNoCode, "bits1x8"},
    DTypeInfo{DType::kBits2x4, "bits2x4", 8, 0, kNoCode, 19, kNoCode, "bits2x4"},
    DTypeInfo{DType::kBits4x2, "bits4x2", 8, 0, kNoCode, 20, kNoCode, "bits4x2"},
    DTypeInfo{DType::kBits8, "bits8", 8, 0, kNoCode, 21, kNoCode, "bits8"},
    DTypeInfo{DType::kBits16, "bits16", 16, 0, kNoCode, 22, kNoCode, "bits16"},
    DTypeInfo{DType::kFloat8E5M2, "float8_e5m2", 8, 0, 12, 23, 19, "float8_e5m2"},
    DTypeInfo{DType::kFloat8E4M3FN, "float8_e4m3fn", 8, 0, 10, 24, 17, "float8_e4m3fn"},
    DTypeInfo{DType::kFloat8E5M2FNUZ, "float8_e5m2fnuz", 8, 0, 13, 25, 20, "float8_e5m2fnuz"},
    DTypeInfo{DType::kFloat8E4M3FNUZ, "float8_e4m3fnuz", 8, 0, 11, 26, 18, "float8_e4m3fnuz"},
    DTypeInfo{DType::kUInt16, "uint16", 16, 'H', 1, 27, 4, "uint16"},
    DTypeInfo{DType::kUInt32, "uint32", 32, 'I', 1, 28, 12, "uint32"},
    DTypeInfo{DType::kUInt64, "uint64", 64, 'Q', 1, 29, 13, "uint64"},
    DTypeInfo{DType::kString, "string", 0, 0, kNoCode, kNoCode, 8, ""},
    DTypeInfo{DType::kUInt4, "uint4", 4, 0, kNoCode, kNoCode, 21, ""},
    DTypeInfo{DType::kInt4, "int4", 4, 0, kNoCode, kNoCode, 22, ""},
    DTypeInfo{DType::kFloat4E2M1, "float4_e2m1fn", 4, 0, 17, kNoCode, 23, ""},
    DTypeInfo{DType::kFloat8E8M0, "float8_e8m0fnu", 8, 0, 14, kNoCode, 24, "float8_e8m0fnu"},
    DTypeInfo{DType::kUInt2, "uint2", 2, 0, kNoCode, kNoCode, 25, ""},
    DTypeInfo{DType::kInt2, "int2", 2, 0, kNoCode, kNoCode, 26, ""},
};

constexpr bool rows_are_in_order() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].dtype) != i) {
      return false;
    }
  }
  return true;
}
static_assert(rows_are_in_order());

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

template <typename Matches>
std::optional<DType> find(Matches matches) noexcept {
  for (const DTypeInfo& row : kTable) {
    if (matches(row)) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

std::optional<DType> by_kind(int dlpack_code, size_t itemsize) noexcept {
  return find([&](const DTypeInfo& row) {
    return row.format != 0 && row.dlpack_code == dlpack_code && row.itemsize() == itemsize;
  });
}

}  // namespace

std::span<const DTypeInfo> dtype_table() noexcept { return kTable; }

const DTypeInfo& info(DType dtype) noexcept { return kTable[static_cast<size_t>(dtype)]; }

// The dtype of each code in its usual width: the answer to nearly every question.
constexpr auto kUsual = [] {
  std::array<const DTypeInfo*, 128> rows{};
  for (const DTypeInfo& row : kTable) {
    if (row.format != 0) {
      rows[static_cast<size_t>(row.format)] = &row;
    }
  }
  return rows;
}();

std::optional<DType> dtype_from_format(std::string_view format, size_t itemsize) noexcept {
  if (format.size() == 1 && static_cast<unsigned char>(format[0]) < kUsual.size()) {
    const DTypeInfo* usual = kUsual[static_cast<size_t>(format[0])];
    if (usual != nullptr && usual->itemsize() == itemsize) {
      return usual->dtype;
    }
  }
  constexpr int kInt = 0;
  constexpr int kUInt = 1;
  constexpr int kFloat = 2;
  constexpr int kComplex = 5;
  constexpr int kBoolCode = 6;
  if (!format.empty()) {
    const char order = format.front();
    const bool host_order = order == '@' || order == '=' || (order == '<' && kLittleEndian) ||
                            ((order == '>' || order == '!') && !kLittleEndian);
    if (host_order) {
      format.remove_prefix(1);
    }
  }
  if (format.size() == 2 && format[0] == 'Z') {
    return by_kind(kComplex, itemsize);
  }
  if (format.size() != 1) {
    return std::nullopt;
  }
  switch (format[0]) {
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return by_kind(kInt, itemsize);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return by_kind(kUInt, itemsize);
    case 'e':
    case 'f':
    case 'd':
      return by_kind(kFloat, itemsize);
    case 'F':  // Python 3.14's codes for complex; older exporters write Zf and Zd.
    case 'D':
      return by_kind(kComplex, itemsize);
    case '?':
      return by_kind(kBoolCode, itemsize);
    default:
      return std::nullopt;
  }
}

std::optional<DType> dtype_from_dlpack(uint8_t code, uint8_t bits) noexcept {
  return find([&](const DTypeInfo& row) { return row.dlpack_code == code && row.bits == bits; });
}

std::optional<DType> dtype_from_scalar_type(int scalar_type) noexcept {
  return find([&](const DTypeInfo& row) {
    return row.scalar_type == scalar_type && scalar_type != kNoCode;
  });
}

std::optional<DType> dtype_from_onnx(int onnx_type) noexcept {
  return find(
      [&](const DTypeInfo& row) { return row.onnx_type == onnx_type && onnx_type != kNoCode; });
}

std::optional<DType> dtype_from_name(std::string_view name) noexcept {
  return find([&](const DTypeInfo& row) {
    return row.name == name || (!name.empty() && row.torch_name == name);
  });
}

const char* lending_format(DType dtype) noexcept {
  switch (dtype) {
    // numpy reads these two only in the form that PEP 3118 gives them.
    case DType::kComplex64:
      return "Zf";
    case DType::kComplex128:
      return "Zd";
    default:
      break;
  }
  const DTypeInfo& row = info(dtype);
  switch (row.format) {
    case 'b':
      return "b";
    case 'h':
      return "h";
    case 'i':
      return "i";
    case 'q':
      return "q";
    case 'H':
      return "H";
    case 'I':
      return "I";
    case 'Q':
      return "Q";
    case 'e':
      return "e";
    case 'f':
      return "f";
    case 'd':
      return "d";
    case '?':
      return "?";
    default:
      break;
  }
  switch (row.itemsize()) {
    case 2:
      return "H";
    case 4:
      return "I";
    case 8:
      return "Q";
    default:
      return "B";
  }
}

}  // namespace nocopy
