#include "memory/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace nocopy {
namespace {

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw std::system_error(errno, std::generic_category(), std::string(what) + " " + name);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, Mode mode) {
  // O_NONBLOCK so that a named pipe cannot hang the caller; it means nothing to a regular file.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) {
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
  file->descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (file->descriptor_ < 0) {
    fail(name, "cannot keep open");
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
  return file;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(data_, size_);
  }
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

long long MappedFile::size_on_disk() const noexcept {
  struct stat status{};
  return ::fstat(descriptor_, &status) == 0 ? static_cast<long long>(status.st_size) : -1;
}

}  // namespace nocopy
