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

  // External data: whether tensors get it, how many threads copy it, the file or the folder that it
  // is in instead of where the model says, and whether it may lie outside of the model's folder.
  bool load_external_data = true;
  int num_threads = 1;
  std::string location;
  bool allow_outside = false;

  // Called once for each tensor after its raw data is there, with the graph that the tensor is part
  // of (null for a tensor on its own). What it returns, unless empty, is attached to the raw data
  // as a deleter. What it throws ends the parse.
  std::function<std::function<void()>(TensorProto&, GraphProto*)> raw_data_callback;
};

struct SerializeOptions : TensorBufferOptions {
  SerializeOptions() { raw_data_threshold = kSmallTensorDataThresholdBytes; }

  // The file, beside the model, that raw data of at least `raw_data_threshold` bytes is written to;
  // none for all of it to stay in the model. Where it would grow past `max_external_file_size`
  // bytes another file is begun; 0 for no limit.
  std::string location;
  std::uint64_t max_external_file_size = 0;
};

}  // namespace nocopy::onnx
