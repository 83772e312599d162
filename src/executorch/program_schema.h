#pragma once

// The layout of a .pte file's flatbuffer, as ExecuTorch 1.5's `program.fbs` declares it: one row
// per vtable slot. A slot that later versions add is ignored until it gets a row here.

#include <array>
#include <cstdint>

#include "executorch/flatbuffer.h"

namespace nocopy::executorch::schema {

using flatbuffer::Field;
using flatbuffer::Kind;
using flatbuffer::Schema;
using flatbuffer::TableType;
using flatbuffer::UnionType;

// Indexes of kProgramTables.
enum TableId : std::uint8_t {
  kProgram,
  kExecutionPlan,
  kContainerMetadata,
  kEValue,
  kNull,
  kInt,
  kBool,
  kDouble,
  kTensor,
  kString,
  kIntList,
  kDoubleList,
  kBoolList,
  kTensorList,
  kOptionalTensorList,
  kAllocationDetails,
  kExtraTensorInfo,
  kChain,
  kInstruction,
  kKernelCall,
  kDelegateCall,
  kMoveCall,
  kJumpFalseCall,
  kFreeCall,
  kFrameList,
  kFrame,
  kOperator,
  kBackendDelegate,
  kDelegateDataReference,
  kCompileSpec,
  kNonConstBufferDevice,
  kBuffer,
  kInlineDelegateData,
  kDataSegment,
  kSubsegmentOffsets,
  kNamedData,
  kTableCount,
};

// Slots by table, in the order of the rows below.
enum ProgramSlot : unsigned {
  kVersion,
  kExecutionPlans,
  kConstantBuffer,
  kBackendDelegateData,
  kSegments,
  kConstantSegment,
  kMutableDataSegments,
  kNamedDataList,
};
enum PlanSlot : unsigned {
  kPlanName,
  kContainerMetaType,
  kValues,
  kInputs,
  kOutputs,
  kChains,
  kOperators,
  kDelegates,
  kNonConstBufferSizes,
  kNonConstBufferDevices,
};
enum ValueSlot : unsigned { kValueType, kValue };
enum TensorSlot : unsigned {
  kScalarType,
  kStorageOffset,
  kSizes,
  kDimOrder,
  kRequiresGrad,
  kDataBufferIdx,
  kAllocationInfo,
  kLayout,
  kShapeDynamism,
  kExtraInfo,
};
enum AllocationSlot : unsigned { kMemoryId, kMemoryOffsetLow, kMemoryOffsetHigh };
enum ExtraSlot : unsigned {
  kMutableDataSegmentsIdx,
  kFullyQualifiedName,
  kLocation,
  kDeviceType,
  kDeviceIndex,
};
enum ItemsSlot : unsigned { kItems };
enum ChainSlot : unsigned { kChainInputs, kChainOutputs, kInstructions, kStacktrace };
enum InstructionSlot : unsigned { kInstructionType, kInstructionArgs };
enum CallSlot : unsigned { kCallIndex, kCallArgs };  // of KernelCall and DelegateCall
enum MoveSlot : unsigned { kMoveFrom, kMoveTo };
enum JumpSlot : unsigned { kCondition, kDestination };
enum FreeSlot : unsigned { kFreedValue };
enum OperatorSlot : unsigned { kOperatorName, kOperatorOverload };
enum DelegateSlot : unsigned { kDelegateId, kProcessed, kCompileSpecs };
enum ReferenceSlot : unsigned { kReferenceLocation, kReferenceIndex };
enum BufferDeviceSlot : unsigned { kBufferIdx, kBufferDeviceType, kBufferDeviceIndex };
enum BufferSlot : unsigned { kStorage };
enum SegmentSlot : unsigned { kSegmentOffset, kSegmentSize };
enum SubsegmentSlot : unsigned { kSegmentIndex, kOffsets };
enum NamedDataSlot : unsigned { kKey, kNamedSegmentIndex };
enum ContainerSlot : unsigned { kInputSpec, kOutputSpec };

// Values of Instruction's union.
enum InstructionKind : std::uint8_t {
  kCallsKernel = 1,
  kCallsDelegate,
  kMoves,
  kJumpsIfFalse,
  kFrees,
};

inline constexpr Field required(Field field) {
  field.required = true;
  return field;
}
inline constexpr Field scalar(std::string_view name, std::uint8_t size) {
  return {name, Kind::kScalar, size};
}
inline constexpr Field scalars(std::string_view name, std::uint8_t size) {
  return {name, Kind::kScalars, size};
}
inline constexpr Field string(std::string_view name) { return {name, Kind::kString}; }
inline constexpr Field table(std::string_view name, std::uint8_t type) {
  return {name, Kind::kTable, 0, type};
}
inline constexpr Field tables(std::string_view name, std::uint8_t type) {
  return {name, Kind::kTables, 0, type};
}
inline constexpr Field union_type(std::string_view name) { return {name, Kind::kUnionType}; }
inline constexpr Field union_value(std::string_view name, std::uint8_t members) {
  return {name, Kind::kUnion, 0, members};
}

// What is `required` here is what the runtime dereferences without looking.
inline constexpr std::array kProgramFields = {
    scalar("version", 4),
    required(tables("execution_plan", kExecutionPlan)),
    tables("constant_buffer", kBuffer),
    tables("backend_delegate_data", kInlineDelegateData),
    tables("segments", kDataSegment),
    table("constant_segment", kSubsegmentOffsets),
    tables("mutable_data_segments", kSubsegmentOffsets),
    tables("named_data", kNamedData),
};
inline constexpr std::array kPlanFields = {
    required(string("name")),
    table("container_meta_type", kContainerMetadata),
    required(tables("values", kEValue)),
    required(scalars("inputs", 4)),
    required(scalars("outputs", 4)),
    required(tables("chains", kChain)),
    tables("operators", kOperator),
    required(tables("delegates", kBackendDelegate)),
    required(scalars("non_const_buffer_sizes", 8)),
    tables("non_const_buffer_device", kNonConstBufferDevice),
};
inline constexpr std::array kContainerFields = {string("encoded_inp_str"),
                                                string("encoded_out_str")};
inline constexpr std::array kEValueFields = {union_type("val_type"), union_value("val", 0)};
inline constexpr std::array kIntFields = {scalar("int_val", 8)};
inline constexpr std::array kBoolFields = {scalar("bool_val", 1)};
inline constexpr std::array kDoubleFields = {scalar("double_val", 8)};
inline constexpr std::array kTensorFields = {
    scalar("scalar_type", 1),
    scalar("storage_offset", 4),
    required(scalars("sizes", 4)),
    required(scalars("dim_order", 1)),
    scalar("requires_grad", 1),
    scalar("data_buffer_idx", 4),
    table("allocation_info", kAllocationDetails),
    scalar("layout", 1),
    scalar("shape_dynamism", 1),
    table("extra_tensor_info", kExtraTensorInfo),
};
inline constexpr std::array kStringFields = {required(string("string_val"))};
inline constexpr std::array kItems8Fields = {required(scalars("items", 8))};
inline constexpr std::array kItems4Fields = {required(scalars("items", 4))};
inline constexpr std::array kItems1Fields = {required(scalars("items", 1))};
inline constexpr std::array kAllocationFields = {
    scalar("memory_id", 4), scalar("memory_offset_low", 4), scalar("memory_offset_high", 4)};
inline constexpr std::array kExtraFields = {scalar("mutable_data_segments_idx", 8),
                                            string("fully_qualified_name"), scalar("location", 1),
                                            scalar("device_type", 1), scalar("device_index", 1)};
inline constexpr std::array kChainFields = {scalars("inputs", 4), scalars("outputs", 4),
                                            required(tables("instructions", kInstruction)),
                                            tables("stacktrace", kFrameList)};
inline constexpr std::array kInstructionFields = {required(union_type("instr_args_type")),
                                                  required(union_value("instr_args", 1))};
inline constexpr std::array kKernelCallFields = {scalar("op_index", 4),
                                                 required(scalars("args", 4))};
inline constexpr std::array kDelegateCallFields = {scalar("delegate_index", 4),
                                                   required(scalars("args", 4))};
inline constexpr std::array kMoveFields = {scalar("move_from", 4), scalar("move_to", 4)};
inline constexpr std::array kJumpFields = {scalar("cond_value_index", 4),
                                           scalar("destination_instruction", 4)};
inline constexpr std::array kFreeFields = {scalar("value_index", 4)};
inline constexpr std::array kFrameListFields = {tables("items", kFrame)};
inline constexpr std::array kFrameFields = {string("filename"), scalar("lineno", 4), string("name"),
                                            string("context")};
// The runtime prints both names of an operator that fails.
inline constexpr std::array kOperatorFields = {required(string("name")),
                                               required(string("overload"))};
inline constexpr std::array kDelegateFields = {required(string("id")),
                                               required(table("processed", kDelegateDataReference)),
                                               tables("compile_specs", kCompileSpec)};
inline constexpr std::array kReferenceFields = {scalar("location", 1), scalar("index", 4)};
inline constexpr std::array kCompileSpecFields = {required(string("key")),
                                                  required(scalars("value", 1))};
inline constexpr std::array kBufferDeviceFields = {
    scalar("buffer_idx", 4), scalar("device_type", 1), scalar("device_index", 1)};
inline constexpr std::array kBufferFields = {scalars("storage", 1)};
inline constexpr std::array kInlineDataFields = {required(scalars("data", 1))};
inline constexpr std::array kSegmentFields = {scalar("offset", 8), scalar("size", 8)};
inline constexpr std::array kSubsegmentFields = {scalar("segment_index", 4), scalars("offsets", 8)};
inline constexpr std::array kNamedDataFields = {required(string("key")),
                                                scalar("segment_index", 4)};

inline constexpr std::array<TableType, kTableCount> kProgramTables = {{
    {"Program", kProgramFields},
    {"ExecutionPlan", kPlanFields},
    {"ContainerMetadata", kContainerFields},
    {"EValue", kEValueFields},
    {"Null", {}},
    {"Int", kIntFields},
    {"Bool", kBoolFields},
    {"Double", kDoubleFields},
    {"Tensor", kTensorFields},
    {"String", kStringFields},
    {"IntList", kItems8Fields},
    {"DoubleList", kItems8Fields},
    {"BoolList", kItems1Fields},
    {"TensorList", kItems4Fields},
    {"OptionalTensorList", kItems4Fields},
    {"AllocationDetails", kAllocationFields},
    {"ExtraTensorInfo", kExtraFields},
    {"Chain", kChainFields},
    {"Instruction", kInstructionFields},
    {"KernelCall", kKernelCallFields},
    {"DelegateCall", kDelegateCallFields},
    {"MoveCall", kMoveFields},
    {"JumpFalseCall", kJumpFields},
    {"FreeCall", kFreeFields},
    {"FrameList", kFrameListFields},
    {"Frame", kFrameFields},
    {"Operator", kOperatorFields},
    {"BackendDelegate", kDelegateFields},
    {"BackendDelegateDataReference", kReferenceFields},
    {"CompileSpec", kCompileSpecFields},
    {"NonConstBufferDevice", kBufferDeviceFields},
    {"Buffer", kBufferFields},
    {"BackendDelegateInlineData", kInlineDataFields},
    {"DataSegment", kSegmentFields},
    {"SubsegmentOffsets", kSubsegmentFields},
    {"NamedData", kNamedDataFields},
}};

inline constexpr std::array<std::uint8_t, 11> kKernelTypes = {kNull,
                                                              kInt,
                                                              kBool,
                                                              kDouble,
                                                              kTensor,
                                                              kString,
                                                              kIntList,
                                                              kDoubleList,
                                                              kBoolList,
                                                              kTensorList,
                                                              kOptionalTensorList};
inline constexpr std::array<std::uint8_t, 5> kInstructionArguments = {
    kKernelCall, kDelegateCall, kMoveCall, kJumpFalseCall, kFreeCall};
inline constexpr std::array<UnionType, 2> kProgramUnions = {{
    {"KernelTypes", kKernelTypes},
    {"InstructionArguments", kInstructionArguments},
}};

inline constexpr Schema kProgramSchema{"the program", kProgramTables, kProgramUnions, kProgram};

}  // namespace nocopy::executorch::schema
