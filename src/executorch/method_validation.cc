#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "executorch/instruction_validation.h"
#include "executorch/program_parts.h"
#include "executorch/program_schema.h"
#include "executorch/program_validation.h"
#include "executorch/xnnpack_payload.h"

namespace nocopy::executorch {
namespace {

using flatbuffer::Table;
using flatbuffer::Tables;
using flatbuffer::Vector;

constexpr std::size_t kMaxRank = 16;
constexpr std::size_t kMaxOperatorName = 99;  // "name.overload": the runtime's buffer

[[nodiscard]] std::string text(std::uint64_t number) { return std::to_string(number); }

class MethodValidator {
 public:
  MethodValidator(const ProgramLayout& layout, const ParseLimits& limits, Table plan)
      : layout_(layout),
        limits_(limits),
        plan_(plan),
        values_(plan.tables(schema::kValues)),
        buffer_sizes_(plan.scalars<std::int64_t>(schema::kNonConstBufferSizes)) {}

  void run() {
    check_buffers();
    method_.where = where();
    method_.plan = plan_;
    method_.kinds.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      method_.kinds.push_back(kind_of(values_[i]));
    }
    method_.tensors.resize(values_.size());
    method_.homes.resize(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) check_value(i);
    for (std::size_t i = 0; i < values_.size(); ++i) check_list(i);
    check_inputs();
    check_outputs();
    check_operators();
    check_delegates();
    validate_instructions(method_);
  }

 private:
  [[nodiscard]] std::string where() const {
    return "method '" + std::string(plan_.string(schema::kPlanName)) + "'";
  }
  [[noreturn]] void fail(const std::string& part, const std::string& fault,
                         std::string_view hint = {}) const {
    refuse_program(where() + ", " + part, fault, hint);
  }
  [[noreturn]] void fail_value(std::size_t i, const std::string& fault) const {
    fail("value " + text(i) + " (" + std::string(value_kind_name(method_.kinds[i])) + ")", fault);
  }

  [[nodiscard]] bool is_value(std::int64_t index) const noexcept {
    return index >= 0 && static_cast<std::uint64_t>(index) < values_.size();
  }

  void check_buffers() {
    for (std::size_t i = 0; i < buffer_sizes_.size(); ++i) {
      if (buffer_sizes_[i] < 0) fail("planned buffer " + text(i), "has a negative size");
      if (i > 0) spend(static_cast<std::uint64_t>(buffer_sizes_[i]));
    }
    const Tables devices = plan_.tables(schema::kNonConstBufferDevices);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto buffer = devices[i].scalar<std::int32_t>(schema::kBufferIdx);
      if (buffer < 1 || static_cast<std::size_t>(buffer) >= buffer_sizes_.size()) {
        fail("buffer device " + text(i), "names planned buffer " + std::to_string(buffer) + " of " +
                                             text(buffer_sizes_.size()));
      }
      check_device(devices[i].scalar<std::int8_t>(schema::kBufferDeviceType),
                   "buffer device " + text(i));
    }
  }

  void check_device(std::int8_t type, const std::string& part) const {
    if (type != 0 && type != 1) {
      fail(part, "is on a device of the unknown type " + std::to_string(type));
    }
  }

  // Accounts for memory that running the method would take.
  void spend(std::uint64_t bytes) {
    if (bytes > limits_.method_bytes - spent_) {
      fail("its memory", "comes to more than " + text(limits_.method_bytes) + " bytes",
           "the file is damaged, or it needs a machine with more memory");
    }
    spent_ += bytes;
  }

  void check_value(std::size_t i) {
    const Table value = values_[i].table(schema::kValue);
    switch (method_.kinds[i]) {
      case ValueKind::kBool:
        if (value.scalar<std::uint8_t>(0) > 1) fail_value(i, "is neither true nor false");
        return;
      case ValueKind::kBoolList: {
        const auto items = value.scalars<std::uint8_t>(schema::kItems);
        for (std::size_t k = 0; k < items.size(); ++k) {
          if (items[k] > 1) fail_value(i, "holds an item that is neither true nor false");
        }
        return;
      }
      case ValueKind::kTensor:
        check_tensor(i, value);
        return;
      case ValueKind::kNone:
      case ValueKind::kInt:
      case ValueKind::kDouble:
      case ValueKind::kString:
      case ValueKind::kIntList:
      case ValueKind::kDoubleList:
      case ValueKind::kTensorList:
      case ValueKind::kOptionalTensorList:
        return;
    }
    fail("value " + text(i), "is of an unknown kind");
  }

