#include "executorch/input.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include "memory/error.h"
#include "memory/layout.h"

namespace nocopy::executorch {
namespace {

Device to_device(DeviceEntry entry) {
  // The program file counts device kinds from the CPU on, DLPack from 1.
  return Device{entry.type + 1, entry.type == 0 ? 0 : std::max<int>(entry.index, 0)};
}

std::string quoted_layout(std::span<const int64_t> shape, std::span<const int64_t> strides,
                          size_t itemsize) {
  std::string text = "strides " + to_string(strides) + " bytes";
  if (const auto order = dim_order_of(shape, strides, itemsize)) {
    text += ", dimension order " + to_string(*order);
    if (std::is_sorted(order->begin(), order->end())) {
      text += ", contiguous";
    } else if (*order == Dims{0, 2, 3, 1}) {
      text += ", channels-last";
    }
  }
  return text;
}

// The five conditions under which a run of bytes stands for elements that no format code names:
// the dtype has no code, and the bytes are flat, of size one, packed, and fill the input exactly.
bool fits_as_raw_bytes(const ValueSpec& spec, const LentTensor& tensor) {
  const TensorView& view = tensor.view;
  return tensor.raw_bytes && info(spec.dtype).format == 0 && view.shape.size() == 1 &&
         info(view.dtype).itemsize() == 1 && view.strides[0] == 1 &&
         static_cast<size_t>(view.shape[0]) == spec.nbytes;
}

void check_dtype(const ValueSpec& spec, LentTensor& tensor, const std::string& what) {
  TensorView& view = tensor.view;
  if (view.dtype == spec.dtype) {
    return;
  }
  if (fits_as_raw_bytes(spec, tensor)) {
    view.dtype = spec.dtype;
    view.shape = spec.shape;
    view.strides = spec.strides;
    return;
  }
  std::string message = what + " has dtype " + std::string(info(view.dtype).name) +
                        ", but the method expects " + std::string(info(spec.dtype).name) + ". ";
  if (info(spec.dtype).format == 0) {
    message += "Pass it as an array or tensor of that dtype, or as a flat run of exactly " +
               std::to_string(spec.nbytes) + " raw bytes.";
  } else {
    message +=
        "Convert it first, for example with .astype('" + std::string(info(spec.dtype).name) + "').";
  }
  throw Error(ErrorKind::kDType, message);
}

void check_shape(const ValueSpec& spec, const TensorView& view, const std::string& what) {
  const auto fail = [&](const std::string& detail) {
    throw Error(ErrorKind::kShape,
                what + " has shape " + to_string(view.shape) + ", but the method expects " +
                    (spec.dynamic ? "at most " : "") + to_string(spec.shape) + detail);
  };
  if (view.shape.size() > kMaxRuntimeRank) {
    throw Error(ErrorKind::kShape, what + " has " + std::to_string(view.shape.size()) +
                                       " dimensions; the runtime can describe at most " +
                                       std::to_string(kMaxRuntimeRank) + ".");
  }
  if (view.shape.size() != spec.shape.size()) {
    fail(" (" + std::to_string(spec.shape.size()) + " dimensions, not " +
         std::to_string(view.shape.size()) + "). Reshape it first.");
  }
  for (size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] < 0 || view.shape[i] > std::numeric_limits<int32_t>::max()) {
      throw Error(ErrorKind::kShape, what + " has size " + std::to_string(view.shape[i]) +
                                         " in dimension " + std::to_string(i) +
                                         "; the runtime holds sizes from 0 to 2147483647.");
    }
    const bool fits =
        spec.dynamic ? view.shape[i] <= spec.shape[i] : view.shape[i] == spec.shape[i];
    if (!fits) {
      fail(" (dimension " + std::to_string(i) + ").");
    }
  }
  if (!packed_nbytes(view.shape, info(view.dtype).itemsize())) {
    throw Error(ErrorKind::kShape, what + " has shape " + to_string(view.shape) +
                                       ", more bytes than an address can count.");
  }
}

void check_layout(const ValueSpec& spec, TensorView& view, const std::string& what) {
  const size_t itemsize = info(spec.dtype).itemsize();
  Dims resized;
  const Dims* wanted = &spec.strides;
  if (!(view.shape == spec.shape)) {
    resized = packed_strides(view.shape, spec.dim_order, itemsize);
    wanted = &resized;
  }
  // The runtime holds strides in 32 bits, also for sizes that each fit.
  for (const int64_t stride : *wanted) {
    if (stride / static_cast<int64_t>(itemsize) > std::numeric_limits<int32_t>::max()) {
      throw Error(ErrorKind::kShape, what + " has shape " + to_string(view.shape) +
                                         ", whose strides the runtime cannot hold in 32 bits.");
    }
  }
  if (!same_layout(view.shape, view.strides, *wanted)) {
    std::string message = what + " has a layout that the method does not read: given " +
                          quoted_layout(view.shape, view.strides, itemsize) + "; expected " +
                          quoted_layout(view.shape, *wanted, itemsize) + " (shape " +
                          to_string(view.shape) + "). ";
    if (!dim_order_of(view.shape, view.strides, itemsize)) {
      message += "No packed layout describes this view; make it contiguous first. ";
    }
    message += wanted->size() == 4 && spec.dim_order[1] == 2
                   ? "Pass memory in channels-last order, for example "
                     "numpy.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)."
                   : "Pass numpy.ascontiguousarray(x), or x.contiguous() of a torch tensor.";
    throw Error(ErrorKind::kLayout, message);
  }
  view.strides = *wanted;
}

}  // namespace

