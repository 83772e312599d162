#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "onnx/messages.h"

namespace nocopy::onnx {

// Which files beside a model are its data, by what it says before it is saved over: those may be
// replaced. Any other file may be the data of a model of another name, which would then load, with
// weights that are not its own.
class OldDataFiles {
 public:
  // `schema` is that of the message that is to be saved as `model`.
  OldDataFiles(const MessageSchema& schema, std::filesystem::path model)
      : schema_(schema), model_(std::move(model)) {}

  // Whether something is at this location, relative to the model's folder, that the model which is
  // there now does not refer to. After a save that was killed between two names it does not say
  // which files were its own, and all count as that.
  [[nodiscard]] bool is_foreign(const std::string& location);

 private:
  void read_model();

  const MessageSchema& schema_;
  std::filesystem::path model_;
  std::set<std::filesystem::path> own_;
  bool was_read_ = false;
  bool was_killed_ = false;
};

}  // namespace nocopy::onnx
