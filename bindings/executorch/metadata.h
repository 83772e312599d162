#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "executorch/input.h"
#include "executorch/program.h"

namespace nocopy::executorch {

// What a program says about one of its methods; keeps the program alive.
class MethodMetadata {
 public:
  MethodMetadata(std::shared_ptr<const Program> program, const std::string& name)
      : program_(std::move(program)), file_(program_->method_file(name)) {}

  [[nodiscard]] const MethodFile& file() const noexcept { return file_; }
  [[nodiscard]] ::executorch::runtime::MethodMeta engine() const;

 private:
  std::shared_ptr<const Program> program_;
  MethodFile file_;
};

void bind_metadata(nanobind::module_& m);

}  // namespace nocopy::executorch
