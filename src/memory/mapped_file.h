#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

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
  int descriptor_ = -1;  // kept open for size_on_disk
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace nocopy