  void check_tensor(std::size_t i, Table tensor) {
    const TensorEntry entry = tensor_entry(tensor);
    const std::size_t item = scalar_type_size(entry.scalar_type);
    if (item == 0) fail_value(i, "has the unknown dtype " + std::to_string(entry.scalar_type));
    if (tensor.scalar<std::int32_t>(schema::kStorageOffset) != 0) {
      fail_value(i, "has a storage offset, which the runtime does not support");
    }
    const auto dynamism = tensor.scalar<std::int8_t>(schema::kShapeDynamism);
    if (dynamism == 2) {
      fail(where_value(i), "has a shape without an upper bound, which the runtime does not support",
           "export it with bounds on its dynamic dimensions");
    }
    if (dynamism != 0 && dynamism != 1) fail_value(i, "has an unknown kind of shape");
    if (entry.sizes.size() > kMaxRank) {
      fail_value(i, "has rank " + text(entry.sizes.size()) + ", above the runtime's 16");
    }
    check_shape(i, entry);
    if (entry.nbytes > std::numeric_limits<std::int64_t>::max()) {
      fail_value(i, "is larger than any memory");
    }
    if (tensor.has(schema::kExtraInfo)) check_device(entry.device.type, where_value(i));
    if (entry.name.find('\0') != std::string_view::npos) {
      fail_value(i, "has a name with a zero byte in it");
    }
    check_data(i, tensor, entry, item);
    method_.tensors[i] = entry;
  }

  [[nodiscard]] std::string where_value(std::size_t i) const { return "value " + text(i); }