ValueSpec make_spec(const ValueEntry& entry, size_t index) {
  ValueSpec spec;
  spec.kind = entry.kind;
  spec.index = index;
  if (entry.kind != ValueKind::kTensor) {
    return spec;
  }
  const TensorEntry& tensor = entry.tensor;
  const auto dtype = dtype_from_scalar_type(tensor.scalar_type);
  if (!dtype) {
    throw Error(ErrorKind::kProgram, "the program uses scalar type " +
                                         std::to_string(tensor.scalar_type) +
                                         ", which this version does not know.");
  }
  spec.name = tensor.name;
  spec.dtype = *dtype;
  spec.shape.resize(tensor.sizes.size());
  std::copy(tensor.sizes.begin(), tensor.sizes.end(), spec.shape.begin());
  spec.dim_order.assign(tensor.dim_order.begin(), tensor.dim_order.end());
  spec.strides = packed_strides(spec.shape, spec.dim_order, info(spec.dtype).itemsize());
  spec.dynamic = tensor.dynamic;
  spec.planned = tensor.planned || tensor.constant;
  spec.device = to_device(tensor.device);
  spec.nbytes = tensor.nbytes;
  return spec;
}

InputPlan plan_input(const ValueSpec& spec, const TensorView& view, const Pin* pin,
                     bool reads_past_end) noexcept {
  if (spec.kind != ValueKind::kTensor) {
    return {InputAction::kValue, "the method takes a plain value here, not memory"};
  }
  if (spec.planned) {
    return {InputAction::kCopiedByRuntime,
            "the program reserves memory for this input, and the runtime copies into it"};
  }
  if (!view.device.is_host()) {
    return {InputAction::kBorrowed, "device memory is passed by pointer"};
  }
  if (reads_past_end) {
    return {InputAction::kCopiedByUs,
            "the method uses a delegate, which may read past the end of its inputs, so they are "
            "copied to where there is room"};
  }
  if (reinterpret_cast<uintptr_t>(view.data) % info(view.dtype).alignment() != 0) {
    return {InputAction::kCopiedByUs,
            "the memory does not start at a multiple of its elements' size, as kernels expect"};
  }
  if (view.read_only) {
    return {InputAction::kCopiedByUs,
            "the memory is read-only, and the method might write into its input"};
  }
  if (pin == nullptr || !pin->promises_memory()) {
    return {InputAction::kCopiedByUs, "the object does not promise that its memory stays in place"};
  }
  return {InputAction::kBorrowed,
          "the program reserves no memory for this input, and the object lends writable memory "
          "that stays in place"};
}

void check_tensor_input(const ValueSpec& spec, LentTensor& tensor, const std::string& what) {
  TensorView& view = tensor.view;
  // What the method declares passes every check below.
  if (view.dtype == spec.dtype && view.device == spec.device && view.data != nullptr &&
      view.shape == spec.shape && view.strides == spec.strides) {
    return;
  }
  if (!(view.device == spec.device)) {
    throw Error(ErrorKind::kDevice, what + " is on " + to_string(view.device) +
                                        ", but the method expects it on " + to_string(spec.device) +
                                        ". Move it there first.");
  }
  check_dtype(spec, tensor, what);
  check_shape(spec, view, what);
  check_layout(spec, view, what);
  if (view.data == nullptr && packed_nbytes(view.shape, info(view.dtype).itemsize()) != 0) {
    throw Error(ErrorKind::kLayout, what +
                                        " has no memory: its data pointer is null. Pass memory "
                                        "that holds its values.");
  }
}

std::string describe_input(const ValueSpec& spec, std::string_view method) {
  std::string text = "input " + std::to_string(spec.index);
  if (!spec.name.empty()) {
    text += " ('" + spec.name + "')";
  }
  return text + " of method '" + std::string(method) + "'";
}

std::string describe(const InputValue& value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool b) const { return b ? "the bool True" : "the bool False"; }
    std::string operator()(int64_t i) const { return "the int " + std::to_string(i); }
    std::string operator()(double d) const {
      char digits[32];  // the fewest that tell it from every other
      const auto end = std::to_chars(std::begin(digits), std::end(digits), d).ptr;
      return "the float " + std::string(digits, end);
    }
    std::string operator()(const std::string& s) const { return "the str '" + s + "'"; }
    std::string operator()(const LentTensor& t) const {
      return std::string(info(t.view.dtype).name) + " memory of shape " + to_string(t.view.shape);
    }
  };
  return std::visit(Visitor{}, value);
}

std::string describe(const ValueSpec& spec) {
  if (spec.kind != ValueKind::kTensor) {
    return std::string(value_kind_name(spec.kind));
  }
  return "a tensor of dtype " + std::string(info(spec.dtype).name) + " and shape " +
         (spec.dynamic ? "at most " : "") + to_string(spec.shape);
}

}  // namespace nocopy::executorch
