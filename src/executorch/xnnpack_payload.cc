#include "executorch/xnnpack_payload.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "executorch/program_parts.h"
#include "executorch/program_validation.h"
#include "executorch/xnnpack_nodes.h"
#include "executorch/xnnpack_schema.h"

namespace nocopy::executorch {
namespace {

using flatbuffer::Table;
using flatbuffer::Tables;
using xnnpack::GraphValue;

constexpr std::size_t kMaxRank = 6;
constexpr std::uint32_t kMaxExterns = 4096;
constexpr std::size_t kHeaderSize = 30;
constexpr std::uint32_t kExternalInput = 1;
constexpr std::uint32_t kExternalOutput = 2;

enum Datatype : std::int16_t {
  kFloat32 = 1,
  kFloat16,
  kQint8,
  kQuint8,
  kQint32,
  kQcint8,
  kQcint32,
  kQcint4,
  kQdint8,
  kQbint4,
  kQpint8,
  kInt32,
  kPackedFloat32,
  kBfloat16,
};

// Bits of one element; 0 where this check knows of no such datatype in a file.
[[nodiscard]] unsigned datatype_bits(std::int16_t datatype) noexcept {
  switch (datatype) {
    case kFloat32:
    case kQint32:
    case kQcint32:
    case kInt32:
      return 32;
    case kFloat16:
    case kBfloat16:
      return 16;
    case kQint8:
    case kQuint8:
    case kQcint8:
    case kQdint8:
    case kQpint8:
      return 8;
    case kQcint4:
    case kQbint4:
      return 4;
    default:
      return 0;
  }
}

class PayloadValidator {
 public:
  PayloadValidator(const ProgramLayout& layout, const ParseLimits& limits,
                   std::span<const std::byte> payload, const std::string& where)
      : layout_(layout),
        budget_(limits.method_bytes),
        external_data_(limits.external_data),
        payload_(payload),
        where_(where) {}

  [[nodiscard]] XnnpackInterface run() {
    const auto graph_bytes = find_graph();
    try_verify(graph_bytes);
    graph_ = Table::root(graph_bytes);
    const Tables values = graph_.tables(xnnpack::kValues);
    externs_ = graph_.scalar<std::uint32_t>(xnnpack::kNumExterns);
    if (externs_ > kMaxExterns) fail("announces more inputs and outputs than there can be");
    for (std::size_t i = 0; i < values.size(); ++i) {
      index_ = i;
      check_value(values[i]);
    }
    xnnpack::check_nodes(graph_.tables(xnnpack::kNodes), values_, budget_, where_);
    return std::move(interface_);
  }

 private:
  [[noreturn]] void fail(const std::string& fault) const { refuse_program(where_, fault); }
  [[noreturn]] void fail_value(const std::string& fault) const {
    refuse_program(where_ + ", value " + std::to_string(index_), fault);
  }

  // The graph's flatbuffer, after a header that also gives the place of the constants, or alone.
  [[nodiscard]] std::span<const std::byte> find_graph() {
    if (payload_.size() < kHeaderSize) fail("is too short for an XNNPACK payload");
    if (reinterpret_cast<std::uintptr_t>(payload_.data()) % 8 != 0) fail("is misaligned");
    const std::byte* data = payload_.data();
    if (std::string_view(reinterpret_cast<const char*>(data + 4), 4) != "XH00") return payload_;
    const auto graph_at = flatbuffer::load<std::uint32_t>(data + 10);
    const auto graph_size = flatbuffer::load<std::uint32_t>(data + 14);
    const auto constants_at = flatbuffer::load<std::uint32_t>(data + 18);
    const auto constants_size = flatbuffer::load<std::uint64_t>(data + 22);
    const std::uint64_t size = payload_.size();
    if (graph_at > size || graph_size > size - graph_at || graph_at % 8 != 0) {
      fail("has a header that puts the graph outside of it");
    }
    if (constants_at > size || constants_size > size - constants_at ||
        constants_at < std::uint64_t{graph_at} + graph_size) {
      fail("has a header that puts the constants outside of it");
    }
    constants_ = payload_.subspan(constants_at, constants_size);
    has_header_ = true;
    return payload_.subspan(graph_at, graph_size);
  }

  void try_verify(std::span<const std::byte> graph) const {
    flatbuffer::verify(xnnpack::kSchema, graph);
    const std::string_view id(reinterpret_cast<const char*>(graph.data() + 4), 4);
    if (id != "XN00" && id != "XN01") fail("is of a version that this runtime does not read");
  }

