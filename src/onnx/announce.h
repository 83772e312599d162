#pragma once

#include <vector>

#include "onnx/message.h"

namespace nocopy::onnx {

// Calls the options' raw_data_callback for tensors, and attaches the deleters that it returns.
//
// While a graph is read, its name comes after its nodes. A tensor in a node waits for it, so that
// the callback can tell graphs apart, and goes before the graph's initializers.
class Announcer {
 public:
  explicit Announcer(const ParseOptions& options) noexcept : options_(options) {}

  // A tensor that was read to its end, with the graph that it is part of, or null.
  void add(TensorProto& tensor, GraphProto* graph);
  // All was read: those that wait are announced.
  void finish();

  static void announce(TensorProto& tensor, GraphProto* graph, const ParseOptions& options);

 private:
  struct Waiting {
    AnyMessageRef tensor;  // a TensorProto
    AnyMessageRef graph;   // a GraphProto
  };

  // Those of `graph`, of graphs that have a name by now, or all for null.
  void announce_waiting(const GraphProto* graph);

  const ParseOptions& options_;
  std::vector<Waiting> waiting_;
};

}  // namespace nocopy::onnx
