#include "onnx/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

#include "memory/descriptor.h"
#include "memory/error.h"
#include "memory/mapped_file.h"
#include "onnx/announce.h"
#include "onnx/external_entry.h"
#include "onnx/load_external.h"
#include "onnx/parse.h"
#include "onnx/read_pieces.h"
#include "onnx/tensors.h"

namespace nocopy::onnx {
namespace {

constexpr std::size_t kReadAhead = 256 * 1024;
// Behind a payload, where the next one is often near; twice as much each time that it is not.
constexpr std::size_t kReadAheadBehindPayload = 512;
// Memory that is no longer looked at is given back when it is worth the call.
constexpr std::size_t kGiveBackFrom = 1024 * 1024;

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), path.string());
}

// An address range as long as the file, of which only the parts being parsed hold memory.
class FileSource final : public Source {
 public:
  FileSource(const Descriptor& file, const std::filesystem::path& path, std::size_t size)
      : file_(file), path_(path), size_(size) {
    if (size_ != 0) {
      void* range = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (range == MAP_FAILED) {
        fail(path_);
      }
      begin_ = static_cast<std::uint8_t*>(range);
      given_back_ = begin_;
    }
  }
  ~FileSource() override {
    if (begin_ != nullptr) {
      ::munmap(begin_, size_);
    }
  }

  [[nodiscard]] const std::uint8_t* begin() const noexcept { return begin_; }

  const std::uint8_t* fill(const std::uint8_t* from, const std::uint8_t* until) override {
    if (filled_ >= kGiveBackFrom) {
      give_back(from);
      filled_ = 0;
    }
    const auto start = static_cast<std::size_t>(from - begin_);
    const std::size_t wanted = std::max(static_cast<std::size_t>(until - from), read_ahead_);
    const std::size_t size = std::min(wanted, size_ - start);
    if (!read_exactly(file_.get(), start, begin_ + start, size)) {
      fail_changed();
    }
    read_ahead_ = std::min(read_ahead_ * 2, kReadAhead);
    filled_ += size;
    return from + size;
  }

  void read(std::size_t offset, std::uint8_t* to, std::size_t size) override {
    if (!read_untouched(file_.get(), offset, to, size)) {
      fail_changed();
    }
    read_ahead_ = kReadAheadBehindPayload;
  }

  void lend(std::size_t offset, std::size_t size, ByteSpan& to) override {
    if (mapping_ == nullptr) {
      mapping_ = MappedFile::from_descriptor(file_.get(), path_.string());
      if (mapping_->bytes().size() != size_) {
        fail_changed();
      }
    }
    to.assign_borrowed(mapping_->bytes().data() + offset, size,
                       std::const_pointer_cast<MappedFile>(mapping_));
    read_ahead_ = kReadAheadBehindPayload;
  }

 private:
  [[noreturn]] void fail_changed() const {
    throw Error(ErrorKind::kDecode, path_.string() +
                                        " changed its size while it was being read; load it again"
                                        " when whoever writes it is done");
  }

  // The memory of whole pages that lie before `before`, which are not looked at again.
  void give_back(const std::uint8_t* before) noexcept {
    constexpr std::uintptr_t kPage = 64 * 1024;
    auto* stop =
        reinterpret_cast<std::uint8_t*>(reinterpret_cast<std::uintptr_t>(before) & ~(kPage - 1));
    auto* start = reinterpret_cast<std::uint8_t*>(
        (reinterpret_cast<std::uintptr_t>(given_back_) + 4095) & ~std::uintptr_t{4095});
    if (stop > start) {
      ::madvise(start, static_cast<std::size_t>(stop - start), MADV_DONTNEED);
      given_back_ = stop;
    }
  }

  const Descriptor& file_;
  const std::filesystem::path& path_;
  std::size_t size_;
  std::uint8_t* begin_ = nullptr;
  std::uint8_t* given_back_ = nullptr;
  std::size_t read_ahead_ = kReadAhead;
  std::size_t filled_ = 0;                     // since memory was last given back
  std::shared_ptr<const MappedFile> mapping_;  // once something was lent
};

// Parses `input` as a part of what is in the file `model`, whose folder has the external data.
void parse_beside(Message& message, const Input& input, const std::filesystem::path& model,
                  const ParseOptions& options) {
  PendingTensors pending;
  Announcer announcer(options);
  OnTensor on_tensor;
  if (options.load_external_data || options.raw_data_callback) {
    on_tensor = [&](TensorProto& tensor, GraphProto* graph) {
      if (options.load_external_data && is_external(tensor)) {
        pending.add(tensor, graph);
      } else {
        announcer.add(tensor, graph);
      }
    };
  }
  parse(message, input, options, on_tensor);
  announcer.finish();
  load_external(pending, model, options);
}

}  // namespace

void ParseFromFile(Message& message, const std::filesystem::path& path,
                   const ParseOptions& options) {
  // A pipe must not hang the caller.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
    fail(path);
  }
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail(path);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::kDecode,
                path.string() + " is not a regular file; read its bytes and parse those");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  FileSource source(file, path, size);
  message.Clear();
  parse_beside(message, {source.begin(), source.begin() + size, &source}, path, options);
}

void ParseFromStringBeside(Message& message, std::string_view bytes,
                           const std::filesystem::path& model, const ParseOptions& options) {
  message.Clear();
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  parse_beside(message, {begin, begin + bytes.size()}, model, options);
}

void LoadExternalData(Message& message, const std::filesystem::path& model,
                      const ParseOptions& options) {
  PendingTensors pending;
  for (const FoundTensor& found : find_tensors(message)) {
    if (is_external(*found.tensor)) {
      pending.add(*found.tensor, found.graph);
    }
  }
  load_external(pending, model, options);
}

}  // namespace nocopy::onnx