  // Sizes are not negative, the dim order is a permutation, and packed strides fit 32 bits.
  void check_shape(std::size_t i, const TensorEntry& entry) const {
    const std::size_t rank = entry.sizes.size();
    if (entry.dim_order.size() != rank) {
      fail_value(i,
                 "has " + text(rank) + " sizes and a dim order of " + text(entry.dim_order.size()));
    }
    std::uint32_t seen = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      if (entry.sizes[k] < 0) {
        fail_value(i, "has the negative size " + std::to_string(entry.sizes[k]));
      }
      if (entry.dim_order[k] >= rank || (seen >> entry.dim_order[k] & 1U) != 0) {
        fail_value(i, "has a dim order that is no permutation of its dimensions");
      }
      seen |= 1U << entry.dim_order[k];
    }
    std::int32_t stride = 1;
    for (std::size_t k = rank; k-- > 1;) {
      if (__builtin_mul_overflow(stride, std::max(1, entry.sizes[entry.dim_order[k]]), &stride)) {
        fail_value(i, "has strides that do not fit the runtime's 32 bits");
      }
    }
  }

  void check_data(std::size_t i, Table tensor, const TensorEntry& entry, std::size_t item) {
    const auto buffer = tensor.scalar<std::uint32_t>(schema::kDataBufferIdx);
    if (const Table allocation = tensor.table(schema::kAllocationInfo)) {
      const auto id = allocation.scalar<std::uint32_t>(schema::kMemoryId);
      if (id < 1 || id >= buffer_sizes_.size()) {
        fail_value(i, "lies in planned buffer " + text(id) + " of " + text(buffer_sizes_.size()));
      }
      const std::uint64_t offset =
          allocation.scalar<std::uint32_t>(schema::kMemoryOffsetLow) |
          std::uint64_t{allocation.scalar<std::uint32_t>(schema::kMemoryOffsetHigh)} << 32U;
      const auto size = static_cast<std::uint64_t>(buffer_sizes_[id]);
      if (offset > size || entry.nbytes > size - offset) {
        fail_value(i, "(" + text(entry.nbytes) + " bytes at offset " + text(offset) +
                          ") does not fit planned buffer " + text(id) + " of " + text(size) +
                          " bytes");
      }
      if (offset % item != 0) fail_value(i, "lies at a misaligned offset in its planned buffer");
      method_.homes[i] = {id, offset, entry.nbytes};
    }
    if (entry.external) {
      if (entry.name.empty()) fail_value(i, "is in an external file under no name");
      return;
    }
    if (buffer == 0) return;
    if (entry.planned) {
      const Tables parts = layout_.program.tables(schema::kMutableDataSegments);
      if (parts.size() == 0) fail_value(i, "has an initial state but the file holds none");
      check_subsegment(i, parts[0], buffer, entry.nbytes, 1);
      return;
    }
    const Table constants = layout_.program.table(schema::kConstantSegment);
    if (constants && constants.scalars<std::uint64_t>(schema::kOffsets).size() > 1) {
      check_subsegment(i, constants, buffer, entry.nbytes, item);
      return;
    }
    const Tables inlined = layout_.program.tables(schema::kConstantBuffer);
    if (buffer >= inlined.size()) {
      fail_value(i, "is constant " + text(buffer) + " of " + text(inlined.size()));
    }
    const auto storage = inlined[buffer].scalars<std::uint8_t>(schema::kStorage);
    if (storage.data() == nullptr || entry.nbytes > storage.size()) {
      fail_value(i, "needs " + text(entry.nbytes) + " bytes and constant " + text(buffer) +
                        " has " + text(storage.size()));
    }
    check_alignment(i, storage.data(), item);
  }

  void check_subsegment(std::size_t i, Table part, std::uint32_t buffer, std::uint64_t bytes,
                        std::size_t alignment) const {
    const auto offsets = part.scalars<std::uint64_t>(schema::kOffsets);
    const auto segment = part.scalar<std::uint32_t>(schema::kSegmentIndex);
    if (buffer >= offsets.size() || segment >= layout_.program.tables(schema::kSegments).size()) {
      fail_value(i, "is stored data " + text(buffer) + " of " + text(offsets.size()));
    }
    const auto data = segment_bytes(layout_, segment);
    if (offsets[buffer] > data.size() || bytes > data.size() - offsets[buffer]) {
      fail_value(i, "needs " + text(bytes) + " bytes at offset " + text(offsets[buffer]) +
                        " of segment " + text(segment) + ", which has " + text(data.size()));
    }
    check_alignment(i, data.data() + offsets[buffer], alignment);
  }

  void check_alignment(std::size_t i, const std::byte* data, std::size_t alignment) const {
    if (reinterpret_cast<std::uintptr_t>(data) % std::min<std::size_t>(alignment, 8) != 0) {
      fail_value(i, "has its data at a misaligned address");
    }
  }

  void check_list(std::size_t i) {
    const Table value = values_[i].table(schema::kValue);
    switch (method_.kinds[i]) {
      case ValueKind::kIntList: {
        const auto items = value.scalars<std::int64_t>(schema::kItems);
        for (std::size_t k = 0; k < items.size(); ++k) {
          if (!is_value(items[k]) ||
              method_.kinds[static_cast<std::size_t>(items[k])] != ValueKind::kInt) {
            fail_item(i, k, items[k]);
          }
          // Kernels make 32-bit sizes of some and loop over the others.
          const auto number = values_[static_cast<std::size_t>(items[k])]
                                  .table(schema::kValue)
                                  .scalar<std::int64_t>(0);
          if (number != static_cast<std::int32_t>(number)) {
            fail_value(i, "has the item " + std::to_string(number) + ", above any size");
          }
        }
        return;
      }
      case ValueKind::kTensorList:
      case ValueKind::kOptionalTensorList: {
        const bool optional = method_.kinds[i] == ValueKind::kOptionalTensorList;
        const auto items = value.scalars<std::int32_t>(schema::kItems);
        for (std::size_t k = 0; k < items.size(); ++k) {
          if (optional && items[k] == -1) continue;
          // The runtime builds values in order and reads the items of a list at once.
          if (!is_value(items[k]) || static_cast<std::size_t>(items[k]) >= i) {
            fail_item(i, k, items[k]);
          }
          const ValueKind kind = method_.kinds[static_cast<std::size_t>(items[k])];
          if (kind != ValueKind::kTensor && !(optional && kind == ValueKind::kNone)) {
            fail_item(i, k, items[k]);
          }
        }
        return;
      }
      default:
        return;
    }
  }

  [[noreturn]] void fail_item(std::size_t i, std::size_t k, std::int64_t item) const {
    const std::string what =
        is_value(item) ? std::string(value_kind_name(method_.kinds[static_cast<std::size_t>(item)]))
                       : "of " + text(values_.size());
    fail_value(i, "has as item " + text(k) + " the value " + std::to_string(item) + " (" + what +
                      "), which cannot be an item of it");
  }

  [[nodiscard]] std::size_t value_of(const Vector<std::int32_t>& list, std::size_t k,
                                     std::string_view what) const {
    if (!is_value(list[k])) {
      fail(std::string(what) + " " + text(k),
           "is value " + std::to_string(list[k]) + " of " + text(values_.size()));
    }
    return static_cast<std::size_t>(list[k]);
  }

  void check_inputs() {
    const auto inputs = plan_.scalars<std::int32_t>(schema::kInputs);
    method_.is_input.resize(values_.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::size_t i = value_of(inputs, k, "input");
      if (method_.is_input[i]) fail("input " + text(k), "is the same value as an earlier input");
      if (method_.kinds[i] > ValueKind::kString) {
        fail("input " + text(k), "is a list, which the runtime cannot be given");
      }
      if (method_.kinds[i] == ValueKind::kTensor && method_.tensors[i].constant) {
        fail("input " + text(k), "is a constant");
      }
      method_.is_input[i] = true;
    }
  }

  void check_outputs() {
    const auto outputs = plan_.scalars<std::int32_t>(schema::kOutputs);
    method_.is_output.resize(values_.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const std::size_t i = value_of(outputs, k, "output");
      const TensorEntry& tensor = method_.tensors[i];
      if (method_.kinds[i] == ValueKind::kTensor && !tensor.planned && !tensor.constant &&
          !method_.is_output[i]) {
        spend(tensor.nbytes);
      }
      method_.is_output[i] = true;
    }
  }

  void check_operators() {
    const Tables operators = plan_.tables(schema::kOperators);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const std::string_view name = operators[i].string(schema::kOperatorName);
      const std::string_view overload = operators[i].string(schema::kOperatorOverload);
      const auto is_plain = [](char c) { return c > ' ' && c < 0x7f; };
      if (name.empty() || name.size() + overload.size() + 1 > kMaxOperatorName ||
          !std::ranges::all_of(name, is_plain) || !std::ranges::all_of(overload, is_plain)) {
        fail("operator " + text(i), "has a name that no operator has");
      }
    }
  }

  void check_delegates() {
    const Tables delegates = plan_.tables(schema::kDelegates);
    for (std::size_t i = 0; i < delegates.size(); ++i) {
      const std::string part = "delegate " + text(i);
      const std::string_view id = delegates[i].string(schema::kDelegateId);
      if (id.empty() || !std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7f; })) {
        fail(part, "has an id that no backend has");
      }
      check_reference(delegates[i].table(schema::kProcessed), part);
      if (id == "XnnpackBackend") {
        method_.delegates.push_back(check_xnnpack_payload(
            layout_, limits_, delegate_payload(layout_, delegates[i]), where() + ", " + part));
      } else {
        method_.delegates.emplace_back();
      }
    }
  }

  void check_reference(Table reference, const std::string& part) const {
    const auto location = reference.scalar<std::int8_t>(schema::kReferenceLocation);
    const auto index = reference.scalar<std::uint32_t>(schema::kReferenceIndex);
    if (location != 0 && location != 1) fail(part, "is stored in an unknown place");
    const std::size_t count =
        layout_.program.tables(location == 0 ? schema::kBackendDelegateData : schema::kSegments)
            .size();
    if (index >= count) {
      fail(part, std::string(location == 0 ? "is payload " : "is in segment ") + text(index) +
                     " of " + text(count));
    }
  }

  const ProgramLayout& layout_;
  const ParseLimits& limits_;
  Table plan_;
  Tables values_;
  Vector<std::int64_t> buffer_sizes_;
  std::uint64_t spent_ = 0;
  CheckedMethod method_;
};

}  // namespace

void validate_method(const ProgramLayout& layout, const ParseLimits& limits, Table plan) {
  MethodValidator(layout, limits, plan).run();
}

}  // namespace nocopy::executorch
