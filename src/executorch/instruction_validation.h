#pragma once

// The last step of validating a method: what its instructions do with its values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executorch/flatbuffer.h"
#include "executorch/program_file.h"
#include "executorch/xnnpack_payload.h"

namespace nocopy::executorch {

// Where a tensor lies in the method's planned memory; `size` is 0 for one that does not.
struct TensorHome {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  [[nodiscard]] bool overlaps(const TensorHome& other) const noexcept {
    return buffer == other.buffer && offset < other.offset + other.size &&
           other.offset < offset + size;
  }
};

// What the earlier steps found out about a method. The lists run parallel to its values, except
// `delegates`, which has an entry per delegate: empty for a backend whose payload is not known
// here.
struct CheckedMethod {
  std::string where;
  flatbuffer::Table plan;
  std::vector<ValueKind> kinds;
  std::vector<TensorEntry> tensors;
  std::vector<TensorHome> homes;
  std::vector<bool> is_input;
  std::vector<bool> is_output;
  std::vector<std::optional<XnnpackInterface>> delegates;
};

// Throws nocopy::Error(kProgram) unless every instruction has existing operands of the right kind,
// nothing writes a constant, nothing uses a tensor before it has memory, and every loop changes the
// condition that ends it.
void validate_instructions(const CheckedMethod& method);

}  // namespace nocopy::executorch
