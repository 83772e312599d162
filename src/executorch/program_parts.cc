#include "executorch/program_parts.h"

#include <array>
#include <limits>

namespace nocopy::executorch {

using flatbuffer::Table;

std::size_t scalar_type_size(std::int8_t scalar_type) noexcept {
  // By ScalarType; 0 where the runtime's kernels have no such type (complex and sub-byte ones).
  constexpr std::array<std::uint8_t, 30> kSizes = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                                                   2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  1, 2, 4, 8};
  const auto i = static_cast<std::size_t>(scalar_type);
  return scalar_type >= 0 && i < kSizes.size() ? kSizes[i] : 0;
}

TensorEntry tensor_entry(Table tensor) noexcept {
  TensorEntry entry;
  entry.scalar_type = tensor.scalar<std::int8_t>(schema::kScalarType);
  const auto sizes = tensor.scalars<std::int32_t>(schema::kSizes);
  const auto order = tensor.scalars<std::uint8_t>(schema::kDimOrder);
  entry.sizes = {reinterpret_cast<const std::int32_t*>(sizes.data()), sizes.size()};
  entry.dim_order = {reinterpret_cast<const std::uint8_t*>(order.data()), order.size()};
  entry.dynamic = tensor.scalar<std::int8_t>(schema::kShapeDynamism) != 0;
  entry.planned = tensor.has(schema::kAllocationInfo);
  if (const Table extra = tensor.table(schema::kExtraInfo)) {
    entry.name = extra.string(schema::kFullyQualifiedName);
    entry.external = extra.scalar<std::int8_t>(schema::kLocation) == 1;
    entry.device = {extra.scalar<std::int8_t>(schema::kDeviceType),
                    extra.scalar<std::int8_t>(schema::kDeviceIndex)};
  }
  entry.constant = !entry.planned &&
                   (entry.external || tensor.scalar<std::uint32_t>(schema::kDataBufferIdx) != 0);

  std::size_t bytes = scalar_type_size(entry.scalar_type);
  for (const std::int32_t size : entry.sizes) {
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes)) {
      bytes = std::numeric_limits<std::size_t>::max();
      break;
    }
  }
  entry.nbytes = bytes;
  return entry;
}

std::span<const std::byte> segment_bytes(const ProgramLayout& layout,
                                         std::size_t segment) noexcept {
  const Range range = segment_range(layout.program.tables(schema::kSegments)[segment]);
  return layout.file.subspan(layout.segment_base + range.offset, range.size);
}

std::span<const std::byte> delegate_payload(const ProgramLayout& layout, Table delegate) noexcept {
  const Table reference = delegate.table(schema::kProcessed);
  const auto index = reference.scalar<std::uint32_t>(schema::kReferenceIndex);
  const auto location =
      static_cast<DataLocation>(reference.scalar<std::int8_t>(schema::kReferenceLocation));
  if (location == DataLocation::kSegment) return segment_bytes(layout, index);
  const auto bytes =
      layout.program.tables(schema::kBackendDelegateData)[index].scalars<std::uint8_t>(0);
  return {bytes.data(), bytes.size()};
}

}  // namespace nocopy::executorch
