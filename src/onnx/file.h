#pragma once

#include <filesystem>
#include <string_view>

#include "onnx/message.h"

namespace nocopy::onnx {

// Replaces `message` by what the file says, and gives tensors whose data is in other files that
// data, where the options ask for it. After a failure the message holds what was read up to there.
//
// The model's file is read piece by piece: what is in memory at any time is the message, and the
// parts of the file that are being parsed. Raw data is read straight to where it stays. With
// `no_copy` the files are mapped, each once, and tensors borrow from the mappings, which last as
// long as a tensor does that borrows from them: in the model's file those with at least
// `raw_data_threshold` bytes, in other files all. `owner` of the options means nothing here. A
// mapped file that is made shorter takes the process down when its missing bytes are touched;
// MappedFile::around() leads from bytes to the mapping, which can be asked.
//
// Throws std::system_error where the model's file cannot be read, Error(kDecode) for what is in it,
// Error(kExternalData) for what another file is or holds.
void ParseFromFile(Message& message, const std::filesystem::path& path,
                   const ParseOptions& options = {});

// The same for bytes that are, or are as if they were, those of the file `model`. With `no_copy`
// tensors borrow from the bytes, which `owner` of the options, or else the caller, keeps alive.
void ParseFromStringBeside(Message& message, std::string_view bytes,
                           const std::filesystem::path& model, const ParseOptions& options = {});

// Gives the tensors of a message, which was parsed without, the data that is in files beside the
// file `model`. Calls the options' callback for those only. After an error some may have theirs.
void LoadExternalData(Message& message, const std::filesystem::path& model,
                      const ParseOptions& options = {});

// Writes the message to a file and, where the options say so, raw data to files beside it, from
// where it is: the message does not change. New files are written whole and then take the place of
// old ones, so that whoever reads or maps those keeps them, and what a failure or a crash leaves is
// the old model or the new one. A data file that already says what it should stays.
//
// Throws std::system_error where a file cannot be written, Error(kExternalData) for a location that
// is not one or has a file that the old model does not refer to, and for a tensor that was not
// loaded and would not find its data.
void SerializeToFile(const Message& message, const std::filesystem::path& path,
                     const SerializeOptions& options = {});

}  // namespace nocopy::onnx
