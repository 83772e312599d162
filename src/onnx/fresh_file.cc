#include "onnx/fresh_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "memory/descriptor.h"
#include "memory/error.h"
#include "onnx/paths.h"

namespace nocopy::onnx {
namespace {

// One write call takes at most this much; more is cut short by the system anyway.
constexpr std::size_t kAtOnce = std::size_t{1} << 30;

constexpr std::string_view kOwnNameStart = ".nocopy-";
constexpr std::string_view kOwnNameEnd = ".tmp";

std::string descriptor_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

// A file without a name, which vanishes with the process, or -1 where there is no such thing.
int open_nameless(const std::filesystem::path& folder) {
#if defined(O_TMPFILE)
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor >= 0 && ::access(descriptor_path(descriptor).c_str(), F_OK) != 0) {
    ::close(descriptor);  // it could never get a name
    return -1;
  }
  return descriptor;
#else
  static_cast<void>(folder);
  return -1;
#endif
}

}  // namespace

FreshFile::FreshFile(std::filesystem::path target) : target_(std::move(target)) {
  struct stat status{};
  const bool is_there = ::stat(target_.c_str(), &status) == 0;
  if (is_there && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail();
  }
  if (is_there && !S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::kGeneric, target_.string() +
                                         " is not a regular file and will not be replaced by one;"
                                         " serialize to bytes and write those");
  }
  descriptor_ = open_nameless(folder_of(target_));
  while (descriptor_ < 0) {
    own_name_ = unused_name();
    descriptor_ = ::open(own_name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) {
      own_name_.clear();
      fail();
    }
  }
  if (is_there) {
    ::fchmod(descriptor_, status.st_mode & 07777);
  }
}

FreshFile::~FreshFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!own_name_.empty()) {
    ::unlink(own_name_.c_str());
  }
}

void FreshFile::write(const void* data, std::size_t size) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  while (size != 0) {
    const ssize_t put = ::write(descriptor_, from, std::min(size, kAtOnce));
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      fail();
    }
    from += put;
    size -= static_cast<std::size_t>(put);
  }
}

void FreshFile::skip(std::size_t size) {
  if (size != 0 && ::lseek(descriptor_, static_cast<off_t>(size), SEEK_CUR) < 0) {
    fail();
  }
}

void FreshFile::finish(bool sync) {
  // It may end with what was skipped.
  const off_t end = ::lseek(descriptor_, 0, SEEK_CUR);
  if (end < 0 || ::ftruncate(descriptor_, end) != 0) {
    fail();
  }
  if (sync && ::fsync(descriptor_) != 0) {
    fail();
  }
}

const std::filesystem::path& FreshFile::take_own_name() {
  while (own_name_.empty()) {
    std::filesystem::path name = unused_name();
    if (::linkat(AT_FDCWD, descriptor_path(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      own_name_ = std::move(name);
    } else if (errno != EEXIST) {
      fail();
    }
  }
  // Some file systems say only now that there was no room.
  close();
  return own_name_;
}

void FreshFile::take_place() {
  take_own_name();
  if (::rename(own_name_.c_str(), target_.c_str()) != 0) {
    fail();
  }
  // Two names of one file both stay.
  ::unlink(own_name_.c_str());
  own_name_.clear();
}

bool FreshFile::take_place_as_well() {
  take_own_name();
  const std::filesystem::path second = unused_name();
  if (::link(own_name_.c_str(), second.c_str()) != 0) {
    return false;
  }
  if (::rename(second.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::unlink(second.c_str());
    errno = error;
    fail();
  }
  return true;
}

std::filesystem::path FreshFile::unused_name() const {
  static std::atomic<unsigned> count = 0;
  return folder_of(target_) / std::string(kOwnNameStart)
                                  .append(std::to_string(::getpid()))
                                  .append("-")
                                  .append(std::to_string(++count))
                                  .append(kOwnNameEnd);
}

bool FreshFile::is_own_name(std::string_view file_name) {
  return file_name.starts_with(kOwnNameStart) && file_name.ends_with(kOwnNameEnd);
}

void FreshFile::close() {
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0) {
    fail();
  }
}

void FreshFile::fail() const {
  throw std::system_error(errno, std::generic_category(), target_.string());
}

std::filesystem::path behind_links(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? std::filesystem::canonical(path) : path;
}

void sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = folder_of(file);
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Not every file system can do that for a folder; those that cannot say EINVAL.
  if (!descriptor.is_open() || (::fsync(descriptor.get()) != 0 && errno != EINVAL)) {
    throw std::system_error(errno, std::generic_category(), folder.string());
  }
}

}  // namespace nocopy::onnx
