#pragma once

#include <vector>

#include "onnx/messages.h"

namespace nocopy::onnx {

// Where in a model a tensor stands.
enum class TensorPlace : std::uint8_t {
  kInitializer,  // of the model's graph or a graph inside of it
  kAttribute,    // of a node of one of those or of a function
  kElsewhere,    // part of a sparse tensor, in training information, a graph inside of a function,
                 // ...
};

struct FoundTensor {
  TensorProto* tensor;
  GraphProto* graph;  // the innermost one around it, or null
  TensorPlace place;
};

// Every tensor that is `root` or lies in it, in the order of the fields' numbers: in subgraphs,
// functions, sparse tensors and training information as well. Throws Error(kGeneric) where messages
// lie in each other deeper than anything can be read.
[[nodiscard]] std::vector<FoundTensor> find_tensors(Message& root);

}  // namespace nocopy::onnx
