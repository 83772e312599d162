#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>

#include "memory/descriptor.h"
#include "memory/error.h"
#include "onnx/external_entry.h"
#include "onnx/external_layout.h"
#include "onnx/file.h"
#include "onnx/fresh_file.h"
#include "onnx/old_data_files.h"
#include "onnx/paths.h"
#include "onnx/serialize.h"
#include "onnx/tensor_view.h"

namespace nocopy::onnx {
namespace {

// Compares what an open file says with what it should say, piece by piece.
class Comparison {
 public:
  explicit Comparison(int descriptor) : descriptor_(descriptor) {}

  // Null stands for zeros.
  [[nodiscard]] bool next(const std::uint8_t* expected, std::size_t size) {
    while (size != 0) {
      const ssize_t got = ::read(descriptor_, buffer_.data(), std::min(size, buffer_.size()));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      const auto count = static_cast<std::size_t>(got);
      if (got <= 0 || (expected != nullptr ? std::memcmp(buffer_.data(), expected, count) != 0
                                           : !all_zero(count))) {
        return false;
      }
      expected += expected != nullptr ? got : 0;
      size -= count;
    }
    return true;
  }

 private:
  [[nodiscard]] bool all_zero(std::size_t size) const {
    return std::all_of(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(size),
                       [](std::uint8_t byte) { return byte == 0; });
  }