  void check_value(Table holder) {
    const bool quantized = holder.scalar<std::uint8_t>(xnnpack::kType) == 2;
    const Table content = holder.table(xnnpack::kContent);
    const Table tensor = quantized ? content.table(xnnpack::kPlainTensor) : content;
    const auto id = tensor.scalar<std::uint32_t>(xnnpack::kIdOut);
    if (id == xnnpack::kNoId || values_.contains(id)) fail_value("has an id that is taken");

    GraphValue value;
    value.datatype = tensor.scalar<std::int16_t>(xnnpack::kDatatype);
    const unsigned bits = datatype_bits(value.datatype);
    if (bits == 0) fail_value("has an unknown datatype");
    const auto dims = tensor.scalars<std::uint32_t>(xnnpack::kDims);
    if (dims.size() > kMaxRank || dims.size() != tensor.scalar<std::uint32_t>(xnnpack::kNumDims)) {
      fail_value("has an impossible number of dimensions");
    }
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] > std::uint32_t{std::numeric_limits<std::int32_t>::max()}) {
        fail_value("has an impossible size");
      }
      value.dims.push_back(dims[i]);
    }
    const std::uint64_t bytes = byte_size(value.dims, bits);
    const auto constant = tensor.scalar<std::uint32_t>(xnnpack::kConstantIdx);
    value.constant = constant != 0;
    if (value.constant) {
      check_constant(constant, bytes, std::max(1U, bits / 8));
    } else {
      if (bytes > budget_) fail_value("needs more memory than this machine has");
      budget_ -= bytes;
    }
    check_external(tensor, value, bits);
    if (quantized) check_quantization(content, value);
    value.available = value.constant || value.external_input;
    values_.emplace(id, std::move(value));
  }

  // Rows of 4-bit elements start at whole bytes.
  [[nodiscard]] std::uint64_t byte_size(const std::vector<std::uint32_t>& dims,
                                        unsigned bits) const {
    std::uint64_t bytes = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const bool last = i + 1 == dims.size();
      const std::uint64_t dim =
          last && bits < 8 ? (std::uint64_t{dims[i]} + 1) / 2 : std::uint64_t{dims[i]};
      if (__builtin_mul_overflow(bytes, dim, &bytes)) fail_value("is larger than any memory");
    }
    if (__builtin_mul_overflow(bytes, std::uint64_t{std::max(1U, bits / 8)}, &bytes)) {
      fail_value("is larger than any memory");
    }
    return bytes;
  }

  // That a constant of the graph has `bytes` bytes, wherever it is kept.
  void check_constant(std::uint32_t constant, std::uint64_t bytes, std::size_t alignment) const {
    std::span<const std::byte> data;
    if (!has_header_) {
      const Tables buffers = graph_.tables(xnnpack::kConstantBuffers);
      if (constant >= buffers.size()) fail_value("is a constant that is not there");
      const auto storage = buffers[constant].scalars<std::uint8_t>(0);
      data = {storage.data(), storage.size()};
    } else {
      const Tables list = graph_.tables(xnnpack::kConstants);
      if (constant >= list.size()) fail_value("is a constant that is not there");
      const Table entry = list[constant];
      if (entry.has(xnnpack::kNamedKey)) {
        const auto named = find_named(entry.string(xnnpack::kNamedKey));
        if (!named && !external_data_) fail_value("is a constant that no data has the name of");
        if (!named) return;
        data = *named;
      } else {
        const auto offset = entry.scalar<std::uint64_t>(xnnpack::kOffset);
        const auto size = entry.scalar<std::uint64_t>(xnnpack::kSize);
        if (offset > constants_.size() || size > constants_.size() - offset) {
          fail_value("is a constant that reaches past the end of the payload");
        }
        data = constants_.subspan(offset, size);
      }
    }
    if (bytes > data.size()) {
      fail_value("needs " + std::to_string(bytes) + " bytes and its constant has " +
                 std::to_string(data.size()));
    }
    if (bytes != 0 && reinterpret_cast<std::uintptr_t>(data.data()) % alignment != 0) {
      fail_value("is a constant at a misaligned address");
    }
  }

  [[nodiscard]] std::optional<std::span<const std::byte>> find_named(std::string_view key) const {
    const Tables list = layout_.program.tables(schema::kNamedDataList);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].string(schema::kKey) == key) {
        return segment_bytes(layout_, list[i].scalar<std::uint32_t>(schema::kNamedSegmentIndex));
      }
    }
    return std::nullopt;
  }

  void check_external(Table tensor, GraphValue& value, unsigned bits) {
    const auto flags = tensor.scalar<std::uint32_t>(xnnpack::kFlags);
    const auto external = tensor.scalar<std::uint32_t>(xnnpack::kExternalId);
    if ((flags & ~(kExternalInput | kExternalOutput)) != 0 ||
        flags == (kExternalInput | kExternalOutput)) {
      fail_value("has unknown flags");
    }
    value.external_input = flags == kExternalInput;
    value.external_output = flags == kExternalOutput;
    if (tensor.scalar<std::int16_t>(xnnpack::kDynamicDatatype) != 0) {
      fail_value("is quantized on the fly, as only files of before 2024 do; export it again");
    }
    if (flags == 0) {
      if (external != xnnpack::kNoId) fail_value("has the place of an input or output and is none");
      return;
    }
    if (value.constant) fail_value("is both a constant and an input or output");
    if (external >= externs_ || !external_ids_.insert(external).second) {
      fail_value("has the place of another input or output");
    }
    XnnpackExternal entry;
    entry.argument = external;
    entry.item_size = static_cast<std::uint8_t>(bits / 8);
    entry.indexes = value.datatype == kInt32 && value.external_output;
    entry.output = value.external_output;
    entry.dims = value.dims;
    interface_.externals.push_back(std::move(entry));
  }

  void check_quantization(Table content, const GraphValue& value) const {
    const Table params = content.table(xnnpack::kParams);
    switch (content.scalar<std::uint8_t>(xnnpack::kParamsType)) {
      case xnnpack::kByTensor: {
        const auto scale = params.scalar<float>(xnnpack::kOneScale);
        if (!std::isnormal(scale) || scale < 0) fail_value("has an impossible scale");
        return;
      }
      case xnnpack::kByChannel:
        check_channel_scales(params, value);
        return;
      case xnnpack::kByToken: {
        const auto rank = params.scalar<std::uint32_t>(xnnpack::kNumNonbatchDims);
        if (rank < 1 || rank > value.dims.size()) fail_value("has impossible dynamic scales");
        return;
      }
      default:
        check_group_scales(params, value);
    }
  }

  void check_channel_scales(Table params, const GraphValue& value) const {
    const auto dim = params.scalar<std::uint32_t>(xnnpack::kChannelDim);
    if (dim >= value.dims.size()) fail_value("has scales along a dimension that is not there");
    const std::uint64_t count = value.dims[dim];
    if (const auto buffer = params.scalar<std::uint32_t>(xnnpack::kScaleIdx); buffer != 0) {
      check_constant(buffer, count * sizeof(float), sizeof(float));
    } else if (params.scalars<float>(xnnpack::kScale).size() < count) {
      fail_value("has too few scales");
    }
  }

  void check_group_scales(Table params, const GraphValue& value) const {
    const auto group = params.scalar<std::int32_t>(xnnpack::kGroupSize);
    if (value.dims.size() != 2 || group <= 0 ||
        value.dims[1] % static_cast<std::uint32_t>(group) != 0 ||
        params.scalar<std::uint32_t>(xnnpack::kGroupChannelDim) >= value.dims.size()) {
      fail_value("has groups that do not divide it");
    }
    const std::uint64_t count =
        std::uint64_t{value.dims[0]} * (value.dims[1] / static_cast<std::uint32_t>(group));
    if (const auto buffer = params.scalar<std::uint32_t>(xnnpack::kGroupScaleIdx); buffer != 0) {
      if (params.scalar<std::uint32_t>(xnnpack::kGroupNumScales) != count) {
        fail_value("has another number of scales than groups");
      }
      check_constant(buffer, count * sizeof(std::uint16_t), sizeof(std::uint16_t));
    } else if (params.scalars<float>(xnnpack::kGroupScale).size() != count) {
      fail_value("has another number of scales than groups");
    }
  }

  const ProgramLayout& layout_;
  std::uint64_t budget_;
  bool external_data_;
  std::span<const std::byte> payload_;
  const std::string& where_;
  std::span<const std::byte> constants_;
  bool has_header_ = false;
  Table graph_;
  std::uint32_t externs_ = 0;
  std::size_t index_ = 0;
  std::set<std::uint32_t> external_ids_;
  xnnpack::GraphValues values_;
  XnnpackInterface interface_;
};

}  // namespace

XnnpackInterface check_xnnpack_payload(const ProgramLayout& layout, const ParseLimits& limits,
                                       std::span<const std::byte> payload,
                                       const std::string& where) {
  return PayloadValidator(layout, limits, payload, where).run();
}

}  // namespace nocopy::executorch
