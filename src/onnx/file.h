#pragma once

#include <filesystem>

#include "onnx/message.h"

namespace nocopy::onnx {

// Replaces `message` by what the file says. The file is read piece by piece: what is in memory at
// any time is the message, and the parts of the file that are being parsed. Raw data is read
// straight to where it stays. `no_copy` of the options means nothing here.
//
// Throws std::system_error where the file cannot be read, Error(kDecode) for what is in it.
void ParseFromFile(Message& message, const std::filesystem::path& path,
                   const ParseOptions& options = {});

// Writes the message to a new file that then takes the place of an old one, so that whoever reads
// or maps the old one keeps it, and a failure leaves it as it was. Throws std::system_error.
void SerializeToFile(const Message& message, const std::filesystem::path& path);

}  // namespace nocopy::onnx
