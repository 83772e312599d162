#include "onnx/string.h"

#include <cstdlib>
#include <new>

namespace nocopy::onnx {

void String::assign(std::string_view text, Slab* slab) {
  String fresh;
  if (text.size() <= kInline) {
    if (!text.empty()) {
      char buffer[16] = {};
      std::memcpy(buffer, text.data(), text.size());
      std::memcpy(&fresh.low_, buffer, 8);
      std::memcpy(&fresh.high_, buffer + 8, 8);
    }
    fresh.high_ |= static_cast<std::uint64_t>(text.size() + 1) << kTagShift;
  } else {
    void* memory = slab != nullptr ? slab->allocate(text.size()) : nullptr;
    const unsigned where = memory != nullptr ? kSlab : kMalloc;
    if (memory == nullptr) {
      memory = std::malloc(text.size());
      if (memory == nullptr) {
        throw std::bad_alloc();
      }
    }
    std::memcpy(memory, text.data(), text.size());
    fresh.low_ = std::bit_cast<std::uint64_t>(memory);
    fresh.high_ = text.size() | (std::uint64_t{where} << kTagShift);
  }
  swap(fresh);
}

void String::release_heap() noexcept {
  void* memory = std::bit_cast<void*>(low_);
  if (tag() == kSlab) {
    Slab::release(memory);
  } else {
    std::free(memory);
  }
}

}  // namespace nocopy::onnx
