#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "onnx/serialize.h"

namespace nocopy::onnx {

// A file that is written where nobody sees it and then gets a name, in place of what had that name.
// Whoever reads or maps the old one keeps it. What was not named is gone when this goes, and, where
// the file system can, when the process is killed. All throw std::system_error naming the target.
class FreshFile final : public Serialized::Sink {
 public:
  // On the same file system as `target`, with its permissions where it exists. Throws
  // Error(kGeneric) where that is a device, or anything else that must not be replaced.
  explicit FreshFile(std::filesystem::path target);
  ~FreshFile() override;

  void write(const void* data, std::size_t size) override;
  // Zeros that take no space.
  void skip(std::size_t size);
  // All is written: waits until it is on the disk where `sync` says so.
  void finish(bool sync);

  // Gives it a name of its own beside the target, which goes with this object like the file itself,
  // until keep() was called.
  const std::filesystem::path& take_own_name();
  void keep() noexcept { own_name_.clear(); }
  // Whether a file is called as such files are, in this process or another.
  [[nodiscard]] static bool is_own_name(std::string_view file_name);
  // Puts it in place of the target.
  void take_place();
  // The same, and it stays at its own name as well. Returns whether the file system can do that.
  [[nodiscard]] bool take_place_as_well();

 private:
  [[nodiscard]] std::filesystem::path unused_name() const;
  void close();
  [[noreturn]] void fail() const;

  std::filesystem::path target_;
  std::filesystem::path own_name_;  // empty while it has none
  int descriptor_ = -1;
};

// Where a path leads, if there is something: for those who replace that and not a symbolic link.
[[nodiscard]] std::filesystem::path behind_links(const std::filesystem::path& path);

// Waits until the name of a file is on the disk.
void sync_folder_of(const std::filesystem::path& file);

}  // namespace nocopy::onnx
