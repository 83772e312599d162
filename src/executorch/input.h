#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "executorch/program_file.h"
#include "memory/tensor_view.h"

namespace nocopy::executorch {

// What a method declares about one of its inputs or outputs.
struct ValueSpec {
  ValueKind kind = ValueKind::kNone;
  size_t index = 0;
  std::string name;  // empty where the program gives none
  // The rest describes a tensor.
  DType dtype = DType::kFloat32;
  Dims shape;  // the upper bounds where dynamic
  std::vector<uint8_t> dim_order;
  Dims strides;  // bytes, for the full shape
  bool dynamic = false;
  bool planned = false;  // the method has memory of its own for it
  Device device;
  size_t nbytes = 0;
};

[[nodiscard]] ValueSpec make_spec(const ValueEntry& entry, size_t index);

// A value on its way in. A tensor's pin may be null where the caller keeps the memory alive and in
// place itself until the inputs are replaced.
using InputValue = std::variant<std::monostate, bool, int64_t, double, std::string, LentTensor>;

enum class InputAction {
  kCopiedByRuntime,  // into the method's planned memory, inside set_inputs
  kBorrowed,         // the method reads the caller's memory while it runs
  kCopiedByUs,       // into memory of ours, which the method reads while it runs
  kValue,            // not a tensor: compared with the value the program was exported with
};

struct InputPlan {
  InputAction action = InputAction::kValue;
  std::string_view why;
};

// The one rule that decides between copying and borrowing. `pin` is null for memory that nobody
// promises anything about. `reads_past_end`: the method hands its inputs to a delegate that may
// read beyond them.
[[nodiscard]] InputPlan plan_input(const ValueSpec& spec, const TensorView& view, const Pin* pin,
                                   bool reads_past_end) noexcept;

// Checks a tensor against what the method declares, before the runtime sees any of it: device,
// dtype, rank, sizes, layout. On return view.shape and view.strides are what the runtime is to be
// told. Throws the error of the first thing that does not fit; `what` names the input.
void check_tensor_input(const ValueSpec& spec, LentTensor& tensor, const std::string& what);

// "input 0 ('x') of method 'forward'"
[[nodiscard]] std::string describe_input(const ValueSpec& spec, std::string_view method);

// "float32 of shape (2, 3)", "int": what a value is, for messages.
[[nodiscard]] std::string describe(const InputValue& value);
[[nodiscard]] std::string describe(const ValueSpec& spec);

}  // namespace nocopy::executorch
