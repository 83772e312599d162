#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "onnx/old_data_files.h"
#include "onnx/options.h"
#include "onnx/serialize.h"
#include "onnx/tensors.h"

namespace nocopy::onnx {

// A file of raw data that belongs to a model.
struct PlannedFile {
  struct Part {
    const TensorProto* tensor;
    std::size_t offset;
  };
  std::string location;  // relative to the model's folder, as the model says it
  std::vector<Part> parts;
  std::size_t size = 0;
};

// Which of the tensors go to which file, and where in it. Files that are named after their tensors
// get no name that the file of another model has. Throws Error(kExternalData) for options that are
// not possible.
[[nodiscard]] std::vector<PlannedFile> lay_out(const std::vector<FoundTensor>& tensors,
                                               const std::string& model_name, OldDataFiles& old,
                                               const SerializeOptions& options);

// Throws Error(kExternalData) if a link on the way to one of the files leads out of the model's
// folder or to the model itself.
void check_links(const std::vector<PlannedFile>& files, const std::filesystem::path& model);

// The tensors of some files with the references that a model has to them when the files are called
// `locations`. Must stay while `map()` is used.
class ReferencesTo {
 public:
  ReferencesTo(const std::vector<PlannedFile>& files, const std::vector<std::string>& locations);

  [[nodiscard]] const ExternalReferences& map() const noexcept { return map_; }

 private:
  std::vector<TensorProto> references_;
  ExternalReferences map_;
};

// Throws Error(kExternalData) unless each tensor that was not loaded would be found by who loads
// the model from this path, in a file that is none of those that are to be written.
void check_kept_references(const std::vector<FoundTensor>& tensors,
                           const std::filesystem::path& model,
                           const std::vector<PlannedFile>& written);

}  // namespace nocopy::onnx
