#include "onnx/old_data_files.h"

#include <system_error>

#include "memory/error.h"
#include "onnx/external_entry.h"
#include "onnx/file.h"
#include "onnx/fresh_file.h"
#include "onnx/paths.h"
#include "onnx/tensors.h"

namespace nocopy::onnx {
namespace {

// The message in a file; empty, or what could be read, where that is not one.
AnyMessageRef read_what_is_there(const MessageSchema& schema, const std::filesystem::path& path) {
  AnyMessageRef message(schema.create(nullptr));
  std::error_code missing;
  if (std::filesystem::is_regular_file(path, missing)) {
    ParseOptions options;
    options.no_copy = true;
    options.load_external_data = false;
    try {
      ParseFromFile(*message.get(), path, options);
    } catch (const Error&) {
      // Then no reader loads it either.
    } catch (const std::system_error&) {
      // Whether it may be replaced is up to the file system.
    }
  }
  return message;
}

}  // namespace

bool OldDataFiles::is_foreign(const std::string& location) {
  if (!is_there(folder_of(model_) / location)) {
    return false;
  }
  if (!was_read_) {
    read_model();
    was_read_ = true;
  }
  return !was_killed_ && !own_.contains(std::filesystem::path(location).lexically_normal());
}

void OldDataFiles::read_model() {
  const AnyMessageRef message = read_what_is_there(schema_, model_);
  for (const FoundTensor& found : find_tensors(*message.get())) {
    if (!is_external(*found.tensor)) {
      continue;
    }
    for (const StringStringEntryProto& entry : found.tensor->external_data()) {
      if (entry.key() == "location") {
        auto location = std::filesystem::path(std::string(entry.value())).lexically_normal();
        was_killed_ = was_killed_ || FreshFile::is_own_name(location.filename().string());
        own_.insert(std::move(location));
      }
    }
  }
}

}  // namespace nocopy::onnx
