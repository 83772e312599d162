#include "onnx/external_layout.h"

#include <sys/stat.h>

#include <limits>
#include <optional>
#include <unordered_set>

#include "memory/error.h"
#include "onnx/external_entry.h"
#include "onnx/model_folder.h"
#include "onnx/utf8.h"

namespace nocopy::onnx {
namespace {

// What readers hold an offset in.
constexpr auto kLargestOffset = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::size_t kLongestName = 200;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kExternalData, message);
}

[[noreturn]] void refuse_own_file(const std::string& location) {
  refuse("the data cannot go to " + in_quotes(location) + ", which is the model's own file");
}

// Whether a location stays in the folder that it is relative to.
bool stays_inside(std::string_view location) {
  const std::filesystem::path path(location);
  return !location.empty() && location.find('\0') == location.npos &&
         is_utf8(reinterpret_cast<const std::uint8_t*>(location.data()), location.size()) &&
         path.is_relative() && path.has_filename() && path == path.lexically_normal() &&
         path != "." && *path.begin() != "..";
}

std::size_t aligned(std::size_t offset, std::size_t alignment, std::size_t size) {
  const std::size_t rest = alignment == 0 ? 0 : offset % alignment;
  const std::size_t padding = rest == 0 ? 0 : alignment - rest;
  if (padding > kLargestOffset - offset || size > kLargestOffset - offset - padding) {
    refuse("an alignment of " + std::to_string(alignment) +
           " makes a data file longer than files can be; choose a smaller one");
  }
  return offset + padding;
}

// A file name made from a tensor's.
std::string file_name(std::string_view tensor) {
  std::string_view kept = tensor.substr(0, kLongestName);
  // Not in the middle of a character: locations are UTF-8.
  while (kept.size() < tensor.size() && !kept.empty() && (tensor[kept.size()] & 0xC0) == 0x80) {
    kept.remove_suffix(1);
  }
  std::string name(kept);
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || std::string_view("<>:;,?\"*|/\\").find(c) < 11) {
      c = '_';
    }
  }
  return name.empty() || name.front() == '.' ? "tensor" + name : name;
}

class Layout {
 public:
  Layout(const std::string& model_name, OldDataFiles& old, const SerializeOptions& options)
      : options_(options), old_(old) {
    taken_.insert(model_name);
    if (!options_.file_per_tensor && !stays_inside(options_.location)) {
      refuse(
          "the location of external data has to be a file name relative to the model's folder,"
          " in UTF-8, got " +
          in_quotes(options_.location));
    }
  }

  void add(const TensorProto& tensor) {
    const std::size_t size = tensor.raw_data().size();
    if (files_.empty() || options_.file_per_tensor || is_full(size)) {
      files_.push_back({name(tensor), {}, 0});
    }
    PlannedFile& file = files_.back();
    const std::size_t offset = aligned(file.size, options_.alignment, size);
    file.parts.push_back({&tensor, offset});
    file.size = offset + size;
  }

  std::vector<PlannedFile> finish() {
    for (PlannedFile& file : files_) {
      file.size = aligned(file.size, options_.alignment, 0);
    }
    return std::move(files_);
  }

 private:
  [[nodiscard]] bool is_full(std::size_t size) const {
    const std::uint64_t most = options_.max_external_file_size;
    const std::size_t end = aligned(files_.back().size, options_.alignment, size) + size;
    return most != 0 && aligned(end, options_.alignment, 0) > most;
  }

  std::string name(const TensorProto& tensor) {
    const std::string wanted =
        options_.file_per_tensor ? file_name(tensor.name()) : options_.location;
    std::string name = wanted;
    if (options_.file_per_tensor) {
      for (std::size_t i = 1; !taken_.insert(name).second || old_.is_foreign(name); ++i) {
        name = wanted + "." + std::to_string(i);
      }
      return name;
    }
    if (!files_.empty()) {
      name += "." + std::to_string(files_.size());
    }
    if (!taken_.insert(name).second) {
      refuse_own_file(name);
    }
    return name;
  }

  const SerializeOptions& options_;
  OldDataFiles& old_;
  std::vector<PlannedFile> files_;
  std::unordered_set<std::string> taken_;
};

bool is_wanted(const FoundTensor& found, const SerializeOptions& options) {
  const ByteSpan& bytes = found.tensor->raw_data();
  return !bytes.empty() && bytes.size() >= options.raw_data_threshold &&
         !is_external(*found.tensor) &&
         (options.external_tensors == ExternalTensors::kAll ||
          found.place == TensorPlace::kInitializer ||
          (found.place == TensorPlace::kAttribute &&
           options.external_tensors == ExternalTensors::kAndAttributes));
}

