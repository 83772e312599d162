#pragma once

// The last step of validating a method: what its instructions do with its values.

#include <optional>
#include <string>
#include <vector>

#include "executorch/flatbuffer.h"
#include "executorch/program_file.h"
#include "executorch/xnnpack_payload.h"

namespace nocopy::executorch {

// What the earlier steps found out about a method. The lists run parallel to its values, except
// `delegates`, which has an entry per delegate: empty for a backend whose payload is not known
// here.
struct CheckedMethod {
  std::string where;
  flatbuffer::Table plan;
  std::vector<ValueKind> kinds;
  std::vector<TensorEntry> tensors;
  std::vector<bool> is_input;
  std::vector<bool> is_output;
  std::vector<std::optional<XnnpackInterface>> delegates;
};

// Throws nocopy::Error(kProgram) unless every instruction has existing operands of the right kind,
// nothing writes a constant, nothing uses a tensor before it has memory, and every loop changes the
// condition that ends it.
void validate_instructions(const CheckedMethod& method);

}  // namespace nocopy::executorch
