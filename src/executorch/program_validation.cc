#include "executorch/program_validation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "executorch/program_parts.h"
#include "executorch/program_schema.h"
#include "memory/error.h"

namespace nocopy::executorch {
namespace {

using flatbuffer::Table;
using flatbuffer::Tables;

// The file starts with the root offset and the identifier; the extended header, where there is one,
// follows them: magic, its length, the program's size, the base and the size of the segments.
constexpr std::size_t kIdentifierAt = 4;
constexpr std::size_t kHeaderAt = 8;
constexpr std::size_t kHeadBytes = 64;
constexpr std::size_t kLengthAt = kHeaderAt + 4;
constexpr std::size_t kProgramSizeAt = kHeaderAt + 8;
constexpr std::size_t kSegmentBaseAt = kHeaderAt + 16;
constexpr std::size_t kSegmentDataSizeAt = kHeaderAt + 24;
constexpr std::uint32_t kMinimumLength = 24;
constexpr std::uint32_t kLengthWithDataSize = 32;
constexpr std::size_t kAlignment = 16;

[[nodiscard]] bool range_fits(const Range& range, std::uint64_t available) noexcept {
  return range.offset <= available && range.size <= available - range.offset;
}

[[nodiscard]] std::string named(std::string_view what, std::size_t index) {
  return std::string(what) + " " + std::to_string(index);
}

void check_segments(const ProgramLayout& layout) {
  const Tables segments = layout.program.tables(schema::kSegments);
  // A file whose constants are all empty lists an empty segment and has no place for any.
  const std::uint64_t available =
      layout.segment_base == 0 ? 0 : layout.file.size() - layout.segment_base;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Range range = segment_range(segments[i]);
    if (!range_fits(range, available)) {
      refuse_program(named("segment", i),
                     "(offset " + std::to_string(range.offset) + ", " + std::to_string(range.size) +
                         " bytes) reaches past the end of the file, which holds " +
                         std::to_string(available) + " bytes of segments");
    }
  }

  const auto check_subsegments = [&](Table part, const std::string& where) {
    if (!part || part.scalars<std::uint64_t>(schema::kOffsets).size() <= 1) return;
    const auto segment = part.scalar<std::uint32_t>(schema::kSegmentIndex);
    if (segment >= segments.size()) {
      refuse_program(where, "is segment " + std::to_string(segment) + " of " +
                                std::to_string(segments.size()));
    }
  };
  const Table constants = layout.program.table(schema::kConstantSegment);
  check_subsegments(constants, "the constant segment");
  if (constants && constants.scalars<std::uint64_t>(schema::kOffsets).size() > 1 &&
      layout.program.tables(schema::kConstantBuffer).size() != 0) {
    refuse_program("the file", "holds constants both inside the program and in a segment");
  }
  const Tables mutables = layout.program.tables(schema::kMutableDataSegments);
  for (std::size_t i = 0; i < mutables.size(); ++i) {
    check_subsegments(mutables[i], named("mutable data segment", i));
  }

  const Tables named_data = layout.program.tables(schema::kNamedDataList);
  for (std::size_t i = 0; i < named_data.size(); ++i) {
    const auto segment = named_data[i].scalar<std::uint32_t>(schema::kNamedSegmentIndex);
    if (segment >= segments.size()) {
      refuse_program(named("named data", i), "is in segment " + std::to_string(segment) + " of " +
                                                 std::to_string(segments.size()));
    }
    if (named_data[i].string(schema::kKey).find('\0') != std::string_view::npos) {
      refuse_program(named("named data", i), "has a key with a zero byte in it");
    }
  }
}

// Strict UTF-8 without control characters: names become Python strings and parts of messages.
[[nodiscard]] bool is_name(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0x20 || lead == 0x7f || (lead >= 0x80 && lead < 0xc2) || lead > 0xf4) return false;
    if (length > text.size() - i) return false;
    std::uint32_t point = length == 1 ? lead : lead & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0U) != 0x80U) return false;
      point = (point << 6U) | (next & 0x3fU);
    }
    if ((length == 3 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) ||
        (length == 4 && (point < 0x10000 || point > 0x10ffff))) {
      return false;
    }
    i += length;
  }
  return true;
}

