#include "onnx/external_entry.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "memory/error.h"

namespace nocopy::onnx {
namespace {

std::uint64_t read_number(const TensorProto& tensor, const std::string& location,
                          std::string_view key, std::string_view text) {
  // Files have sizes of 63 bits.
  std::int64_t number = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end || number < 0 || text[0] == '-') {
    refuse_external(tensor, location,
                    "the " + std::string(key) + " is " + in_quotes(text) +
                        "; expected decimal digits of a number of bytes below 2^63");
  }
  return static_cast<std::uint64_t>(number);
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 200;
  std::string shown = "'";
  for (const char c : text.substr(0, kShown)) {
    shown += c == '\0' || c == '\n' ? '?' : c;
  }
  return shown + (text.size() > kShown ? "...'" : "'");
}

void refuse_external(const TensorProto& tensor, const std::string& location,
                     const std::string& what) {
  throw Error(ErrorKind::kExternalData, "tensor " + in_quotes(tensor.name()) +
                                            ": external data in " + in_quotes(location) + ": " +
                                            what);
}

ExternalEntry read_external_entry(const TensorProto& tensor) {
  constexpr std::string_view kKeys[] = {"location", "offset", "length", "checksum", "basepath"};
  bool seen[std::size(kKeys)] = {};
  ExternalEntry entry;
  for (const StringStringEntryProto& pair : tensor.external_data()) {
    if (pair.key() == "location") {
      entry.location = pair.value();  // first, for the messages
      break;
    }
  }
  for (const StringStringEntryProto& pair : tensor.external_data()) {
    const std::string_view key = pair.key();
    const auto known = std::find(std::begin(kKeys), std::end(kKeys), key);
    if (known == std::end(kKeys)) {
      refuse_external(tensor, entry.location,
                      "the key " + in_quotes(key) +
                          " is not one of location, offset, length, checksum and basepath; load "
                          "with load_external_data=False and remove it");
    }
    bool& repeated = seen[known - std::begin(kKeys)];
    if (repeated) {
      refuse_external(tensor, entry.location,
                      "the key " + in_quotes(key) +
                          " is there more than once; load with load_external_data=False and remove "
                          "all but one");
    }
    repeated = true;
    if (key == "offset") {
      entry.offset = read_number(tensor, entry.location, key, pair.value());
    } else if (key == "length") {
      entry.length = read_number(tensor, entry.location, key, pair.value());
    } else if (key == "checksum") {
      entry.checksum = pair.value();
      std::transform(entry.checksum.begin(), entry.checksum.end(), entry.checksum.begin(),
                     [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
    }
    // "basepath" is written by some and read by nobody.
  }
  if (entry.location.empty()) {
    refuse_external(tensor, entry.location,
                    "it has no location; expected the path of a file in the model's folder");
  }
  return entry;
}

}  // namespace nocopy::onnx
