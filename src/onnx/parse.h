#pragma once

#include <cstddef>
#include <cstdint>

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
};

struct Input {
  const std::uint8_t* begin;
  const std::uint8_t* end;
  Source* source = nullptr;  // null when all bytes are there
};

// Adds what the input says to `message`. Of the options it honours those about copying; external
// data and callbacks are for those who have a file name and a whole model.
//
// Throws Error(kDecode) with the message, the field's path and the byte. Memory stays within 64
// bytes for each byte of input plus 16 MiB, whatever the input is.
void parse(Message& message, const Input& input, const ParseOptions& options);

}  // namespace nocopy::onnx