  int descriptor_;
  std::array<std::uint8_t, 64 * 1024> buffer_;
};

// Calls `raw` with each tensor's bytes and `zeros` with the size of each gap, until one says false.
template <typename Raw, typename Zeros>
bool for_each_piece(const PlannedFile& file, Raw&& raw, Zeros&& zeros) {
  std::size_t at = 0;
  for (const PlannedFile::Part& part : file.parts) {
    const ByteSpan& bytes = part.tensor->raw_data();
    if (!zeros(part.offset - at) || !raw(bytes.data(), bytes.size())) {
      return false;
    }
    at = part.offset + bytes.size();
  }
  return zeros(file.size - at);
}

// Whether a file is already what would be written. Then it can stay, so that a model whose weights
// did not change is saved without writing them. Links are not such files: readers refuse them.
bool is_already(const std::filesystem::path& path, const PlannedFile& file) {
  const Descriptor there(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!there.is_open() || ::fstat(there.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_nlink != 1 || static_cast<std::size_t>(status.st_size) != file.size) {
    return false;
  }
  const auto comparison = std::make_unique<Comparison>(there.get());
  const auto raw = [&](const std::uint8_t* data, std::size_t size) {
    return comparison->next(data, size);
  };
  const auto zeros = [&](std::size_t size) { return comparison->next(nullptr, size); };
  return for_each_piece(file, raw, zeros);
}

class Save {
 public:
  Save(const Message& message, std::filesystem::path path, const SerializeOptions& options)
      : message_(message), path_(std::move(path)), old_(message.schema(), path_) {
    // Nothing here changes a tensor.
    const std::vector<FoundTensor> tensors = find_tensors(const_cast<Message&>(message));
    for (const FoundTensor& found : tensors) {
      check_raw_data_is_there(*found.tensor);
    }
    files_ = lay_out(tensors, path_.filename().string(), old_, options);
    check_links(files_, path_);
    if (!options.allow_missing_external_data) {
      check_kept_references(tensors, path_, files_);
    }
    if (files_.empty()) {
      // Not so with data files: the two must stay in one folder, and nothing may be written out of
      // it.
      path_ = behind_links(path_);
    }
    sync_ = options.sync;
  }

  // All that can fail for want of space happens before any name changes.
  void run() {
    const bool replaces = write_data();
    sync_ &= replaces || is_there(path_);
    for (auto& data : data_) {
      if (data) {
        data->finish(sync_);
      }
    }
    if (replaces) {
      replace_data();
    } else {
      add_data();
    }
  }

 private:
  [[nodiscard]] std::filesystem::path path_of(const PlannedFile& file) const {
    return path_.parent_path() / file.location;
  }

  void check_may_replace(const std::string& location) {
    if (old_.is_foreign(location)) {
      throw Error(ErrorKind::kExternalData,
                  "the data cannot go to " + in_quotes(location) +
                      ": a file is there already, and " +
                      (is_there(path_) ? "the model that is now at " + in_quotes(path_.string()) +
                                             " does not refer to it"
                                       : "there is no model at " + in_quotes(path_.string()) +
                                             " that it would belong to") +
                      ", so that it may be another model's data. Remove it if no model needs it, "
                      "or choose another location");
    }
  }

  // Writes those files that are not there as they should be. Returns whether one takes the place of
  // another.
  bool write_data() {
    bool replaces = false;
    for (const PlannedFile& file : files_) {
      const std::filesystem::path path = path_of(file);
      auto& data = data_.emplace_back();
      if (is_already(path, file)) {
        continue;
      }
      data = std::make_unique<FreshFile>(path);
      check_may_replace(file.location);
      replaces |= is_there(path);
      const auto write = [&](const std::uint8_t* bytes, std::size_t size) {
        data->write(bytes, size);
        return true;
      };
      const auto skip = [&](std::size_t size) {
        data->skip(size);
        return true;
      };
      for_each_piece(file, write, skip);
    }
    return replaces;
  }

  [[nodiscard]] std::unique_ptr<FreshFile> write_model(const std::vector<std::string>& locations) {
    const ReferencesTo references(files_, locations);
    const Serialized serialized(message_, references.map());
    auto model = std::make_unique<FreshFile>(path_);
    serialized.write(*model);
    model->finish(sync_);
    return model;
  }

  [[nodiscard]] std::vector<std::string> final_locations() const {
    std::vector<std::string> locations;
    for (const PlannedFile& file : files_) {
      locations.push_back(file.location);
    }
    return locations;
  }

  // Until then the disk may change names in another order than they were changed here.
  void sync_names() {
    if (sync_) {
      sync_folder_of(path_);
      for (const PlannedFile& file : files_) {
        if (file.location.find('/') != std::string::npos) {
          sync_folder_of(path_of(file));
        }
      }
    }
  }

  // No data file is in the way: an old model does not see the new ones.
  void add_data() {
    const auto model = write_model(final_locations());
    for (auto& data : data_) {
      if (data) {
        data->take_place();
      }
    }
    sync_names();
    model->take_place();
  }

  // An old model with the new data would be a wrong one, and two names cannot change at once. So
  // the new model takes the old one's place with data files of other names; these then get their
  // own names as well; and the model that knows those takes its place. At each moment, what is
  // there is a whole old or new model.
  void replace_data() {
    std::vector<std::string> locations = final_locations();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (data_[i]) {
        locations[i] = (std::filesystem::path(files_[i].location).parent_path() /
                        data_[i]->take_own_name().filename())
                           .string();
      }
    }
    const auto between = write_model(locations);
    const auto model = write_model(final_locations());
    sync_names();
    between->take_place();
    try {
      sync_names();
      take_places_as_well();
      sync_names();
      model->take_place();
      sync_names();
    } catch (...) {
      keep_data();
      throw;
    }
  }

  void take_places_as_well() {
    bool linked = true;
    for (auto& data : data_) {
      linked = linked && (!data || data->take_place_as_well());
    }
    if (!linked) {
      // A file system without hard links: for a moment the model has lost its data.
      for (auto& data : data_) {
        if (data) {
          data->take_place();
        }
      }
    }
  }

  void keep_data() noexcept {
    for (auto& data : data_) {
      if (data) {
        data->keep();
      }
    }
  }

  const Message& message_;
  std::filesystem::path path_;
  OldDataFiles old_;
  std::vector<PlannedFile> files_;
  std::vector<std::unique_ptr<FreshFile>> data_;  // null where the file can stay
  bool sync_ = true;
};

}  // namespace

void SerializeToFile(const Message& message, const std::filesystem::path& path,
                     const SerializeOptions& options) {
  Save(message, path, options).run();
}

}  // namespace nocopy::onnx
