#pragma once

// Readings of single parts of a verified program, shared by the view and the validation.

#include <cstddef>
#include <cstdint>
#include <span>

#include "executorch/program_file.h"
#include "executorch/program_schema.h"

namespace nocopy::executorch {

enum class DataLocation : std::int8_t { kInline = 0, kSegment = 1 };

struct Range {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The bytes of one element, or 0 for a scalar type that the runtime does not know.
[[nodiscard]] std::size_t scalar_type_size(std::int8_t scalar_type) noexcept;

[[nodiscard]] inline ValueKind kind_of(flatbuffer::Table value) noexcept {
  return static_cast<ValueKind>(value.scalar<std::uint8_t>(schema::kValueType));
}

// Saturates nbytes where the product of the sizes overflows; validation refuses such tensors.
[[nodiscard]] TensorEntry tensor_entry(flatbuffer::Table tensor) noexcept;

[[nodiscard]] inline Range segment_range(flatbuffer::Table segment) noexcept {
  return {segment.scalar<std::uint64_t>(schema::kSegmentOffset),
          segment.scalar<std::uint64_t>(schema::kSegmentSize)};
}

// The bytes of a segment whose range was checked.
[[nodiscard]] std::span<const std::byte> segment_bytes(const ProgramLayout& layout,
                                                       std::size_t segment) noexcept;
// The bytes of a delegate whose reference was checked.
[[nodiscard]] std::span<const std::byte> delegate_payload(const ProgramLayout& layout,
                                                          flatbuffer::Table delegate) noexcept;

}  // namespace nocopy::executorch
