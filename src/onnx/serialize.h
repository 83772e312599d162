#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "onnx/message.h"

namespace nocopy::onnx {

// For tensors whose raw data is kept elsewhere: a tensor that says where.
using ExternalReferences = std::unordered_map<const Message*, const Message*>;

// A message as bytes, in pieces. It is written from its end to its start, as then the length of a
// submessage is known when it is to be written in front of it, and each message is looked at once.
// Raw data of some size is not copied: its piece is where the message has it, so the message must
// stay and not change while this exists.
class Serialized {
 public:
  // A tensor with a reference is written with that one's external_data and data_location instead of
  // its own and its raw data. Throws Error(kGeneric) when messages lie in each other deeper than
  // can be read again.
  explicit Serialized(const Message& message, const ExternalReferences& references = {});

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // Writes exactly size() bytes.
  void write(std::uint8_t* to) const;

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
  friend class BackwardWriter;

  struct Free {
    void operator()(std::uint8_t* block) const noexcept { std::free(block); }
  };
  struct Piece {
    const std::uint8_t* data;
    std::size_t size;
  };

  std::vector<Piece> pieces_;  // the last one first
  std::vector<std::unique_ptr<std::uint8_t, Free>> blocks_;
  std::size_t size_ = 0;
};

// Throws Error(kExternalData) for options that ask for files: bytes have no folder to put them in.
void check_for_bytes(const SerializeOptions& options);

}  // namespace nocopy::onnx
