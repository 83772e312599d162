#include "onnx/tensor_view.h"

#include <string>

#include "memory/error.h"
#include "memory/layout.h"
#include "memory/mapped_file.h"

namespace nocopy::onnx {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "raw data is little-endian and is read as it is");

constexpr char kWayOut[] = " nocopy.onnx.numpy_helper.to_array(tensor) copies them into an array.";
// The buffer protocol's limit.
constexpr std::size_t kMostDimensions = 64;

std::string named(const TensorProto& tensor) {
  return tensor.has_name() ? "tensor '" + std::string(tensor.name().view()) + "'" : "the tensor";
}

[[noreturn]] void fail(ErrorKind kind, const TensorProto& tensor, const std::string& why) {
  throw Error(kind, named(tensor) + why);
}

const EnumValue* element_type(const TensorProto& tensor) {
  for (const EnumSchema* schema : TensorProto::kSchema.enums) {
    if (schema->name == "DataType") {
      return schema->find(tensor.data_type());
    }
  }
  return nullptr;
}

DType dtype_of(const TensorProto& tensor) {
  const EnumValue* type = element_type(tensor);
  if (type == nullptr || type->number == TensorProto::UNDEFINED) {
    fail(ErrorKind::kDType, tensor,
         " has the element type " + std::to_string(tensor.data_type()) +
             ", which is none; set data_type to a value of TensorProto.DataType.");
  }
  if (type->number == TensorProto::STRING) {
    fail(ErrorKind::kDType, tensor,
         std::string(" holds strings, which are of no fixed size and so have no view.") + kWayOut);
  }
  const auto dtype = dtype_from_onnx(type->number);
  if (!dtype || info(*dtype).itemsize() == 0) {
    fail(ErrorKind::kDType, tensor,
         " has elements of type " + std::string(type->name) +
             ", of which several share a byte, and so has no view." + kWayOut);
  }
  return *dtype;
}

Dims shape_of(const TensorProto& tensor) {
  const Dims shape(tensor.dims().span());
  if (shape.size() > kMostDimensions) {
    fail(ErrorKind::kShape, tensor,
         " has " + std::to_string(shape.size()) + " dimensions, of which a view has at most " +
             std::to_string(kMostDimensions) + ".");
  }
  for (const std::int64_t size : shape) {
    if (size < 0) {
      fail(ErrorKind::kShape, tensor,
           " has the shape " + to_string(shape) + ", with a negative size.");
    }
  }
  return shape;
}

// Raw data says nothing where the values are elsewhere.
void check_has_raw_data(const TensorProto& tensor) {
  if (tensor.has_raw_data()) {
    return;
  }
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    fail(ErrorKind::kExternalData, tensor,
         " has its values in another file, which was not loaded; load the model with "
         "load_external_data=True.");
  }
  for (const FieldSchema& field : TensorProto::kSchema.fields) {
    if (field.name.ends_with("_data") && field.message == nullptr && tensor.has(field)) {
      fail(ErrorKind::kLayout, tensor,
           " has its values in " + std::string(field.name) +
               ", which is not the memory of an array." + kWayOut);
    }
  }
}

}  // namespace

void check_raw_data_is_there(const TensorProto& tensor) {
  const ByteSpan& bytes = tensor.raw_data();
  const auto file = bytes.is_borrowed() ? MappedFile::around(bytes.data()) : nullptr;
  if (file == nullptr) {
    return;
  }
  const auto* begin = reinterpret_cast<const std::uint8_t*>(file->bytes().data());
  const auto end = static_cast<long long>(bytes.data() + bytes.size() - begin);
  const long long size = file->size_on_disk();
  if (size >= 0 && size < end) {  // negative: cannot be asked
    fail(ErrorKind::kExternalData, tensor,
         " borrows the bytes up to " + std::to_string(end) + " of the mapped file '" +
             file->name() + "', which was cut off after that and has " + std::to_string(size) +
             " bytes. Load the model again, from whole files.");
  }
}

OwnedTensor view_tensor(TensorProto& tensor) {
  if (tensor.has_segment()) {
    fail(ErrorKind::kLayout, tensor, " is a segment of another tensor, which is not supported.");
  }
  const DType dtype = dtype_of(tensor);
  const Dims shape = shape_of(tensor);
  check_has_raw_data(tensor);
  const std::size_t size = tensor.raw_data().size();
  const auto nbytes = packed_nbytes(shape, info(dtype).itemsize());
  if (!nbytes || static_cast<std::uint64_t>(*nbytes) != size) {
    fail(ErrorKind::kShape, tensor,
         " has " + std::to_string(size) + " bytes of raw data, where its shape " +
             to_string(shape) + " of " + std::string(info(dtype).name) + " takes " +
             (nbytes ? std::to_string(*nbytes) : "more than can be counted") + ".");
  }
  OwnedTensor viewed = view_raw_data(tensor);
  viewed.view.dtype = dtype;
  viewed.view.shape = shape;
  viewed.view.strides = contiguous_strides(shape, info(dtype).itemsize());
  return viewed;
}

OwnedTensor view_raw_data(TensorProto& tensor) {
  check_raw_data_is_there(tensor);
  ByteSpan& bytes = tensor.ref_raw_data();
  OwnedTensor viewed;
  // Borrowed without an owner: whoever lent the bytes promised to outlive all that reads them.
  viewed.owner = bytes.share();
  viewed.view.dtype = DType::kUInt8;
  viewed.view.shape = Dims{static_cast<std::int64_t>(bytes.size())};
  viewed.view.strides = Dims{1};
  viewed.view.read_only = bytes.mutable_data() == nullptr;
  // Written to only where mutable_data() allows it, which read_only says.
  viewed.view.data = const_cast<std::uint8_t*>(bytes.data());
  return viewed;
}

bool is_aligned(const TensorProto& tensor) noexcept {
  const auto dtype = dtype_from_onnx(tensor.data_type());
  const std::size_t alignment = dtype ? info(*dtype).alignment() : 1;
  return reinterpret_cast<std::uintptr_t>(tensor.raw_data().data()) % alignment == 0;
}

}  // namespace nocopy::onnx
