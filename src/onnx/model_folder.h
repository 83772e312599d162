#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "memory/descriptor.h"
#include "onnx/external_entry.h"
#include "onnx/options.h"

namespace nocopy::onnx {

// A data file that is open for reading, and what it was when it was opened.
struct DataFile {
  Descriptor descriptor;
  struct stat status{};
  std::string path;

  [[nodiscard]] std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(status.st_size);
  }
  // Whether it is still what it was: not written to, not cut, not replaced in place.
  [[nodiscard]] bool unchanged() const noexcept;
};

// Where a model's external data may be. A location is looked up beside the path that the caller
// gave for the model; what it leads to must lie in the folder that the model itself lies in, or a
// folder inside of that. The two differ where the model is reached by a symbolic link, as in the
// cache of a model hub, whose models and data are links into one folder.
//
// What lies elsewhere is not opened, and neither is what is not a regular file. With the option
// `location` a file or a folder that the caller names takes the place of the model's folder; with
// `allow_outside` any regular file is taken.
class ModelFolder {
 public:
  // `model` need not exist when the options have a location.
  ModelFolder(const std::filesystem::path& model, const ParseOptions& options);

  // Throws Error(kExternalData) for a location that is refused or cannot be opened.
  [[nodiscard]] DataFile open(const TensorProto& tensor, const std::string& location) const;

  // Whether every location stands for the same file.
  [[nodiscard]] bool is_one_file() const noexcept { return !file_.empty(); }

 private:
  [[nodiscard]] DataFile open_inside(const TensorProto& tensor, const std::string& location) const;
  [[nodiscard]] DataFile open_anywhere(const TensorProto& tensor, const std::string& location,
                                       const std::filesystem::path& path) const;

  std::filesystem::path beside_;  // where locations are looked up
  std::filesystem::path root_;    // where what they lead to must lie; without links, absolute
  std::filesystem::path file_;    // that the caller named, or empty
  bool allow_outside_;
};

}  // namespace nocopy::onnx
