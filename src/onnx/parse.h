#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "memory/byte_span.h"
#include "onnx/message.h"

namespace nocopy::onnx {

// Where bytes come from that are not all in memory yet: a file that is read piece by piece into an
// address range as long as the file.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // Makes the bytes from `from` up to `until`, and likely more, readable where they belong. Returns
  // the end of what is readable from `from` on.
  virtual const std::uint8_t* fill(const std::uint8_t* from, const std::uint8_t* until) = 0;

  // Reads bytes of the input past the address range, straight to where they are wanted.
  virtual void read(std::size_t offset, std::uint8_t* to, std::size_t size) = 0;

  // Lends bytes of the input, for as long as `to` and its copies have them. Asked with `no_copy`
  // only.
  virtual void lend(std::size_t offset, std::size_t size, ByteSpan& to) = 0;
};

struct Input {
  const std::uint8_t* begin;
  const std::uint8_t* end;
  Source* source = nullptr;  // null when all bytes are there
};

// Called when a tensor was read to its end, with the graph that it is part of, or null. May change
// both, and whatever it can reach from them.
using OnTensor = std::function<void(TensorProto&, GraphProto*)>;

// Adds what the input says to `message`. External data is for those who have a file name. A tensor
// that is not repeated and is written in several pieces, which no writer does, is announced after
// each of them.
//
// Throws Error(kDecode) with the message, the field's path and the byte. Memory stays within 64
// bytes for each byte of input plus 16 MiB, whatever the input is.
void parse(Message& message, const Input& input, const ParseOptions& options);
// The same, with `on_tensor` instead of the options' callback.
void parse(Message& message, const Input& input, const ParseOptions& options,
           const OnTensor& on_tensor);

}  // namespace nocopy::onnx
