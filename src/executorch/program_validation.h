#pragma once

// The checks that come after flatbuffer::verify: not whether a file can be read, but whether what
// it says is fit to be run.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "executorch/program_file.h"

namespace nocopy::executorch {

// Reads and checks the file identifier and the extended header. `program` is left null.
[[nodiscard]] ProgramLayout read_layout(std::span<const std::byte> file);

// Throws nocopy::Error(kProgram) unless everything in a verified program fits together.
void validate(const ProgramLayout& layout, const ParseLimits& limits);

// One method of it: its values, instructions, delegates and planned memory.
void validate_method(const ProgramLayout& layout, const ParseLimits& limits,
                     flatbuffer::Table plan);

// Throws the error that every check of this layer throws: "the program is malformed: <where>
// <fault>", with `hint` in place of the usual advice where one is given.
[[noreturn]] void refuse_program(const std::string& where, const std::string& fault,
                                 std::string_view hint = {});

}  // namespace nocopy::executorch
