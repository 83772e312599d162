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

// Which tensors go to files of their own.
enum class ExternalTensors : std::uint8_t {
  kInitializers,   // of the model's graph and its subgraphs
  kAndAttributes,  // those and the nodes' attributes, which is what the onnx package finds and
                   // loads
  kAll,            // also sparse tensors, training information, graphs inside of functions, ...
};

struct SerializeOptions : TensorBufferOptions {
  SerializeOptions() { raw_data_threshold = kSmallTensorDataThresholdBytes; }

  // All that follows is about writing to a file with a name.

  // The file for the raw data of tensors of at least `raw_data_threshold` bytes: a path relative to
  // the model's folder, which it may not leave. Empty: all stays in the model's file. Each tensor
  // starts at a multiple of `alignment`, and the file ends at one.
  std::string location;

  // Begins another file before one grows past this: location, location.1, location.2, ... A tensor
  // that is larger has a file to itself. 0: all in one.
  std::uint64_t max_external_file_size = 0;

  // A file for each tensor, beside the model and named after the tensor, with a number where
  // another model's file has that name; `location` is not used.
  bool file_per_tensor = false;

  ExternalTensors external_tensors = ExternalTensors::kAll;

  // A tensor whose data is in a file already and was not loaded keeps saying so. That file must be
  // where the saved model will look for it, unless this is set.
  bool allow_missing_external_data = false;

  // Where files are replaced, the new ones are forced to the disk first, so that the old or the new
  // ones are there after the machine has crashed, too.
  bool sync = true;
};

}  // namespace nocopy::onnx