void say(TensorProto& tensor, std::string_view key, std::string_view value) {
  StringStringEntryProto& entry = tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

// As whoever loads the model will open it.
DataFile open_as_reader(const ModelFolder& folder, const TensorProto& tensor,
                        const ExternalEntry& entry) {
  try {
    return folder.open(tensor, entry.location);
  } catch (const Error& error) {
    refuse(
        std::string("the saved model would not find the data of a tensor that was not loaded; ") +
        error.what() +
        ". Load the external data before saving elsewhere, or say that the file will come "
        "(allow_missing_external_data)");
  }
}

void check_kept_reference(const ModelFolder& folder, const TensorProto& tensor,
                          const std::filesystem::path& model,
                          const std::vector<PlannedFile>& written) {
  const ExternalEntry entry = read_external_entry(tensor);
  if (!tensor.raw_data().empty()) {
    refuse_external(tensor, entry.location,
                    "the tensor also has raw data, which would be lost, as readers take the file's;"
                    " clear data_location and external_data to save the raw data, or clear "
                    "raw_data");
  }
  const DataFile file = open_as_reader(folder, tensor, entry);
  if (entry.offset > file.size() || entry.length.value_or(0) > file.size() - entry.offset) {
    refuse_external(tensor, entry.location,
                    "the tensor was not loaded, and its file has " + std::to_string(file.size()) +
                        " bytes and ends before its data does");
  }
  for (const PlannedFile& planned : written) {
    struct stat there{};
    if (::stat((model.parent_path() / planned.location).c_str(), &there) == 0 &&
        there.st_dev == file.status.st_dev && there.st_ino == file.status.st_ino) {
      refuse_external(tensor, entry.location,
                      "the tensor was not loaded, and its file is to be replaced; load its data "
                      "first, or write to another file");
    }
  }
}

}  // namespace

std::vector<PlannedFile> lay_out(const std::vector<FoundTensor>& tensors,
                                 const std::string& model_name, OldDataFiles& old,
                                 const SerializeOptions& options) {
  if (options.location.empty() && !options.file_per_tensor) {
    return {};
  }
  Layout layout(model_name, old, options);
  for (const FoundTensor& found : tensors) {
    if (is_wanted(found, options)) {
      layout.add(*found.tensor);
    }
  }
  return layout.finish();
}

ReferencesTo::ReferencesTo(const std::vector<PlannedFile>& files,
                           const std::vector<std::string>& locations) {
  std::size_t count = 0;
  for (const PlannedFile& file : files) {
    count += file.parts.size();
  }
  references_.reserve(count);  // so that none moves
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const PlannedFile::Part& part : files[i].parts) {
      TensorProto& reference = references_.emplace_back();
      reference.set_data_location(TensorProto::EXTERNAL);
      say(reference, "location", locations[i]);
      say(reference, "offset", std::to_string(part.offset));
      say(reference, "length", std::to_string(part.tensor->raw_data().size()));
      map_.emplace(part.tensor, &reference);
    }
  }
}

void check_links(const std::vector<PlannedFile>& files, const std::filesystem::path& model) {
  namespace fs = std::filesystem;
  for (const PlannedFile& file : files) {
    const fs::path location(file.location);
    if (!location.has_parent_path()) {
      continue;
    }
    std::error_code missing;  // then whoever writes the file says so
    const fs::path folder =
        fs::canonical(model.has_parent_path() ? model.parent_path() : fs::path("."), missing);
    const fs::path real = fs::canonical(folder / location.parent_path(), missing);
    if (missing) {
      continue;
    }
    const fs::path inside = real.lexically_relative(folder);
    if (inside.empty() || *inside.begin() == "..") {
      refuse("the location of external data " + in_quotes(file.location) + " leads to " +
             in_quotes(real.string()) + ", which is not in the model's folder " +
             in_quotes(folder.string()) + "; nobody would load it from there");
    }
    if (real / location.filename() == folder / model.filename()) {
      refuse_own_file(file.location);
    }
  }
}

void check_kept_references(const std::vector<FoundTensor>& tensors,
                           const std::filesystem::path& model,
                           const std::vector<PlannedFile>& written) {
  std::optional<ModelFolder> folder;
  for (const FoundTensor& found : tensors) {
    if (!is_external(*found.tensor)) {
      continue;
    }
    if (!folder) {
      ParseOptions options;
      if (!std::filesystem::exists(model)) {
        // As if it were there.
        options.location = model.has_parent_path() ? model.parent_path().string() : ".";
      }
      folder.emplace(model, options);
    }
    check_kept_reference(*folder, *found.tensor, model, written);
  }
}

}  // namespace nocopy::onnx
