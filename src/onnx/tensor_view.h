#pragma once

#include "memory/tensor_view.h"
#include "onnx/messages.h"

namespace nocopy::onnx {

// A tensor's raw data in place, with the tensor's shape and dtype. The result shares what keeps the
// bytes alive: it stays as it is when the tensor goes or gets other data. It is read-only where the
// tensor borrows the bytes, and writes to the tensor where the tensor owns them.
//
// Throws Error for a tensor whose values do not lie in memory one after the other: strings,
// elements that share bytes, values in other fields than raw_data, data that was not loaded, a
// segment; for a shape that is not that of the data; for data that is no longer there.
[[nodiscard]] OwnedTensor view_tensor(TensorProto& tensor);

// The bytes of the raw data, flat, whatever the tensor says of them.
[[nodiscard]] OwnedTensor view_raw_data(TensorProto& tensor);

// The file that the raw data is borrowed from may have been cut off since it was mapped, and
// reading there would end the process. Throws Error(kExternalData) then.
void check_raw_data_is_there(const TensorProto& tensor);

// Whether the raw data starts where an element of the tensor's type may lie: at a multiple of its
// size (a complex number: of its parts'). Elements that share bytes may lie anywhere.
[[nodiscard]] bool is_aligned(const TensorProto& tensor) noexcept;

}  // namespace nocopy::onnx
