#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "onnx/message.h"

namespace nocopy::onnx {

// Serializing takes two passes: one that measures, one that writes. The second needs the sizes of
// the messages inside, which the first leaves here in the order in which both meet them.
class Measured {
 public:
  // Throws Error(kGeneric) when messages lie in each other deeper than can be read again. The
  // message must stay and not change while this exists.
  explicit Measured(const Message& message);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // Writes exactly size() bytes.
  void write(std::uint8_t* to) const;

  // Hands the bytes piece by piece to `sink`; raw data of some size goes there without a copy.
  class Sink {
   public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;
    virtual void write(const void* data, std::size_t size) = 0;
  };
  void write(Sink& sink) const;

 private:
  const Message& message_;
  std::vector<std::size_t> sizes_;
  std::size_t size_;
};

}  // namespace nocopy::onnx
