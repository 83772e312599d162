#pragma once

// The payload of the XNNPACK delegate: XNNPACK itself trusts all of it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "executorch/program_file.h"

namespace nocopy::executorch {

// One tensor that a delegate takes or gives, by its position among the call's arguments.
struct XnnpackExternal {
  std::uint32_t argument = 0;
  std::uint8_t item_size = 0;  // bytes of an element
  bool indexes = false;  // 32-bit indexes, which the delegate widens in a tensor of 64-bit ones
  bool output = false;
  std::vector<std::uint32_t> dims;
};

struct XnnpackInterface {
  std::vector<XnnpackExternal> externals;
};

// Throws nocopy::Error(kProgram), naming `where`, unless the payload's graph is well-formed, its
// constants are there whole, and its nodes fit the tensors they name.
[[nodiscard]] XnnpackInterface check_xnnpack_payload(const ProgramLayout& layout,
                                                     const ParseLimits& limits,
                                                     std::span<const std::byte> payload,
                                                     const std::string& where);

}  // namespace nocopy::executorch
