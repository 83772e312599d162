#pragma once

// The layout of an XNNPACK delegate's flatbuffer, identifiers XN00 and XN01: one row per vtable
// slot.

#include <array>
#include <cstdint>

#include "executorch/program_schema.h"

namespace nocopy::executorch::xnnpack {

using flatbuffer::Field;
using flatbuffer::Kind;
using flatbuffer::Schema;
using flatbuffer::TableType;
using flatbuffer::UnionType;
using schema::required;
using schema::scalar;
using schema::scalars;
using schema::string;
using schema::table;
using schema::tables;
using schema::union_type;
using schema::union_value;

enum TableId : std::uint8_t {
  kGraph,
  kNode,
  kValue,
  kMinMax,
  kTensor,
  kQuantizedTensor,
  kPerChannel,
  kPerTensor,
  kPerToken,
  kPerChannelGroup,
  kConstant,
  kBuffer,
  kBinary,
  kFullyConnected,
  kUnary,
  kTranspose,
  kConv,
  kResize,
  kPad,
  kPool,
  kReshape,
  kArgMaxPool,
  kLeakyRelu,
  kElu,
  kConcatenate,
  kSlice,
  kAttention,
  kTableCount,
};

enum GraphSlot : unsigned {
  kVersion,
  kNodes,
  kValues,
  kNumExterns,
  kInputIds,
  kOutputIds,
  kConstantBuffers,
  kMemBufferSizes,
  kConstants,
};
enum UnionSlot : unsigned { kType, kContent };  // of nodes and values
enum TensorSlot : unsigned {
  kDatatype,
  kNumDims,
  kDims,
  kConstantIdx,
  kExternalId,
  kFlags,
  kIdOut,
  kDynamicDatatype,
};
enum QuantizedSlot : unsigned { kPlainTensor, kParamsType, kParams };
enum PerChannelSlot : unsigned { kScale, kChannelDim, kScaleIdx, kNumScales };
enum PerTensorSlot : unsigned { kOneScale, kZeroPoint };
enum PerTokenSlot : unsigned { kNumNonbatchDims };
enum PerGroupSlot : unsigned {
  kGroupScale,
  kGroupChannelDim,
  kGroupSize,
  kGroupScaleBf16,
  kGroupScaleIdx,
  kGroupNumScales,
};
enum ConstantSlot : unsigned { kOffset, kSize, kNamedKey };

// Values of the union of quantization parameters.
enum ParamsKind : std::uint8_t { kByChannel = 1, kByTensor, kByToken, kByGroup };

// Values of the union of nodes that the delegate of this runtime implements.
enum NodeKind : std::uint8_t {
  kAdd = 1,
  kLinear,
  kSoftmax,
  kSigmoid,
  kStaticTranspose,
  kClamp,
  kConv2d,
  kDiv,
  kResizeBilinear2d,
  kConstantPad,
  kAvgPooling2d,
  kMinimum,
  kDepthwiseConv2d,
  kMaxPooling2d,
  kMultiply,
  kSubtract,
  kFloor,
  kConvert,
  kGlobalAvgPooling2d,
  kStaticReshape,
  kArgMaxPooling2d,
  kSquareRoot,
  kCeiling,
  kHardswish,
  kLeakyReLU,
  kMaximum,
  kNegate,
  kSquare,
  kELU,
  kAbs,
  kPReLU,
  kConcatenate2,
  kConcatenate3,
  kConcatenate4,
  kStaticSlice,
  kScaledDotProductAttention,
  kBatchMatrixMultiply,
  kConcatenate5,
  kConvTranspose2d,
  kReciprocalSquareRoot,
  kLog,
  kGelu,
  kTanh,
  kExp,
  kSin,
  kCopy,
  kCos,
};

inline constexpr std::array kGraphFields = {
    string("version"),
    required(tables("xnodes", kNode)),
    required(tables("xvalues", kValue)),
    scalar("num_externs", 4),
    scalars("input_ids", 4),
    scalars("output_ids", 4),
    tables("constant_buffer", kBuffer),
    scalars("mem_buffer_sizes", 4),
    tables("constant_data", kConstant),
};
inline constexpr std::array kNodeFields = {
    required(union_type("xnode_union_type")), required(union_value("xnode_union", 0)),
    scalar("debug_handle", 4), table("output_min_max", kMinMax)};
inline constexpr std::array kValueFields = {required(union_type("xvalue_union_type")),
                                            required(union_value("xvalue_union", 1))};
inline constexpr std::array kMinMaxFields = {scalar("output_min", 4), scalar("output_max", 4)};
inline constexpr std::array kTensorFields = {
    scalar("datatype", 2),    scalar("num_dims", 4),
    scalars("dims", 4),       scalar("constant_buffer_idx", 4),
    scalar("external_id", 4), scalar("flags", 4),
    scalar("id_out", 4),      scalar("dq_datatype", 2)};
inline constexpr std::array kQuantizedFields = {required(table("tensor_value", kTensor)),
                                                required(union_type("quant_params_type")),
                                                required(union_value("quant_params", 2))};
inline constexpr std::array kPerChannelFields = {
    required(scalars("scale", 4)), scalar("channel_dim", 4), scalar("scale_buffer_idx", 4),
    scalar("num_scales", 4)};
inline constexpr std::array kPerTensorFields = {scalar("scale", 4), scalar("zero_point", 4)};
inline constexpr std::array kPerTokenFields = {scalar("num_nonbatch_dims", 4)};
inline constexpr std::array kPerGroupFields = {
    scalars("scale", 4), scalar("channel_dim", 4),      scalar("group_size", 4),
    Field{"scale_bf16"}, scalar("scale_buffer_idx", 4), scalar("num_scales", 4)};
inline constexpr std::array kConstantFields = {scalar("offset", 8), scalar("size", 8),
                                               string("named_key")};
inline constexpr std::array kBufferFields = {scalars("storage", 1)};

// A table of nothing but 32-bit fields.
template <std::size_t N>
inline constexpr std::array<Field, N> kWords = [] {
  std::array<Field, N> fields;
  fields.fill(scalar("a field", 4));
  return fields;
}();
inline constexpr std::array kTransposeFields = {scalar("num_dims", 4), required(scalars("perm", 4)),
                                                scalar("input_id", 4), scalar("output_id", 4),
                                                scalar("flags", 4)};
inline constexpr std::array kPadFields = {required(scalars("pre_paddings", 4)),
                                          required(scalars("post_paddings", 4)),
                                          scalar("padding_value", 4),
                                          scalar("input_id", 4),
                                          scalar("output_id", 4),
                                          scalar("flags", 4)};
inline constexpr std::array kReshapeFields = {
    scalar("num_dims", 4), required(scalars("new_shape", 4)), scalar("input_id", 4),
    scalar("output_id", 4), scalar("flags", 4)};
inline constexpr std::array kSliceFields = {
    scalar("num_dims", 4), required(scalars("offsets", 4)), required(scalars("sizes", 4)),
    scalar("input_id", 4), scalar("output_id", 4),          scalar("flags", 4)};

inline constexpr std::array<TableType, kTableCount> kTables = {{
    {"XNNGraph", kGraphFields},
    {"XNode", kNodeFields},
    {"XValue", kValueFields},
    {"OutputMinMax", kMinMaxFields},
    {"XNNTensorValue", kTensorFields},
    {"XNNQuantizedTensorValue", kQuantizedFields},
    {"PerChannelQuant", kPerChannelFields},
    {"PerTensorQuant", kPerTensorFields},
    {"PerTokenDynamicQuant", kPerTokenFields},
    {"PerChannelGroupQuant", kPerGroupFields},
    {"ConstantDataOffset", kConstantFields},
    {"Buffer", kBufferFields},
    {"XNNNode2x1", kWords<4>},
    {"XNNFullyConnected", kWords<5>},
    {"XNNNode1x1", kWords<3>},
    {"XNNStaticTranspose", kTransposeFields},
    {"XNNNodeConv", kWords<20>},
    {"XNNStaticResizeBilinear2D", kWords<5>},
    {"XNNStaticConstantPad", kPadFields},
    {"XNNPooling2D", kWords<13>},
    {"XNNStaticReshape", kReshapeFields},
    {"XNNArgMaxPooling2d", kWords<10>},
    {"XNNLeakyReLU", kWords<4>},
    {"XNNELU", kWords<4>},
    {"XNNCat", kWords<8>},
    {"XNNStaticSlice", kSliceFields},
    {"XNNScaledDotProductAttention", kWords<7>},
}};

// By NodeKind, from 1 on.
inline constexpr std::array<std::uint8_t, 47> kNodeTables = {
    kBinary,    kFullyConnected, kUnary,       kUnary,       kTranspose, kUnary,
    kConv,      kBinary,         kResize,      kPad,         kPool,      kBinary,
    kConv,      kPool,           kBinary,      kBinary,      kUnary,     kUnary,
    kUnary,     kReshape,        kArgMaxPool,  kUnary,       kUnary,     kUnary,
    kLeakyRelu, kBinary,         kUnary,       kUnary,       kElu,       kUnary,
    kBinary,    kConcatenate,    kConcatenate, kConcatenate, kSlice,     kAttention,
    kBinary,    kConcatenate,    kConv,        kUnary,       kUnary,     kUnary,
    kUnary,     kUnary,          kUnary,       kUnary,       kUnary};
inline constexpr std::array<std::uint8_t, 2> kValueTables = {kTensor, kQuantizedTensor};
inline constexpr std::array<std::uint8_t, 4> kParamsTables = {kPerChannel, kPerTensor, kPerToken,
                                                              kPerChannelGroup};
inline constexpr std::array<UnionType, 3> kUnions = {{
    {"XNodeUnion", kNodeTables},
    {"XValueUnion", kValueTables},
    {"XNNQuantParams", kParamsTables},
}};

inline constexpr Schema kSchema{"the program's XNNPACK payload", kTables, kUnions, kGraph};

}  // namespace nocopy::executorch::xnnpack
