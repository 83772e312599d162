#include "onnx/load_external.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "memory/dtype.h"
#include "memory/mapped_file.h"
#include "memory/sha1.h"
#include "onnx/announce.h"
#include "onnx/external_entry.h"
#include "onnx/model_folder.h"
#include "onnx/read_pieces.h"

namespace nocopy::onnx {
namespace {

// One tensor's part of a data file.
struct Part {
  TensorProto* tensor;
  GraphProto* graph;
  ExternalEntry entry;
  std::size_t size = 0;
};

// The tensors whose data is in one location, in the order of the model.
struct Group {
  std::string location;
  std::vector<Part> parts;
};

std::vector<Group> group_by_location(const PendingTensors& tensors, const ModelFolder& folder) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> by_location;
  for (const PendingTensors::Item& item : tensors.items()) {
    auto* tensor = static_cast<TensorProto*>(item.tensor.get());
    if (!is_external(*tensor)) {
      continue;
    }
    ExternalEntry entry = read_external_entry(*tensor);
    const auto [at, is_new] = by_location.try_emplace(entry.location, groups.size());
    if (is_new) {
      if (folder.is_one_file() && !groups.empty()) {
        refuse_external(*tensor, entry.location,
                        "the option `location` names one file, but the model's data is in several "
                        "(also in " +
                            in_quotes(groups.front().location) +
                            "); give the folder that they are in");
      }
      groups.push_back({entry.location, {}});
    }
    groups[at->second].parts.push_back(
        {tensor, static_cast<GraphProto*>(item.graph.get()), std::move(entry)});
  }
  return groups;
}

// The bytes that the tensor's type and shape need, or none where they do not say.
std::optional<std::uint64_t> bytes_needed(const TensorProto& tensor) {
  const auto dtype = dtype_from_onnx(tensor.data_type());
  if (!dtype) {
    return std::nullopt;
  }
  auto bits = static_cast<std::uint64_t>(info(*dtype).bits);
  for (const std::int64_t size : tensor.dims()) {
    if (size < 0 || __builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits) ||
        bits > UINT64_MAX - 7) {
      return std::nullopt;
    }
  }
  return (bits + 7) / 8;
}

void check_range(Part& part, const DataFile& file) {
  const ExternalEntry& entry = part.entry;
  const std::uint64_t there = file.size();
  const std::string has = "; the file " + in_quotes(file.path) + " has " + std::to_string(there) +
                          " bytes. It is damaged, cut short, or not the model's own";
  if (entry.offset > there) {
    refuse_external(*part.tensor, entry.location,
                    "it starts at byte " + std::to_string(entry.offset) + has);
  }
  const std::uint64_t left = there - entry.offset;
  const std::uint64_t size = entry.length.value_or(left);
  if (size > left) {
    refuse_external(*part.tensor, entry.location,
                    "it takes " + std::to_string(size) + " bytes from byte " +
                        std::to_string(entry.offset) + " on" + has);
  }
  const std::optional<std::uint64_t> needed = bytes_needed(*part.tensor);
  if (!entry.length && needed && *needed > left) {
    refuse_external(*part.tensor, entry.location,
                    "its type and shape need " + std::to_string(*needed) + " bytes from byte " +
                        std::to_string(entry.offset) + " on" + has);
  }
  part.size = static_cast<std::size_t>(size);
}

[[noreturn]] void refuse_changed(const Group& group) {
  refuse_external(
      *group.parts.front().tensor, group.location,
      "the file changed while it was being loaded; load again when whoever writes it is "
      "done");
}

std::string checksum_of(const Group& group, const DataFile& file) {
  constexpr std::size_t kAtOnce = 1 << 20;
  const auto buffer = std::make_unique<std::byte[]>(kAtOnce);
  Sha1 sha1;
  for (std::uint64_t at = 0; at < file.size();) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kAtOnce, file.size() - at));
    if (!read_exactly(file.descriptor.get(), at, buffer.get(), size)) {
      refuse_changed(group);
    }
    sha1.update({buffer.get(), size});
    at += size;
  }
  return sha1.finish();
}

void check_checksums(const Group& group, const DataFile& file) {
  std::string actual;
  for (const Part& part : group.parts) {
    const std::string& claimed = part.entry.checksum;
    if (claimed.empty()) {
      continue;
    }
    if (actual.empty()) {
      actual = checksum_of(group, file);
    }
    if (claimed != actual) {
      refuse_external(*part.tensor, group.location,
                      "the model says that the SHA-1 checksum of the file is " +
                          in_quotes(claimed) + ", but it is '" + actual +
                          "'; the file is damaged or not the model's own");
    }
  }
}

