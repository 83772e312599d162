#pragma once

#include <executorch/runtime/core/data_loader.h>

#include <cstring>
#include <span>

namespace nocopy::executorch {

// Gives the engine bytes in place. Whoever makes one keeps the bytes alive as long as the engine
// object that reads from it: what it lends carries no owner.
class BytesLoader final : public ::executorch::runtime::DataLoader {
 public:
  explicit BytesLoader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  ::executorch::runtime::Result<::executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& /*info*/) const override {
    if (!holds(offset, size)) {
      return ::executorch::runtime::Error::InvalidArgument;
    }
    return ::executorch::runtime::FreeableBuffer(bytes_.data() + offset, size, nullptr);
  }

  ::executorch::runtime::Error load_into(size_t offset, size_t size, const SegmentInfo& /*info*/,
                                         void* buffer) const override {
    if (!holds(offset, size) || (buffer == nullptr && size != 0)) {
      return ::executorch::runtime::Error::InvalidArgument;
    }
    if (size != 0) {
      std::memcpy(buffer, bytes_.data() + offset, size);
    }
    return ::executorch::runtime::Error::Ok;
  }

  ::executorch::runtime::Result<size_t> size() const override { return bytes_.size(); }

 private:
  [[nodiscard]] bool holds(size_t offset, size_t size) const noexcept {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace nocopy::executorch
