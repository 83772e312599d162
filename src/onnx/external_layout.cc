#include "onnx/external_layout.h"

#include <charconv>
#include <limits>
#include <system_error>
#include <unordered_set>

#include "memory/error.h"

namespace nocopy::onnx {
namespace {

// What readers hold an offset in.
constexpr auto kLargestOffset = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::size_t kLongestName = 200;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kExternalData, message);
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// Whether a location stays in the folder that it is relative to.
bool stays_inside(std::string_view location) {
  const std::filesystem::path path(location);
  return !location.empty() && location.find('\0') == location.npos && path.is_relative() &&
         path.has_filename() && path == path.lexically_normal() && path != "." &&
         *path.begin() != "..";
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
  std::string name(tensor.substr(0, kLongestName));
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || std::string_view("<>:;,?\"*|/\\").find(c) < 11) {
      c = '_';
    }
  }
  return name.empty() || name.front() == '.' ? "tensor" + name : name;
}

class Layout {
 public:
  Layout(const std::string& model_name, const SerializeOptions& options) : options_(options) {
    taken_.insert(model_name);
    if (!options_.file_per_tensor && !stays_inside(options_.location)) {
      refuse(
          "the location of external data has to be a file name relative to the model's folder,"
          " got " +
          in_quotes(options_.location));
    }
  }

  void add(const TensorProto& tensor) {
    const std::size_t size = tensor.raw_data().size();
    if (files_.empty() || options_.file_per_tensor || is_full(size)) {
      files_.push_back({name(tensor), {}, 0});
    }
    DataFile& file = files_.back();
    const std::size_t offset = aligned(file.size, options_.alignment, size);
    file.parts.push_back({&tensor, offset});
    file.size = offset + size;
  }

  std::vector<DataFile> finish() {
    for (DataFile& file : files_) {
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
    if (!options_.file_per_tensor && !files_.empty()) {
      name += "." + std::to_string(files_.size());
    }
    for (std::size_t i = 1; !taken_.insert(name).second; ++i) {
      if (!options_.file_per_tensor) {
        refuse("the data cannot go to " + in_quotes(name) + ", which is the model's own file");
      }
      name = wanted + "." + std::to_string(i);
    }
    return name;
  }

  const SerializeOptions& options_;
  std::vector<DataFile> files_;
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

std::string_view said(const TensorProto& tensor, std::string_view key) {
  std::string_view value;
  for (const StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == key) {
      value = entry.value();
    }
  }
  return value;
}

std::size_t number_said(const TensorProto& tensor, std::string_view key) {
  const std::string_view text = said(tensor, key);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) {
    refuse("tensor " + in_quotes(tensor.name()) + " has " + in_quotes(text) + " as the " +
           std::string(key) + " of its external data; expected a number");
  }
  return number;
}

}  // namespace

bool is_external(const TensorProto& tensor) noexcept {
  return tensor.data_location() == TensorProto::EXTERNAL;
}

std::vector<DataFile> lay_out(const std::vector<FoundTensor>& tensors,
                              const std::string& model_name, const SerializeOptions& options) {
  if (options.location.empty() && !options.file_per_tensor) {
    return {};
  }
  Layout layout(model_name, options);
  for (const FoundTensor& found : tensors) {
    if (is_wanted(found, options)) {
      layout.add(*found.tensor);
    }
  }
  return layout.finish();
}

ReferencesTo::ReferencesTo(const std::vector<DataFile>& files,
                           const std::vector<std::string>& locations) {
  std::size_t count = 0;
  for (const DataFile& file : files) {
    count += file.parts.size();
  }
  references_.reserve(count);  // so that none moves
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const DataFile::Part& part : files[i].parts) {
      TensorProto& reference = references_.emplace_back();
      reference.set_data_location(TensorProto::EXTERNAL);
      say(reference, "location", locations[i]);
      say(reference, "offset", std::to_string(part.offset));
      say(reference, "length", std::to_string(part.tensor->raw_data().size()));
      map_.emplace(part.tensor, &reference);
    }
  }
}

void check_kept_references(const std::vector<FoundTensor>& tensors,
                           const std::filesystem::path& folder,
                           const std::vector<DataFile>& written) {
  for (const FoundTensor& found : tensors) {
    if (!is_external(*found.tensor)) {
      continue;
    }
    const TensorProto& tensor = *found.tensor;
    const std::string_view location = said(tensor, "location");
    const std::string what = "tensor " + in_quotes(tensor.name()) +
                             " was not loaded and refers to " + in_quotes(location);
    for (const DataFile& file : written) {
      if (file.location == location) {
        refuse(what + ", which is to be written; load its data first, or write to another file");
      }
    }
    const std::filesystem::path path = folder / location;
    std::error_code error;
    const std::size_t offset = number_said(tensor, "offset");
    const std::size_t length = number_said(tensor, "length");
    if (!stays_inside(location) || !std::filesystem::is_regular_file(path, error)) {
      refuse(what + ", which is no file in " + in_quotes(folder.string()) +
             "; load the model's external data before saving it elsewhere, or put the file there, "
             "or say that it will come (allow_missing_external_data)");
    }
    const std::size_t size = std::filesystem::file_size(path, error);
    if (error || offset > size || length > size - offset) {
      refuse(what + ", which ends before its data does: it has " + std::to_string(size) +
             " bytes, the tensor needs " + std::to_string(length) + " from " +
             std::to_string(offset) + " on");
    }
  }
}

}  // namespace nocopy::onnx