// Many tensors may share bytes of a file, but a small file is not to become more copies of it than
// there is memory for. `taken` is what those took that call it by another name.
void check_total(const Group& group, const DataFile& file, std::uint64_t& taken) {
  constexpr std::uint64_t kCopies = 16;
  constexpr std::uint64_t kFree = std::uint64_t{256} << 20;
  std::uint64_t left =
      file.size() < UINT64_MAX / kCopies - kFree ? file.size() * kCopies + kFree : UINT64_MAX;
  left -= std::min(left, taken);
  for (const Part& part : group.parts) {
    if (part.size > left) {
      refuse_external(*part.tensor, group.location,
                      "the model's tensors take more than " + std::to_string(kCopies) +
                          " times the bytes of this file, which has " +
                          std::to_string(file.size()) +
                          "; load with no_copy, so that they share them");
    }
    left -= part.size;
    taken += part.size;
  }
}

// The tensor gets its data, and is left as the onnx package leaves it.
void give(const Part& part, ByteSpan&& data, const ParseOptions& options) {
  TensorProto& tensor = *part.tensor;
  if (!is_external(tensor)) {
    return;  // has got it already, or whoever was told of another tensor changed this one
  }
  tensor.ref_raw_data() = std::move(data);
  tensor.set_data_location(TensorProto::DEFAULT);
  tensor.clear_external_data();
  Announcer::announce(tensor, part.graph, options);
}

class Loader {
 public:
  Loader(const ModelFolder& folder, const ParseOptions& options)
      : folder_(folder), options_(options) {}

  void load(Group& group) {
    const DataFile file = folder_.open(*group.parts.front().tensor, group.location);
    for (Part& part : group.parts) {
      check_range(part, file);
    }
    try {
      check_checksums(group, file);
      options_.no_copy ? borrow(group, file) : copy(group, file);
    } catch (const std::system_error& error) {
      refuse_external(*group.parts.front().tensor, group.location,
                      "cannot read " + in_quotes(file.path) + ": " + error.what());
    }
  }

 private:
  void borrow(const Group& group, const DataFile& file) {
    // By what the file is, not by its name: it is mapped once, whatever it is called.
    std::shared_ptr<const MappedFile>& mapping =
        mappings_[{file.status.st_dev, file.status.st_ino}];
    if (mapping == nullptr) {
      mapping = MappedFile::from_descriptor(file.descriptor.get(), file.path);
    }
    if (mapping->bytes().size() != file.size() || !file.unchanged()) {
      refuse_changed(group);
    }
    for (const Part& part : group.parts) {
      ByteSpan data;
      data.assign_borrowed(mapping->bytes().data() + part.entry.offset, part.size,
                           std::const_pointer_cast<MappedFile>(mapping));
      give(part, std::move(data), options_);
    }
  }

  void copy(const Group& group, const DataFile& file) {
    check_total(group, file, copied_[{file.status.st_dev, file.status.st_ino}]);
    std::vector<ByteSpan> data(group.parts.size());
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Part& part = group.parts[i];
      add_pieces(pieces, i, part.entry.offset, data[i].assign_uninitialized(part.size), part.size);
    }
    PieceReader reader(file.descriptor.get(), std::move(pieces), data.size(), options_.num_threads);
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (!reader.wait_for(i)) {
        refuse_changed(group);
      }
      give(group.parts[i], std::move(data[i]), options_);
    }
    if (!file.unchanged()) {
      refuse_changed(group);
    }
  }

  const ModelFolder& folder_;
  const ParseOptions& options_;
  std::map<std::pair<dev_t, ino_t>, std::shared_ptr<const MappedFile>> mappings_;
  std::map<std::pair<dev_t, ino_t>, std::uint64_t> copied_;  // bytes of each file
};

}  // namespace

void PendingTensors::add(TensorProto& tensor, GraphProto* graph) {
  items_.push_back({AnyMessageRef::share(tensor),
                    graph != nullptr ? AnyMessageRef::share(*graph) : AnyMessageRef()});
}

void load_external(const PendingTensors& tensors, const std::filesystem::path& model,
                   const ParseOptions& options) {
  if (tensors.empty()) {
    return;
  }
  const ModelFolder folder(model, options);
  std::vector<Group> groups = group_by_location(tensors, folder);
  Loader loader(folder, options);
  for (Group& group : groups) {
    loader.load(group);
  }
}

}  // namespace nocopy::onnx
