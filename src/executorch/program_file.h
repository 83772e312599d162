#pragma once

// A .pte file read without the runtime: what the runtime's own metadata leaves out, and the check
// that a file is fit to be handed to it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "executorch/flatbuffer.h"

namespace nocopy::executorch {

enum class ValueKind : std::uint8_t {
  kNone = 1,
  kInt,
  kBool,
  kDouble,
  kTensor,
  kString,
  kIntList,
  kDoubleList,
  kBoolList,
  kTensorList,
  kOptionalTensorList,
};

// The readable name of a kind, such as "tensor".
[[nodiscard]] std::string_view value_kind_name(ValueKind kind) noexcept;

struct DeviceEntry {
  std::int8_t type = 0;  // 0 is the CPU, 1 is CUDA
  std::int8_t index = 0;

  friend bool operator==(const DeviceEntry&, const DeviceEntry&) = default;
};

// A tensor as the program declares it. `name`, `sizes` and `dim_order` borrow the file.
struct TensorEntry {
  std::string_view name;  // its fully qualified name; empty where the program gives none
  std::int8_t scalar_type = 0;
  std::span<const std::int32_t> sizes;  // the upper bounds where `dynamic`
  std::span<const std::uint8_t> dim_order;
  bool dynamic = false;
  bool constant = false;  // its data is in the file, or in an external data file
  bool external = false;  // its data is in an external data file, under `name`
  bool planned = false;   // it lies in one of the method's planned buffers
  DeviceEntry device;
  std::size_t nbytes = 0;  // of the whole tensor, or of its upper bound
};

struct ValueEntry {
  std::size_t index = 0;  // in the method's list of values: equal index, same object
  ValueKind kind = ValueKind::kNone;
  TensorEntry tensor;  // where kind is kTensor
};

struct PlannedBuffer {
  std::size_t size = 0;
  DeviceEntry device;
};

struct DelegateEntry {
  std::string_view id;
  std::span<const std::byte> payload;
};

struct OperatorEntry {
  std::string_view name;
  std::string_view overload;
};

struct ParseLimits {
  // The most memory that the planned buffers and the unplanned outputs of one method may ask for,
  // all together. The default is what this machine has.
  std::uint64_t method_bytes = physical_memory();
  // Whether a data file comes with the program: what the program names and does not hold may then
  // be there, and whoever reads that file checks it.
  bool external_data = false;

  [[nodiscard]] static std::uint64_t physical_memory() noexcept;
};

// Where the parts of a file lie. `segment_base` is 0 in a file without segments.
struct ProgramLayout {
  std::span<const std::byte> file;
  std::size_t program_size = 0;
  std::size_t segment_base = 0;
  flatbuffer::Table program;
};

// One method of a parsed file. Borrows the file's bytes and is cheap to copy.
class MethodFile {
 public:
  [[nodiscard]] std::string_view name() const noexcept;

  // Whether some of its tensors are in a data file beside the program.
  [[nodiscard]] bool needs_external_data() const;

  [[nodiscard]] std::size_t input_count() const noexcept;
  [[nodiscard]] std::size_t output_count() const noexcept;
  // Index out of range: std::out_of_range.
  [[nodiscard]] ValueEntry input(std::size_t index) const;
  [[nodiscard]] ValueEntry output(std::size_t index) const;
  // The input that is the same value as this output, if there is one.
  [[nodiscard]] std::optional<std::size_t> input_behind_output(std::size_t output) const;

  // Numbered as MethodMeta numbers them: the file's reserved first entry does not count.
  [[nodiscard]] std::vector<PlannedBuffer> planned_buffers() const;
  [[nodiscard]] std::vector<DelegateEntry> delegates() const;
  [[nodiscard]] std::vector<OperatorEntry> operators() const;
  [[nodiscard]] std::size_t instruction_count() const noexcept;
  // The bytes of the constants this method's tensors refer to, each constant counted once.
  [[nodiscard]] std::uint64_t constant_bytes() const;
  // How the caller's arguments and results nest, as JSON of torch's pytree; may be empty.
  [[nodiscard]] std::string_view input_spec() const noexcept;
  [[nodiscard]] std::string_view output_spec() const noexcept;

 private:
  friend class ProgramFile;
  MethodFile(const ProgramLayout& layout, flatbuffer::Table plan) : layout_(layout), plan_(plan) {}

  [[nodiscard]] ValueEntry value(std::int32_t index) const;

  ProgramLayout layout_;
  flatbuffer::Table plan_;
};

// A whole file that passed every check. Borrows its bytes: keep them, unchanged, as long as this or
// anything taken from it is in use.
class ProgramFile {
 public:
  // Checks everything about `file` that the runtime trusts: its header, every table and offset,
  // every index, size and range, the arguments of operators it knows, and the payloads of the
  // XNNPACK delegate. Copies nothing and does not touch constants. `file` must start at a multiple
  // of 16. Throws nocopy::Error(kProgram) saying what is wrong where.
  [[nodiscard]] static ProgramFile parse(std::span<const std::byte> file,
                                         const ParseLimits& limits = {});

  [[nodiscard]] std::size_t method_count() const noexcept;
  [[nodiscard]] MethodFile method(std::size_t index) const;
  [[nodiscard]] std::optional<MethodFile> find(std::string_view name) const;

 private:
  explicit ProgramFile(const ProgramLayout& layout) : layout_(layout) {}

  ProgramLayout layout_;
};

}  // namespace nocopy::executorch
