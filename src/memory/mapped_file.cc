#include "memory/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>

#include "memory/descriptor.h"

namespace nocopy {
namespace {

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw std::system_error(errno, std::generic_category(), std::string(what) + " " + name);
}

constexpr int kMostKeptOpen = 256;

// Where which mapping lies. Never destroyed: mappings may go when the process ends.
struct Mappings {
  std::mutex mutex;
  std::map<const std::byte*, std::weak_ptr<const MappedFile>> by_address;
};

Mappings& mappings() {
  static auto* all = new Mappings();
  return *all;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, Mode mode) {
  // O_NONBLOCK so that a named pipe cannot hang the caller; it means nothing to a regular file.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) {
    fail(path, "cannot open");
  }
  return from_descriptor(fd.get(), path, mode);
}

std::shared_ptr<const MappedFile> MappedFile::from_descriptor(int descriptor,
                                                              const std::string& name, Mode mode) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) {
    fail(name, "cannot read the size of");
  }
  if (!S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    fail(name, "not a regular file, so it cannot be mapped:");
  }
  std::shared_ptr<MappedFile> file(new MappedFile(name, mode));
  file->size_ = static_cast<size_t>(status.st_size);
  file->device_ = status.st_dev;
  file->inode_ = status.st_ino;
  // A model may have a file for each tensor: they must not use up what this process may open.
  file->descriptor_ = Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (file->descriptor_.get() >= kMostKeptOpen) {
    file->descriptor_ = Descriptor();
  }
  if (file->size_ == 0) {
    return file;  // nothing to map, and mmap refuses a length of zero
  }
  const int protection = mode == Mode::kCopyOnWrite ? PROT_READ | PROT_WRITE : PROT_READ;
  void* p = ::mmap(nullptr, file->size_, protection, MAP_PRIVATE, descriptor, 0);
  if (p == MAP_FAILED) {
    fail(name, "cannot map");
  }
  file->data_ = static_cast<std::byte*>(p);
  Mappings& all = mappings();
  const std::lock_guard lock(all.mutex);
  all.by_address[file->data_] = file;
  return file;
}

std::shared_ptr<const MappedFile> MappedFile::around(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  std::shared_ptr<const MappedFile> file;  // may be the last to have it: goes without the lock
  Mappings& all = mappings();
  const std::lock_guard lock(all.mutex);
  auto next = all.by_address.upper_bound(at);
  if (next == all.by_address.begin()) {
    return nullptr;
  }
  file = (--next)->second.lock();
  return file != nullptr && at < file->data_ + file->size_ ? file : nullptr;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    {
      Mappings& all = mappings();
      const std::lock_guard lock(all.mutex);
      all.by_address.erase(data_);  // before another mapping can get these addresses
    }
    ::munmap(data_, size_);
  }
}

long long MappedFile::size_on_disk() const noexcept {
  struct stat status{};
  if (descriptor_.is_open()) {
    return ::fstat(descriptor_.get(), &status) == 0 ? static_cast<long long>(status.st_size) : -1;
  }
  const bool found =
      ::stat(name_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
  return found ? static_cast<long long>(status.st_size) : -1;
}

}  // namespace nocopy
