#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "memory/descriptor.h"

namespace nocopy {

// A file mapped into memory, read-only or copy-on-write; handed out as an owner token, so the
// mapping lasts as long as anything that points into it. Nothing is locked in memory.
//
// A file that is truncated while it is mapped cannot be read past its new end: touching those
// pages ends the process with SIGBUS, as for every program that maps files. `size_on_disk` lets a
// holder look before it touches.
class MappedFile {
 public:
  enum class Mode { kReadOnly, kCopyOnWrite };

  // Throws std::system_error naming the path.
  [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::string& path,
                                                              Mode mode = Mode::kReadOnly);
  // Maps an open regular file, which the caller keeps and may close afterwards. `name` is for
  // messages only.
  [[nodiscard]] static std::shared_ptr<const MappedFile> from_descriptor(
      int descriptor, const std::string& name, Mode mode = Mode::kReadOnly);

  // The mapping that an address lies in, if it is one of these and someone still has it: for those
  // who have borrowed bytes and want to look at their file before they touch them.
  [[nodiscard]] static std::shared_ptr<const MappedFile> around(const void* address);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Mode mode() const noexcept { return mode_; }
  // The file's present size, or -1 if it cannot be asked.
  [[nodiscard]] long long size_on_disk() const noexcept;

 private:
  MappedFile(std::string name, Mode mode) : name_(std::move(name)), mode_(mode) {}

  std::string name_;
  Mode mode_;
  // For size_on_disk: the file, or where many are open the means to recognize it by its name.
  Descriptor descriptor_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace nocopy
