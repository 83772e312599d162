#pragma once

#include <cstdint>
#include <memory>

#include "onnx/messages.h"

namespace nocopy::onnx {

// Moves the raw data of all tensors of at least `raw_data_threshold` bytes, in subgraphs, functions
// and sparse tensors too, into one new buffer. Each starts at a multiple of `alignment` in it, and
// so does the buffer. The tensors then borrow from the buffer, which stays until the last of them,
// of their copies and of the pointer returned is gone. The others are left as they are.
//
// Each tensor's old bytes go as soon as they are copied, if nobody else holds them: with those that
// were owned, the most memory at a time is that of the tensors and once more that of the largest.
// Deleters run then. Copies that were made of the model before keep the old bytes.
//
// Returns null where there is no such tensor. Throws std::bad_alloc, and then nothing has changed.
std::shared_ptr<std::uint8_t[]> ConsolidateTensorsToBuffer(ModelProto& model,
                                                           const TensorBufferOptions& options = {});

}  // namespace nocopy::onnx
