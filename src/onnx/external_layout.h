#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "onnx/options.h"
#include "onnx/serialize.h"
#include "onnx/tensors.h"

namespace nocopy::onnx {

// A file of raw data that belongs to a model.
struct DataFile {
  struct Part {
    const TensorProto* tensor;
    std::size_t offset;
  };
  std::string location;  // relative to the model's folder, as the model says it
  std::vector<Part> parts;
  std::size_t size = 0;
};

// Which of the tensors go to which file, and where in it. Throws Error(kExternalData) for options
// that are not possible.
[[nodiscard]] std::vector<DataFile> lay_out(const std::vector<FoundTensor>& tensors,
                                            const std::string& model_name,
                                            const SerializeOptions& options);

// The tensors of some files with the references that a model has to them when the files are called
// `locations`. Must stay while `map()` is used.
class ReferencesTo {
 public:
  ReferencesTo(const std::vector<DataFile>& files, const std::vector<std::string>& locations);

  [[nodiscard]] const ExternalReferences& map() const noexcept { return map_; }

 private:
  std::vector<TensorProto> references_;
  ExternalReferences map_;
};

[[nodiscard]] bool is_external(const TensorProto& tensor) noexcept;

// Throws Error(kExternalData) unless the file that each tensor that was not loaded refers to is in
// the folder, long enough, and none of those that are to be written.
void check_kept_references(const std::vector<FoundTensor>& tensors,
                           const std::filesystem::path& folder,
                           const std::vector<DataFile>& written);

}  // namespace nocopy::onnx
