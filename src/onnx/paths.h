#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace nocopy::onnx {

[[nodiscard]] inline std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

// Whether anything has that name, a link that leads nowhere included.
[[nodiscard]] inline bool is_there(const std::filesystem::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace nocopy::onnx
