#include "executorch/program_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "executorch/program_parts.h"
#include "executorch/program_schema.h"
#include "executorch/program_validation.h"

namespace nocopy::executorch {
namespace {

using flatbuffer::Table;
using flatbuffer::Tables;
using flatbuffer::Vector;

[[nodiscard]] std::int32_t at(const Vector<std::int32_t>& list, std::size_t index,
                              const char* what) {
  if (index >= list.size()) {
    throw std::out_of_range(std::string(what) + " " + std::to_string(index) + " of " +
                            std::to_string(list.size()));
  }
  return list[index];
}

}  // namespace

std::string_view value_kind_name(ValueKind kind) noexcept {
  constexpr std::array<std::string_view, 12> kNames = {
      "nothing", "None",     "int",        "bool",      "float",       "tensor",
      "str",     "int list", "float list", "bool list", "tensor list", "optional tensor list"};
  const auto i = static_cast<std::size_t>(kind);
  return i < kNames.size() ? kNames[i] : kNames[0];
}

std::uint64_t ParseLimits::physical_memory() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::uint64_t{1} << 36;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

ProgramFile ProgramFile::parse(std::span<const std::byte> file, const ParseLimits& limits) {
  ProgramLayout layout = read_layout(file);
  flatbuffer::verify(schema::kProgramSchema, file.first(layout.program_size));
  layout.program = Table::root(file);
  validate(layout, limits);
  return ProgramFile(layout);
}

std::size_t ProgramFile::method_count() const noexcept {
  return layout_.program.tables(schema::kExecutionPlans).size();
}

MethodFile ProgramFile::method(std::size_t index) const {
  if (index >= method_count()) {
    throw std::out_of_range("method " + std::to_string(index) + " of " +
                            std::to_string(method_count()));
  }
  return MethodFile(layout_, layout_.program.tables(schema::kExecutionPlans)[index]);
}

std::optional<MethodFile> ProgramFile::find(std::string_view name) const {
  for (std::size_t i = 0; i < method_count(); ++i) {
    MethodFile candidate = method(i);
    if (candidate.name() == name) return candidate;
  }
  return std::nullopt;
}

std::string_view MethodFile::name() const noexcept { return plan_.string(schema::kPlanName); }

bool MethodFile::needs_external_data() const {
  const Tables values = plan_.tables(schema::kValues);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kind_of(values[i]) == ValueKind::kTensor &&
        tensor_entry(values[i].table(schema::kValue)).external) {
      return true;
    }
  }
  return false;
}

std::size_t MethodFile::input_count() const noexcept {
  return plan_.scalars<std::int32_t>(schema::kInputs).size();
}

std::size_t MethodFile::output_count() const noexcept {
  return plan_.scalars<std::int32_t>(schema::kOutputs).size();
}

ValueEntry MethodFile::input(std::size_t index) const {
  return value(at(plan_.scalars<std::int32_t>(schema::kInputs), index, "input"));
}

ValueEntry MethodFile::output(std::size_t index) const {
  return value(at(plan_.scalars<std::int32_t>(schema::kOutputs), index, "output"));
}

std::optional<std::size_t> MethodFile::input_behind_output(std::size_t output) const {
  const auto inputs = plan_.scalars<std::int32_t>(schema::kInputs);
  const std::int32_t value = at(plan_.scalars<std::int32_t>(schema::kOutputs), output, "output");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == value) return i;
  }
  return std::nullopt;
}

ValueEntry MethodFile::value(std::int32_t index) const {
  const auto i = static_cast<std::size_t>(index);
  const Table value = plan_.tables(schema::kValues)[i];
  ValueEntry entry;
  entry.index = i;
  entry.kind = kind_of(value);
  if (entry.kind == ValueKind::kTensor) entry.tensor = tensor_entry(value.table(schema::kValue));
  return entry;
}

std::vector<PlannedBuffer> MethodFile::planned_buffers() const {
  const auto sizes = plan_.scalars<std::int64_t>(schema::kNonConstBufferSizes);
  std::vector<PlannedBuffer> buffers;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    buffers.push_back({static_cast<std::size_t>(sizes[i]), {}});
  }
  const Tables devices = plan_.tables(schema::kNonConstBufferDevices);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto buffer = devices[i].scalar<std::int32_t>(schema::kBufferIdx);
    buffers[static_cast<std::size_t>(buffer) - 1].device = {
        devices[i].scalar<std::int8_t>(schema::kBufferDeviceType),
        devices[i].scalar<std::int8_t>(schema::kBufferDeviceIndex)};
  }
  return buffers;
}

std::vector<DelegateEntry> MethodFile::delegates() const {
  const Tables list = plan_.tables(schema::kDelegates);
  std::vector<DelegateEntry> delegates;
  for (std::size_t i = 0; i < list.size(); ++i) {
    delegates.push_back({list[i].string(schema::kDelegateId), delegate_payload(layout_, list[i])});
  }
  return delegates;
}

std::vector<OperatorEntry> MethodFile::operators() const {
  const Tables list = plan_.tables(schema::kOperators);
  std::vector<OperatorEntry> operators;
  for (std::size_t i = 0; i < list.size(); ++i) {
    operators.push_back(
        {list[i].string(schema::kOperatorName), list[i].string(schema::kOperatorOverload)});
  }
  return operators;
}

std::size_t MethodFile::instruction_count() const noexcept {
  const Tables chains = plan_.tables(schema::kChains);
  std::size_t count = 0;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    count += chains[i].tables(schema::kInstructions).size();
  }
  return count;
}

std::uint64_t MethodFile::constant_bytes() const {
  const Tables values = plan_.tables(schema::kValues);
  std::vector<std::uint32_t> counted;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kind_of(values[i]) != ValueKind::kTensor) continue;
    const Table tensor = values[i].table(schema::kValue);
    const TensorEntry entry = tensor_entry(tensor);
    if (!entry.constant || entry.external) continue;
    const auto buffer = tensor.scalar<std::uint32_t>(schema::kDataBufferIdx);
    if (std::find(counted.begin(), counted.end(), buffer) != counted.end()) continue;
    counted.push_back(buffer);
    bytes += entry.nbytes;
  }
  return bytes;
}

std::string_view MethodFile::input_spec() const noexcept {
  const Table container = plan_.table(schema::kContainerMetaType);
  return container ? container.string(schema::kInputSpec) : std::string_view{};
}

std::string_view MethodFile::output_spec() const noexcept {
  const Table container = plan_.table(schema::kContainerMetaType);
  return container ? container.string(schema::kOutputSpec) : std::string_view{};
}

}  // namespace nocopy::executorch
