#include "onnx/announce.h"

#include <functional>
#include <utility>

#include "onnx/messages.h"

namespace nocopy::onnx {
void Announcer::add(TensorProto& tensor, GraphProto* graph) {
  if (!options_.raw_data_callback) {
    return;
  }
  if (graph != nullptr && !graph->has_name()) {
    const auto& initializers = graph->initializer();
    const bool name_is_past =
        !initializers.empty() && initializers.at(initializers.size() - 1) == &tensor;
    if (!name_is_past) {
      waiting_.push_back({AnyMessageRef::share(tensor), AnyMessageRef::share(*graph)});
      return;
    }
  }
  if (!waiting_.empty()) {
    const AnyMessageRef kept = AnyMessageRef::share(tensor);
    announce_waiting(graph);
    announce(tensor, graph, options_);
    return;
  }
  announce(tensor, graph, options_);
}

void Announcer::finish() { announce_waiting(nullptr); }

void Announcer::announce_waiting(const GraphProto* graph) {
  std::vector<Waiting> before;
  before.swap(waiting_);
  for (Waiting& one : before) {
    auto* its = static_cast<GraphProto*>(one.graph.get());
    if (graph == nullptr || its == graph || its->has_name()) {
      announce(static_cast<TensorProto&>(*one.tensor.get()), its, options_);
    } else {
      waiting_.push_back(std::move(one));
    }
  }
}

void Announcer::announce(TensorProto& tensor, GraphProto* graph, const ParseOptions& options) {
  if (!options.raw_data_callback) {
    return;
  }
  if (std::function<void()> deleter = options.raw_data_callback(tensor, graph)) {
    tensor.ref_raw_data().attach_deleter(std::move(deleter));
  }
}

}  // namespace nocopy::onnx
