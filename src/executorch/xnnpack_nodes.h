#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "executorch/flatbuffer.h"

namespace nocopy::executorch::xnnpack {

inline constexpr std::uint32_t kNoId = 0xffffffffU;

// A tensor of the graph, as XNNPACK is told of it.
struct GraphValue {
  std::int16_t datatype = 0;
  std::vector<std::uint32_t> dims;
  bool constant = false;
  bool external_input = false;
  bool external_output = false;
  bool available = false;  // constant, an external input, or the output of an earlier node
};

using GraphValues = std::unordered_map<std::uint32_t, GraphValue>;

// Throws nocopy::Error(kProgram) unless every node takes tensors that are there by then, gives
// tensors that nothing else gives, and has weights, parameters and an output of the shapes that its
// inputs call for: XNNPACK computes addresses from each of these without comparing them. The memory
// of index buffers counts against `budget`, in bytes.
void check_nodes(flatbuffer::Tables nodes, GraphValues& values, std::uint64_t budget,
                 const std::string& where);

}  // namespace nocopy::executorch::xnnpack
