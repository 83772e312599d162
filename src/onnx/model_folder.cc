#include "onnx/model_folder.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "memory/error.h"
#include "onnx/paths.h"

namespace nocopy::onnx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhatToDo =
    ". Move the file there, say where it is with `location`, or set `allow_outside` if you would "
    "let whoever made the model read all your files";

// A pipe must not hang the caller, nor a terminal take over the process.
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) {
    return "a directory";
  }
  if (S_ISFIFO(mode)) {
    return "a pipe";
  }
  if (S_ISSOCK(mode)) {
    return "a socket";
  }
  return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "not a regular file";
}

[[noreturn]] void refuse_errno(const TensorProto& tensor, const std::string& location,
                               const std::string& path, int error) {
  refuse_external(tensor, location,
                  "cannot open " + in_quotes(path) + ": " + std::strerror(error) +
                      "; expected a file that can be read. If it was moved, say where it is with "
                      "`location`; to load the model without it, load_external_data=False");
}

void check_kind(const TensorProto& tensor, const std::string& location, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    refuse_external(
        tensor, location,
        std::string("this is ") + kind_of(status.st_mode) + "; expected a regular file");
  }
}

bool climbs_out(const fs::path& location) {
  int depth = 0;
  for (const fs::path& part : location) {
    if (part == "..") {
      if (--depth < 0) {
        return true;
      }
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
  }
  return false;
}

bool same_file(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// How many of a file's names are in this folder.
nlink_t names_in(const Descriptor& folder, const struct stat& file) {
  struct Close {
    void operator()(DIR* names) const noexcept { ::closedir(names); }
  };
  const std::unique_ptr<DIR, Close> names(
      ::fdopendir(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  nlink_t count = 0;
  while (const dirent* entry = names != nullptr ? ::readdir(names.get()) : nullptr) {
    struct stat found{};
    count += ::fstatat(folder.get(), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
             same_file(found, file);
  }
  return count;
}

}  // namespace

bool DataFile::unchanged() const noexcept {
  struct stat now{};
  return ::fstat(descriptor.get(), &now) == 0 && now.st_size == status.st_size &&
         now.st_mtim.tv_sec == status.st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == status.st_mtim.tv_nsec;
}

ModelFolder::ModelFolder(const fs::path& model, const ParseOptions& options)
    : allow_outside_(options.allow_outside) {
  if (options.location.empty()) {
    beside_ = folder_of(model);
    root_ = fs::canonical(model).parent_path();
  } else if (fs::is_directory(options.location)) {
    beside_ = options.location;
    root_ = fs::canonical(options.location);
  } else {
    file_ = options.location;
  }
}

DataFile ModelFolder::open(const TensorProto& tensor, const std::string& location) const {
  if (location.find('\0') != std::string::npos) {
    refuse_external(tensor, location, "the location holds a null character; expected a path");
  }
  if (!file_.empty()) {
    return open_anywhere(tensor, location, file_);
  }
  if (allow_outside_) {
    return open_anywhere(tensor, location, beside_ / location);
  }
  return open_inside(tensor, location);
}

DataFile ModelFolder::open_anywhere(const TensorProto& tensor, const std::string& location,
                                    const fs::path& path) const {
  DataFile file;
  file.path = path.string();
  // Looked at before it is opened: opening a device may already do something.
  if (::stat(path.c_str(), &file.status) != 0) {
    refuse_errno(tensor, location, file.path, errno);
  }
  check_kind(tensor, location, file.status);
  file.descriptor = Descriptor(::open(path.c_str(), kToRead));
  if (!file.descriptor.is_open() || ::fstat(file.descriptor.get(), &file.status) != 0) {
    refuse_errno(tensor, location, file.path, errno);
  }
  check_kind(tensor, location, file.status);
  return file;
}

DataFile ModelFolder::open_inside(const TensorProto& tensor, const std::string& location) const {
  const fs::path relative(location);
  if (relative.is_absolute()) {
    refuse_external(tensor, location,
                    "the location is absolute; expected a path relative to the model's folder " +
                        in_quotes(root_.string()) + kWhatToDo);
  }
  if (climbs_out(relative)) {
    refuse_external(tensor, location,
                    "the location climbs out of the model's folder " + in_quotes(root_.string()) +
                        "; expected a path inside of it" + kWhatToDo);
  }
  std::error_code error;
  const fs::path real = fs::canonical(beside_ / relative, error);
  if (error) {
    refuse_errno(tensor, location, (beside_ / relative).string(), error.value());
  }
  const fs::path inside = real.lexically_relative(root_);
  if (inside.empty() || *inside.begin() == "..") {
    refuse_external(tensor, location,
                    "it leads to " + in_quotes(real.string()) + ", which is not in " +
                        in_quotes(root_.string()) + ", where the model lies" + kWhatToDo);
  }

  // Down from the folder, following no link: whatever is renamed meanwhile, what is found is in it.
  Descriptor folder(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const fs::path between = inside.parent_path();
  for (auto part = between.begin(); folder.is_open() && part != between.end(); ++part) {
    folder = Descriptor(
        ::openat(folder.get(), part->c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  DataFile file;
  file.path = real.string();
  if (!folder.is_open()) {
    refuse_errno(tensor, location, file.path, errno);
  }
  // Looked at before it is opened: opening a device may already do something.
  const std::string name = inside.filename().string();
  struct stat before{};
  if (::fstatat(folder.get(), name.c_str(), &before, AT_SYMLINK_NOFOLLOW) != 0) {
    refuse_errno(tensor, location, file.path, errno);
  }
  check_kind(tensor, location, before);
  if (before.st_nlink > 1 && names_in(folder, before) < before.st_nlink) {
    refuse_external(
        tensor, location,
        "the file has " + std::to_string(before.st_nlink) +
            " names (hard links), and those not beside it may lie outside of the model's folder " +
            in_quotes(root_.string()) + "; expected one. Copy the file, say where it is " +
            "with `location`, or set `allow_outside` if you would let whoever made " +
            "the model read all your files");
  }
  file.descriptor = Descriptor(::openat(folder.get(), name.c_str(), kToRead | O_NOFOLLOW));
  if (!file.descriptor.is_open() || ::fstat(file.descriptor.get(), &file.status) != 0) {
    refuse_errno(tensor, location, file.path, errno);
  }
  check_kind(tensor, location, file.status);
  if (!same_file(before, file.status) || file.status.st_nlink > before.st_nlink) {
    refuse_external(tensor, location, "the file was replaced while it was opened; load again");
  }
  return file;
}

}  // namespace nocopy::onnx