void check_method_names(Tables plans) {
  if (plans.size() == 0) refuse_program("the program", "has no methods");
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::string_view name = plans[i].string(schema::kPlanName);
    if (name.empty() || !is_name(name)) {
      refuse_program(named("method", i), "has a name that is empty or no text");
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      refuse_program(named("method", i),
                     "has the name of an earlier one, '" + std::string(name) + "'");
    }
    names.push_back(name);
  }
}

}  // namespace

void refuse_program(const std::string& where, const std::string& fault, std::string_view hint) {
  std::string message = "the program is malformed: " + where + " " + fault + "; ";
  message += hint.empty() ? "the file is damaged, export or fetch it again" : hint;
  throw Error(ErrorKind::kProgram, message);
}

ProgramLayout read_layout(std::span<const std::byte> file) {
  if (reinterpret_cast<std::uintptr_t>(file.data()) % kAlignment != 0) {
    throw Error(ErrorKind::kProgram, "a program must start at a multiple of 16 bytes");
  }
  const std::byte* data = file.data();
  if (file.size() < kHeadBytes) {
    refuse_program("the file", "has " + std::to_string(file.size()) +
                                   " bytes, fewer than the head of a program file");
  }
  const std::string_view identifier(reinterpret_cast<const char*>(data + kIdentifierAt), 4);
  if (identifier != "ET12") {
    if (identifier.starts_with("ET")) {
      throw Error(ErrorKind::kProgram,
                  "the program has format version '" +
                      (is_name(identifier) ? std::string(identifier) : std::string("ET??")) +
                      "', this runtime reads 'ET12'; export it again with a matching version of "
                      "executorch");
    }
    throw Error(ErrorKind::kProgram,
                "not an ExecuTorch program: bytes 4 to 8 of a .pte file are 'ET12'; give the .pte "
                "file that the export wrote");
  }

  ProgramLayout layout;
  layout.file = file;
  layout.program_size = file.size();
  const std::string_view magic(reinterpret_cast<const char*>(data + kHeaderAt), 4);
  if (magic != "eh00") return layout;

  const auto length = flatbuffer::load<std::uint32_t>(data + kLengthAt);
  const auto program_size = flatbuffer::load<std::uint64_t>(data + kProgramSizeAt);
  const auto base = flatbuffer::load<std::uint64_t>(data + kSegmentBaseAt);
  if (length < kMinimumLength) refuse_program("the header", "is too short to be one");
  if (program_size > file.size() || program_size < kHeadBytes) {
    refuse_program("the header", "gives the program " + std::to_string(program_size) +
                                     " bytes, in a file of " + std::to_string(file.size()));
  }
  if (base > file.size())
    refuse_program("the header", "puts the segments past the end of the file");
  if (length >= kLengthWithDataSize) {
    const auto data_size = flatbuffer::load<std::uint64_t>(data + kSegmentDataSizeAt);
    if (data_size > file.size() - base) {
      refuse_program("the file", "is cut short: its header announces " + std::to_string(data_size) +
                                     " bytes of segments and it has " +
                                     std::to_string(file.size() - base));
    }
  }
  layout.program_size = static_cast<std::size_t>(program_size);
  layout.segment_base = static_cast<std::size_t>(base);
  return layout;
}

void validate(const ProgramLayout& layout, const ParseLimits& limits) {
  check_segments(layout);
  const Tables plans = layout.program.tables(schema::kExecutionPlans);
  check_method_names(plans);
  for (std::size_t i = 0; i < plans.size(); ++i) validate_method(layout, limits, plans[i]);
}

}  // namespace nocopy::executorch
