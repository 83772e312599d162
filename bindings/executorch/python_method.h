#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "executorch/method.h"

namespace nocopy::executorch {

// A method as Python holds it: converts inputs and outputs, and remembers the outputs it handed
// over, so that reading twice gives the same objects.
class PythonMethod {
 public:
  explicit PythonMethod(std::shared_ptr<Method> method);
  PythonMethod(PythonMethod&&) = default;

  // Both return the method's epoch as they left it: code that their objects run while they are let
  // go of may use the method again.
  uint64_t set_inputs(nanobind::handle inputs);
  uint64_t run();
  [[nodiscard]] nanobind::list outputs(bool clone);
  [[nodiscard]] nanobind::list call(nanobind::handle inputs, bool clone);
  [[nodiscard]] nanobind::list input_plan(nanobind::handle inputs);

  [[nodiscard]] Method& method() noexcept { return *method_; }
  [[nodiscard]] const Method& method() const noexcept { return *method_; }

  // For the garbage collector.
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  // What the public ones do, with the method claimed and the log forwarded by the caller.
  uint64_t take_inputs(nanobind::handle inputs);
  uint64_t run_once();
  [[nodiscard]] nanobind::list give_outputs(bool clone);
  void read_outputs(bool clone);
  void forget_outputs();
  void require_epoch(uint64_t epoch) const;
  [[nodiscard]] nanobind::object convert(OutputValue&& value);
  [[nodiscard]] nanobind::object convert(OwnedTensor&& tensor);
  [[nodiscard]] nanobind::object convert(OutputList list);

  std::shared_ptr<Method> method_;
  bool returns_torch_;
  // The outputs of one execution as they were handed over: copied, and lent.
  uint64_t epoch_ = 0;
  std::vector<nanobind::object> cloned_;
  std::vector<nanobind::object> lent_;
  // Empty; their capacity is used again.
  std::vector<nanobind::object> spare_;
  std::vector<InputValue> spare_values_;
};

void bind_method(nanobind::module_& m);

}  // namespace nocopy::executorch
