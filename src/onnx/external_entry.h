#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "onnx/messages.h"

namespace nocopy::onnx {

// What a tensor says of where its data is.
struct ExternalEntry {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  // none: up to the end of the file
  std::string checksum;                 // SHA-1 of the file in hexadecimal digits, or empty
};

// Whether the tensor's data is in another file.
[[nodiscard]] inline bool is_external(const TensorProto& tensor) noexcept {
  return tensor.has_data_location() && tensor.data_location() == TensorProto::EXTERNAL;
}

// Throws Error(kExternalData) for keys that ONNX does not define or that are there twice, for a
// missing location, and for numbers that are none.
[[nodiscard]] ExternalEntry read_external_entry(const TensorProto& tensor);

// Throws Error(kExternalData): the tensor, the location, what is wrong with it and what to do.
[[noreturn]] void refuse_external(const TensorProto& tensor, const std::string& location,
                                  const std::string& what);

// Text of a model for a message: in quotes, cut where it is long.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace nocopy::onnx
