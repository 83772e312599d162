#pragma once

#include <filesystem>
#include <vector>

#include "onnx/messages.h"
#include "onnx/options.h"

namespace nocopy::onnx {

// Tensors whose data is in other files, with their graphs; holds them.
class PendingTensors {
 public:
  struct Item {
    AnyMessageRef tensor;  // a TensorProto
    AnyMessageRef graph;   // a GraphProto, or none
  };

  void add(TensorProto& tensor, GraphProto* graph);
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] const std::vector<Item>& items() const noexcept { return items_; }

 private:
  std::vector<Item> items_;
};

// Gives the tensors of the model in this file their data, file by file: borrowed from one mapping
// of each with `no_copy`, else copied by `num_threads` threads. Each tensor then says nothing of
// external data any more and is announced, on this thread, in the order of the files' first
// tensors.
//
// Throws Error(kExternalData) for what may not or cannot be used; the tensors of the files before
// then have their data, the others are as they were.
void load_external(const PendingTensors& tensors, const std::filesystem::path& model,
                   const ParseOptions& options);

}  // namespace nocopy::onnx
