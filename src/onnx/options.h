#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace nocopy::onnx {

class GraphProto;
class TensorProto;

// Serializing leaves raw data below this many bytes where it is.
inline constexpr std::size_t kSmallTensorDataThresholdBytes = 64;

// Which tensors an operation on raw data is about, and how it lays them out.
struct TensorBufferOptions {
  std::size_t raw_data_threshold = 0;  // bytes; tensors with fewer are left alone
  std::size_t alignment = 0;           // bytes, of each tensor's start; 0 for none
};

struct ParseOptions : TensorBufferOptions {
  ParseOptions() { raw_data_threshold = 1024; }

  // Borrow raw data of at least `raw_data_threshold` bytes from the input instead of copying it.
  // `owner` keeps the input alive for as long as a tensor borrows from it; without one the caller
  // does that.
  bool no_copy = false;
  std::shared_ptr<void> owner;

  int num_threads = 1;
  bool load_external_data = true;

  // Called once for each tensor after its raw data is there, with the graph that the tensor is part
  // of (null for a tensor on its own). What it returns, unless empty, is attached to the raw data
  // as a deleter. What it throws ends the parse.
  std::function<std::function<void()>(TensorProto&, GraphProto*)> raw_data_callback;
};

struct SerializeOptions : TensorBufferOptions {
  SerializeOptions() { raw_data_threshold = kSmallTensorDataThresholdBytes; }
};

}  // namespace nocopy::onnx
