// Written by src/onnx/generate.py from messages.schema; change that instead.

#include "onnx/messages.h"

#include <cstddef>

// The classes have a base with members, for which offsetof is conditionally supported; the
// compilers that this is built with support it.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace nocopy::onnx {
namespace {

constexpr EnumValue kVersionEnumValues[] = {
    {"_START_VERSION", 0},         {"IR_VERSION_2017_10_10", 1},  {"IR_VERSION_2017_10_30", 2},
    {"IR_VERSION_2017_11_3", 3},   {"IR_VERSION_2019_1_22", 4},   {"IR_VERSION_2019_3_18", 5},
    {"IR_VERSION_2019_9_19", 6},   {"IR_VERSION_2020_5_8", 7},    {"IR_VERSION_2021_7_30", 8},
    {"IR_VERSION_2023_5_5", 9},    {"IR_VERSION_2024_3_25", 10},  {"IR_VERSION_2025_05_12", 11},
    {"IR_VERSION_2025_08_26", 12}, {"IR_VERSION_2025_11_06", 13}, {"IR_VERSION", 14},
};
constexpr EnumSchema kVersionEnum{"Version", "onnx.Version", nullptr, kVersionEnumValues};

constexpr EnumValue kOperatorStatusEnumValues[] = {
    {"EXPERIMENTAL", 0},
    {"STABLE", 1},
};
constexpr EnumSchema kOperatorStatusEnum{"OperatorStatus", "onnx.OperatorStatus", nullptr,
                                         kOperatorStatusEnumValues};

constexpr EnumValue kAttributeProtoAttributeTypeEnumValues[] = {
    {"UNDEFINED", 0},      {"FLOAT", 1},           {"INT", 2},
    {"STRING", 3},         {"TENSOR", 4},          {"GRAPH", 5},
    {"SPARSE_TENSOR", 11}, {"TYPE_PROTO", 13},     {"FLOATS", 6},
    {"INTS", 7},           {"STRINGS", 8},         {"TENSORS", 9},
    {"GRAPHS", 10},        {"SPARSE_TENSORS", 12}, {"TYPE_PROTOS", 14},
};
constexpr EnumSchema kAttributeProtoAttributeTypeEnum{
    "AttributeType", "onnx.AttributeProto.AttributeType", &AttributeProto::kSchema,
    kAttributeProtoAttributeTypeEnumValues};

constexpr EnumValue kTensorProtoDataTypeEnumValues[] = {
    {"UNDEFINED", 0},       {"FLOAT", 1},         {"UINT8", 2},           {"INT8", 3},
    {"UINT16", 4},          {"INT16", 5},         {"INT32", 6},           {"INT64", 7},
    {"STRING", 8},          {"BOOL", 9},          {"FLOAT16", 10},        {"DOUBLE", 11},
    {"UINT32", 12},         {"UINT64", 13},       {"COMPLEX64", 14},      {"COMPLEX128", 15},
    {"BFLOAT16", 16},       {"FLOAT8E4M3FN", 17}, {"FLOAT8E4M3FNUZ", 18}, {"FLOAT8E5M2", 19},
    {"FLOAT8E5M2FNUZ", 20}, {"UINT4", 21},        {"INT4", 22},           {"FLOAT4E2M1", 23},
    {"FLOAT8E8M0", 24},     {"UINT2", 25},        {"INT2", 26},           {"FLOAT6E2M3", 27},
    {"FLOAT6E3M2", 28},
};
constexpr EnumSchema kTensorProtoDataTypeEnum{
    "DataType", "onnx.TensorProto.DataType", &TensorProto::kSchema, kTensorProtoDataTypeEnumValues};

constexpr EnumValue kTensorProtoDataLocationEnumValues[] = {
    {"DEFAULT", 0},
    {"EXTERNAL", 1},
};
constexpr EnumSchema kTensorProtoDataLocationEnum{"DataLocation", "onnx.TensorProto.DataLocation",
                                                  &TensorProto::kSchema,
                                                  kTensorProtoDataLocationEnumValues};

constexpr EnumValue kSequenceProtoDataTypeEnumValues[] = {
    {"UNDEFINED", 0}, {"TENSOR", 1}, {"SPARSE_TENSOR", 2},
    {"SEQUENCE", 3},  {"MAP", 4},    {"OPTIONAL", 5},
};
constexpr EnumSchema kSequenceProtoDataTypeEnum{"DataType", "onnx.SequenceProto.DataType",
                                                &SequenceProto::kSchema,
                                                kSequenceProtoDataTypeEnumValues};

constexpr EnumValue kOptionalProtoDataTypeEnumValues[] = {
    {"UNDEFINED", 0}, {"TENSOR", 1}, {"SPARSE_TENSOR", 2},
    {"SEQUENCE", 3},  {"MAP", 4},    {"OPTIONAL", 5},
};
constexpr EnumSchema kOptionalProtoDataTypeEnum{"DataType", "onnx.OptionalProto.DataType",
                                                &OptionalProto::kSchema,
                                                kOptionalProtoDataTypeEnumValues};

constexpr const EnumSchema* kAttributeProtoEnums[] = {&kAttributeProtoAttributeTypeEnum};
constexpr std::string_view kSimpleShardedDimProtoOneofs[] = {"dim"};
constexpr const EnumSchema* kTensorProtoEnums[] = {&kTensorProtoDataTypeEnum,
                                                   &kTensorProtoDataLocationEnum};
constexpr const MessageSchema* kTensorProtoNested[] = {&TensorProto::Segment::kSchema};
constexpr const MessageSchema* kTensorShapeProtoNested[] = {&TensorShapeProto::Dimension::kSchema};
constexpr std::string_view kTensorShapeProtoDimensionOneofs[] = {"value"};
constexpr std::string_view kTypeProtoOneofs[] = {"value"};
constexpr const MessageSchema* kTypeProtoNested[] = {
    &TypeProto::Tensor::kSchema,   &TypeProto::Sequence::kSchema,     &TypeProto::Map::kSchema,
    &TypeProto::Optional::kSchema, &TypeProto::SparseTensor::kSchema, &TypeProto::Opaque::kSchema};
constexpr const EnumSchema* kSequenceProtoEnums[] = {&kSequenceProtoDataTypeEnum};
constexpr const EnumSchema* kOptionalProtoEnums[] = {&kOptionalProtoDataTypeEnum};

}  // namespace

constexpr FieldSchema AttributeProto::kFields[] = {
    {"name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10, offsetof(AttributeProto, name_),
     nullptr, nullptr},
    {"f", 2, Kind::kFloat, Label::kOptional, 4, 1, -1, 21, offsetof(AttributeProto, f_), nullptr,
     nullptr},
    {"i", 3, Kind::kInt64, Label::kOptional, 5, 2, -1, 24, offsetof(AttributeProto, i_), nullptr,
     nullptr},
    {"s", 4, Kind::kBytes, Label::kOptional, 6, 0, -1, 34, offsetof(AttributeProto, s_), nullptr,
     nullptr},
    {"t", 5, Kind::kMessage, Label::kOptional, 7, 0, -1, 42, offsetof(AttributeProto, t_),
     &TensorProto::kSchema, nullptr},
    {"g", 6, Kind::kMessage, Label::kOptional, 8, 0, -1, 50, offsetof(AttributeProto, g_),
     &GraphProto::kSchema, nullptr},
    {"floats", 7, Kind::kFloat, Label::kRepeated, 11, 0, -1, 61, offsetof(AttributeProto, floats_),
     nullptr, nullptr},
    {"ints", 8, Kind::kInt64, Label::kRepeated, 12, 0, -1, 64, offsetof(AttributeProto, ints_),
     nullptr, nullptr},
    {"strings", 9, Kind::kBytes, Label::kRepeated, 13, 0, -1, 74,
     offsetof(AttributeProto, strings_), nullptr, nullptr},
    {"tensors", 10, Kind::kMessage, Label::kRepeated, 14, 0, -1, 82,
     offsetof(AttributeProto, tensors_), &TensorProto::kSchema, nullptr},
    {"graphs", 11, Kind::kMessage, Label::kRepeated, 15, 0, -1, 90,
     offsetof(AttributeProto, graphs_), &GraphProto::kSchema, nullptr},
    {"doc_string", 13, Kind::kString, Label::kOptional, 2, 0, -1, 106,
     offsetof(AttributeProto, doc_string_), nullptr, nullptr},
    {"tp", 14, Kind::kMessage, Label::kOptional, 10, 0, -1, 114, offsetof(AttributeProto, tp_),
     &TypeProto::kSchema, nullptr},
    {"type_protos", 15, Kind::kMessage, Label::kRepeated, 17, 0, -1, 122,
     offsetof(AttributeProto, type_protos_), &TypeProto::kSchema, nullptr},
    {"type", 20, Kind::kEnum, Label::kOptional, 3, 0, -1, 160, offsetof(AttributeProto, type_),
     nullptr, &kAttributeProtoAttributeTypeEnum},
    {"ref_attr_name", 21, Kind::kString, Label::kOptional, 1, 0, -1, 170,
     offsetof(AttributeProto, ref_attr_name_), nullptr, nullptr},
    {"sparse_tensor", 22, Kind::kMessage, Label::kOptional, 9, 0, -1, 178,
     offsetof(AttributeProto, sparse_tensor_), &SparseTensorProto::kSchema, nullptr},
    {"sparse_tensors", 23, Kind::kMessage, Label::kRepeated, 16, 0, -1, 186,
     offsetof(AttributeProto, sparse_tensors_), &SparseTensorProto::kSchema, nullptr},
};
constexpr MessageSchema AttributeProto::kSchema{
    "AttributeProto",
    "onnx.AttributeProto",
    "onnx/onnx-ml.proto",
    0,
    sizeof(AttributeProto),
    nullptr,
    kFields,
    {},
    kAttributeProtoEnums,
    {},
    &create_message<AttributeProto>,
    &destroy_message<AttributeProto>,
    {0, 1, 2, 3, 4,  5,  6,  7,  8, 9, 10, 11, 0, 12, 13, 14,
     0, 0, 0, 0, 15, 16, 17, 18, 0, 0, 0,  0,  0, 0,  0,  0}};

constexpr FieldSchema ValueInfoProto::kFields[] = {
    {"name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10, offsetof(ValueInfoProto, name_),
     nullptr, nullptr},
    {"type", 2, Kind::kMessage, Label::kOptional, 1, 0, -1, 18, offsetof(ValueInfoProto, type_),
     &TypeProto::kSchema, nullptr},
    {"doc_string", 3, Kind::kString, Label::kOptional, 2, 0, -1, 26,
     offsetof(ValueInfoProto, doc_string_), nullptr, nullptr},
    {"metadata_props", 4, Kind::kMessage, Label::kRepeated, 3, 0, -1, 34,
     offsetof(ValueInfoProto, metadata_props_), &StringStringEntryProto::kSchema, nullptr},
};
constexpr MessageSchema ValueInfoProto::kSchema{"ValueInfoProto",
                                                "onnx.ValueInfoProto",
                                                "onnx/onnx-ml.proto",
                                                1,
                                                sizeof(ValueInfoProto),
                                                nullptr,
                                                kFields,
                                                {},
                                                {},
                                                {},
                                                &create_message<ValueInfoProto>,
                                                &destroy_message<ValueInfoProto>,
                                                {0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema NodeProto::kFields[] = {
    {"input", 1, Kind::kString, Label::kRepeated, 0, 0, -1, 10, offsetof(NodeProto, input_),
     nullptr, nullptr},
    {"output", 2, Kind::kString, Label::kRepeated, 1, 0, -1, 18, offsetof(NodeProto, output_),
     nullptr, nullptr},
    {"name", 3, Kind::kString, Label::kOptional, 2, 0, -1, 26, offsetof(NodeProto, name_), nullptr,
     nullptr},
    {"op_type", 4, Kind::kString, Label::kOptional, 3, 0, -1, 34, offsetof(NodeProto, op_type_),
     nullptr, nullptr},
    {"attribute", 5, Kind::kMessage, Label::kRepeated, 6, 0, -1, 42,
     offsetof(NodeProto, attribute_), &AttributeProto::kSchema, nullptr},
    {"doc_string", 6, Kind::kString, Label::kOptional, 7, 0, -1, 50,
     offsetof(NodeProto, doc_string_), nullptr, nullptr},
    {"domain", 7, Kind::kString, Label::kOptional, 4, 0, -1, 58, offsetof(NodeProto, domain_),
     nullptr, nullptr},
    {"overload", 8, Kind::kString, Label::kOptional, 5, 0, -1, 66, offsetof(NodeProto, overload_),
     nullptr, nullptr},
    {"metadata_props", 9, Kind::kMessage, Label::kRepeated, 8, 0, -1, 74,
     offsetof(NodeProto, metadata_props_), &StringStringEntryProto::kSchema, nullptr},
    {"device_configurations", 10, Kind::kMessage, Label::kRepeated, 9, 0, -1, 82,
     offsetof(NodeProto, device_configurations_), &NodeDeviceConfigurationProto::kSchema, nullptr},
};
constexpr MessageSchema NodeProto::kSchema{"NodeProto",
                                           "onnx.NodeProto",
                                           "onnx/onnx-ml.proto",
                                           2,
                                           sizeof(NodeProto),
                                           nullptr,
                                           kFields,
                                           {},
                                           {},
                                           {},
                                           &create_message<NodeProto>,
                                           &destroy_message<NodeProto>,
                                           {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 0, 0,
                                            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0}};

constexpr FieldSchema IntIntListEntryProto::kFields[] = {
    {"key", 1, Kind::kInt64, Label::kOptional, 0, 0, -1, 8, offsetof(IntIntListEntryProto, key_),
     nullptr, nullptr},
    {"value", 2, Kind::kInt64, Label::kRepeated, 1, 0, -1, 16,
     offsetof(IntIntListEntryProto, value_), nullptr, nullptr},
};
constexpr MessageSchema IntIntListEntryProto::kSchema{
    "IntIntListEntryProto",
    "onnx.IntIntListEntryProto",
    "onnx/onnx-ml.proto",
    3,
    sizeof(IntIntListEntryProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<IntIntListEntryProto>,
    &destroy_message<IntIntListEntryProto>,
    {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema NodeDeviceConfigurationProto::kFields[] = {
    {"configuration_id", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10,
     offsetof(NodeDeviceConfigurationProto, configuration_id_), nullptr, nullptr},
    {"sharding_spec", 2, Kind::kMessage, Label::kRepeated, 1, 0, -1, 18,
     offsetof(NodeDeviceConfigurationProto, sharding_spec_), &ShardingSpecProto::kSchema, nullptr},
    {"pipeline_stage", 3, Kind::kInt32, Label::kOptional, 2, 0, -1, 24,
     offsetof(NodeDeviceConfigurationProto, pipeline_stage_), nullptr, nullptr},
};
constexpr MessageSchema NodeDeviceConfigurationProto::kSchema{
    "NodeDeviceConfigurationProto",
    "onnx.NodeDeviceConfigurationProto",
    "onnx/onnx-ml.proto",
    4,
    sizeof(NodeDeviceConfigurationProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<NodeDeviceConfigurationProto>,
    &destroy_message<NodeDeviceConfigurationProto>,
    {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema ShardingSpecProto::kFields[] = {
    {"tensor_name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10,
     offsetof(ShardingSpecProto, tensor_name_), nullptr, nullptr},
    {"device", 2, Kind::kInt64, Label::kRepeated, 1, 0, -1, 16,
     offsetof(ShardingSpecProto, device_), nullptr, nullptr},
    {"index_to_device_group_map", 3, Kind::kMessage, Label::kRepeated, 2, 0, -1, 26,
     offsetof(ShardingSpecProto, index_to_device_group_map_), &IntIntListEntryProto::kSchema,
     nullptr},
    {"sharded_dim", 4, Kind::kMessage, Label::kRepeated, 3, 0, -1, 34,
     offsetof(ShardingSpecProto, sharded_dim_), &ShardedDimProto::kSchema, nullptr},
};
constexpr MessageSchema ShardingSpecProto::kSchema{
    "ShardingSpecProto",
    "onnx.ShardingSpecProto",
    "onnx/onnx-ml.proto",
    5,
    sizeof(ShardingSpecProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<ShardingSpecProto>,
    &destroy_message<ShardingSpecProto>,
    {0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema ShardedDimProto::kFields[] = {
    {"axis", 1, Kind::kInt64, Label::kOptional, 0, 0, -1, 8, offsetof(ShardedDimProto, axis_),
     nullptr, nullptr},
    {"simple_sharding", 2, Kind::kMessage, Label::kRepeated, 1, 0, -1, 18,
     offsetof(ShardedDimProto, simple_sharding_), &SimpleShardedDimProto::kSchema, nullptr},
};
constexpr MessageSchema ShardedDimProto::kSchema{"ShardedDimProto",
                                                 "onnx.ShardedDimProto",
                                                 "onnx/onnx-ml.proto",
                                                 6,
                                                 sizeof(ShardedDimProto),
                                                 nullptr,
                                                 kFields,
                                                 {},
                                                 {},
                                                 {},
                                                 &create_message<ShardedDimProto>,
                                                 &destroy_message<ShardedDimProto>,
                                                 {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema SimpleShardedDimProto::kFields[] = {
    {"dim_value", 1, Kind::kInt64, Label::kOptional, 0, 0, 0, 8,
     offsetof(SimpleShardedDimProto, dim_value_), nullptr, nullptr},
    {"dim_param", 2, Kind::kString, Label::kOptional, 1, 0, 0, 18,
     offsetof(SimpleShardedDimProto, dim_param_), nullptr, nullptr},
    {"num_shards", 3, Kind::kInt64, Label::kOptional, 2, 1, -1, 24,
     offsetof(SimpleShardedDimProto, num_shards_), nullptr, nullptr},
};
constexpr MessageSchema SimpleShardedDimProto::kSchema{
    "SimpleShardedDimProto",
    "onnx.SimpleShardedDimProto",
    "onnx/onnx-ml.proto",
    7,
    sizeof(SimpleShardedDimProto),
    nullptr,
    kFields,
    kSimpleShardedDimProtoOneofs,
    {},
    {},
    &create_message<SimpleShardedDimProto>,
    &destroy_message<SimpleShardedDimProto>,
    {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TrainingInfoProto::kFields[] = {
    {"initialization", 1, Kind::kMessage, Label::kOptional, 0, 0, -1, 10,
     offsetof(TrainingInfoProto, initialization_), &GraphProto::kSchema, nullptr},
    {"algorithm", 2, Kind::kMessage, Label::kOptional, 1, 0, -1, 18,
     offsetof(TrainingInfoProto, algorithm_), &GraphProto::kSchema, nullptr},
    {"initialization_binding", 3, Kind::kMessage, Label::kRepeated, 2, 0, -1, 26,
     offsetof(TrainingInfoProto, initialization_binding_), &StringStringEntryProto::kSchema,
     nullptr},
    {"update_binding", 4, Kind::kMessage, Label::kRepeated, 3, 0, -1, 34,
     offsetof(TrainingInfoProto, update_binding_), &StringStringEntryProto::kSchema, nullptr},
};
constexpr MessageSchema TrainingInfoProto::kSchema{
    "TrainingInfoProto",
    "onnx.TrainingInfoProto",
    "onnx/onnx-ml.proto",
    8,
    sizeof(TrainingInfoProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<TrainingInfoProto>,
    &destroy_message<TrainingInfoProto>,
    {0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema ModelProto::kFields[] = {
    {"ir_version", 1, Kind::kInt64, Label::kOptional, 0, 0, -1, 8,
     offsetof(ModelProto, ir_version_), nullptr, nullptr},
    {"producer_name", 2, Kind::kString, Label::kOptional, 2, 0, -1, 18,
     offsetof(ModelProto, producer_name_), nullptr, nullptr},
    {"producer_version", 3, Kind::kString, Label::kOptional, 3, 0, -1, 26,
     offsetof(ModelProto, producer_version_), nullptr, nullptr},
    {"domain", 4, Kind::kString, Label::kOptional, 4, 0, -1, 34, offsetof(ModelProto, domain_),
     nullptr, nullptr},
    {"model_version", 5, Kind::kInt64, Label::kOptional, 5, 1, -1, 40,
     offsetof(ModelProto, model_version_), nullptr, nullptr},
    {"doc_string", 6, Kind::kString, Label::kOptional, 6, 0, -1, 50,
     offsetof(ModelProto, doc_string_), nullptr, nullptr},
    {"graph", 7, Kind::kMessage, Label::kOptional, 7, 0, -1, 58, offsetof(ModelProto, graph_),
     &GraphProto::kSchema, nullptr},
    {"opset_import", 8, Kind::kMessage, Label::kRepeated, 1, 0, -1, 66,
     offsetof(ModelProto, opset_import_), &OperatorSetIdProto::kSchema, nullptr},
    {"metadata_props", 14, Kind::kMessage, Label::kRepeated, 8, 0, -1, 114,
     offsetof(ModelProto, metadata_props_), &StringStringEntryProto::kSchema, nullptr},
    {"training_info", 20, Kind::kMessage, Label::kRepeated, 9, 0, -1, 162,
     offsetof(ModelProto, training_info_), &TrainingInfoProto::kSchema, nullptr},
    {"functions", 25, Kind::kMessage, Label::kRepeated, 10, 0, -1, 202,
     offsetof(ModelProto, functions_), &FunctionProto::kSchema, nullptr},
    {"configuration", 26, Kind::kMessage, Label::kRepeated, 11, 0, -1, 210,
     offsetof(ModelProto, configuration_), &DeviceConfigurationProto::kSchema, nullptr},
};
constexpr MessageSchema ModelProto::kSchema{"ModelProto",
                                            "onnx.ModelProto",
                                            "onnx/onnx-ml.proto",
                                            9,
                                            sizeof(ModelProto),
                                            nullptr,
                                            kFields,
                                            {},
                                            {},
                                            {},
                                            &create_message<ModelProto>,
                                            &destroy_message<ModelProto>,
                                            {0, 1, 2, 3, 4,  5, 6, 7, 8, 0,  0,  0, 0, 0, 9, 0,
                                             0, 0, 0, 0, 10, 0, 0, 0, 0, 11, 12, 0, 0, 0, 0, 0}};

constexpr FieldSchema DeviceConfigurationProto::kFields[] = {
    {"name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10,
     offsetof(DeviceConfigurationProto, name_), nullptr, nullptr},
    {"num_devices", 2, Kind::kInt32, Label::kOptional, 1, 0, -1, 16,
     offsetof(DeviceConfigurationProto, num_devices_), nullptr, nullptr},
    {"device", 3, Kind::kString, Label::kRepeated, 2, 0, -1, 26,
     offsetof(DeviceConfigurationProto, device_), nullptr, nullptr},
};
constexpr MessageSchema DeviceConfigurationProto::kSchema{
    "DeviceConfigurationProto",
    "onnx.DeviceConfigurationProto",
    "onnx/onnx-ml.proto",
    10,
    sizeof(DeviceConfigurationProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<DeviceConfigurationProto>,
    &destroy_message<DeviceConfigurationProto>,
    {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema StringStringEntryProto::kFields[] = {
    {"key", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10,
     offsetof(StringStringEntryProto, key_), nullptr, nullptr},
    {"value", 2, Kind::kString, Label::kOptional, 1, 0, -1, 18,
     offsetof(StringStringEntryProto, value_), nullptr, nullptr},
};
constexpr MessageSchema StringStringEntryProto::kSchema{
    "StringStringEntryProto",
    "onnx.StringStringEntryProto",
    "onnx/onnx-ml.proto",
    11,
    sizeof(StringStringEntryProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<StringStringEntryProto>,
    &destroy_message<StringStringEntryProto>,
    {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TensorAnnotation::kFields[] = {
    {"tensor_name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10,
     offsetof(TensorAnnotation, tensor_name_), nullptr, nullptr},
    {"quant_parameter_tensor_names", 2, Kind::kMessage, Label::kRepeated, 1, 0, -1, 18,
     offsetof(TensorAnnotation, quant_parameter_tensor_names_), &StringStringEntryProto::kSchema,
     nullptr},
};
constexpr MessageSchema TensorAnnotation::kSchema{"TensorAnnotation",
                                                  "onnx.TensorAnnotation",
                                                  "onnx/onnx-ml.proto",
                                                  12,
                                                  sizeof(TensorAnnotation),
                                                  nullptr,
                                                  kFields,
                                                  {},
                                                  {},
                                                  {},
                                                  &create_message<TensorAnnotation>,
                                                  &destroy_message<TensorAnnotation>,
                                                  {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema GraphProto::kFields[] = {
    {"node", 1, Kind::kMessage, Label::kRepeated, 0, 0, -1, 10, offsetof(GraphProto, node_),
     &NodeProto::kSchema, nullptr},
    {"name", 2, Kind::kString, Label::kOptional, 1, 0, -1, 18, offsetof(GraphProto, name_), nullptr,
     nullptr},
    {"initializer", 5, Kind::kMessage, Label::kRepeated, 2, 0, -1, 42,
     offsetof(GraphProto, initializer_), &TensorProto::kSchema, nullptr},
    {"doc_string", 10, Kind::kString, Label::kOptional, 4, 0, -1, 82,
     offsetof(GraphProto, doc_string_), nullptr, nullptr},
    {"input", 11, Kind::kMessage, Label::kRepeated, 5, 0, -1, 90, offsetof(GraphProto, input_),
     &ValueInfoProto::kSchema, nullptr},
    {"output", 12, Kind::kMessage, Label::kRepeated, 6, 0, -1, 98, offsetof(GraphProto, output_),
     &ValueInfoProto::kSchema, nullptr},
    {"value_info", 13, Kind::kMessage, Label::kRepeated, 7, 0, -1, 106,
     offsetof(GraphProto, value_info_), &ValueInfoProto::kSchema, nullptr},
    {"quantization_annotation", 14, Kind::kMessage, Label::kRepeated, 8, 0, -1, 114,
     offsetof(GraphProto, quantization_annotation_), &TensorAnnotation::kSchema, nullptr},
    {"sparse_initializer", 15, Kind::kMessage, Label::kRepeated, 3, 0, -1, 122,
     offsetof(GraphProto, sparse_initializer_), &SparseTensorProto::kSchema, nullptr},
    {"metadata_props", 16, Kind::kMessage, Label::kRepeated, 9, 0, -1, 130,
     offsetof(GraphProto, metadata_props_), &StringStringEntryProto::kSchema, nullptr},
};
constexpr MessageSchema GraphProto::kSchema{"GraphProto",
                                            "onnx.GraphProto",
                                            "onnx/onnx-ml.proto",
                                            13,
                                            sizeof(GraphProto),
                                            nullptr,
                                            kFields,
                                            {},
                                            {},
                                            {},
                                            &create_message<GraphProto>,
                                            &destroy_message<GraphProto>,
                                            {0,  1, 2, 0, 0, 3, 0, 0, 0, 0, 4, 5, 6, 7, 8, 9,
                                             10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TensorProto::kFields[] = {
    {"dims", 1, Kind::kInt64, Label::kRepeated, 0, 0, -1, 8, offsetof(TensorProto, dims_), nullptr,
     nullptr},
    {"data_type", 2, Kind::kInt32, Label::kOptional, 1, 0, -1, 16,
     offsetof(TensorProto, data_type_), nullptr, nullptr},
    {"segment", 3, Kind::kMessage, Label::kOptional, 2, 0, -1, 26, offsetof(TensorProto, segment_),
     &TensorProto::Segment::kSchema, nullptr},
    {"float_data", 4, Kind::kFloat, Label::kPacked, 3, 0, -1, 34,
     offsetof(TensorProto, float_data_), nullptr, nullptr},
    {"int32_data", 5, Kind::kInt32, Label::kPacked, 4, 0, -1, 42,
     offsetof(TensorProto, int32_data_), nullptr, nullptr},
    {"string_data", 6, Kind::kBytes, Label::kRepeated, 5, 0, -1, 50,
     offsetof(TensorProto, string_data_), nullptr, nullptr},
    {"int64_data", 7, Kind::kInt64, Label::kPacked, 6, 0, -1, 58,
     offsetof(TensorProto, int64_data_), nullptr, nullptr},
    {"name", 8, Kind::kString, Label::kOptional, 7, 0, -1, 66, offsetof(TensorProto, name_),
     nullptr, nullptr},
    {"raw_data", 9, Kind::kPayload, Label::kOptional, 9, 0, -1, 74,
     offsetof(TensorProto, raw_data_), nullptr, nullptr},
    {"double_data", 10, Kind::kDouble, Label::kPacked, 12, 0, -1, 82,
     offsetof(TensorProto, double_data_), nullptr, nullptr},
    {"uint64_data", 11, Kind::kUint64, Label::kPacked, 13, 0, -1, 90,
     offsetof(TensorProto, uint64_data_), nullptr, nullptr},
    {"doc_string", 12, Kind::kString, Label::kOptional, 8, 0, -1, 98,
     offsetof(TensorProto, doc_string_), nullptr, nullptr},
    {"external_data", 13, Kind::kMessage, Label::kRepeated, 10, 0, -1, 106,
     offsetof(TensorProto, external_data_), &StringStringEntryProto::kSchema, nullptr},
    {"data_location", 14, Kind::kEnum, Label::kOptional, 11, 1, -1, 112,
     offsetof(TensorProto, data_location_), nullptr, &kTensorProtoDataLocationEnum},
    {"metadata_props", 16, Kind::kMessage, Label::kRepeated, 14, 0, -1, 130,
     offsetof(TensorProto, metadata_props_), &StringStringEntryProto::kSchema, nullptr},
};
constexpr MessageSchema TensorProto::kSchema{
    "TensorProto",
    "onnx.TensorProto",
    "onnx/onnx-ml.proto",
    14,
    sizeof(TensorProto),
    nullptr,
    kFields,
    {},
    kTensorProtoEnums,
    kTensorProtoNested,
    &create_message<TensorProto>,
    &destroy_message<TensorProto>,
    {0,  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0,
     15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0}};

constexpr FieldSchema TensorProto::Segment::kFields[] = {
    {"begin", 1, Kind::kInt64, Label::kOptional, 0, 0, -1, 8,
     offsetof(TensorProto::Segment, begin_), nullptr, nullptr},
    {"end", 2, Kind::kInt64, Label::kOptional, 1, 1, -1, 16, offsetof(TensorProto::Segment, end_),
     nullptr, nullptr},
};
constexpr MessageSchema TensorProto::Segment::kSchema{
    "Segment",
    "onnx.TensorProto.Segment",
    "onnx/onnx-ml.proto",
    15,
    sizeof(TensorProto::Segment),
    &TensorProto::kSchema,
    kFields,
    {},
    {},
    {},
    &create_message<TensorProto::Segment>,
    &destroy_message<TensorProto::Segment>,
    {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema SparseTensorProto::kFields[] = {
    {"values", 1, Kind::kMessage, Label::kOptional, 0, 0, -1, 10,
     offsetof(SparseTensorProto, values_), &TensorProto::kSchema, nullptr},
    {"indices", 2, Kind::kMessage, Label::kOptional, 1, 0, -1, 18,
     offsetof(SparseTensorProto, indices_), &TensorProto::kSchema, nullptr},
    {"dims", 3, Kind::kInt64, Label::kRepeated, 2, 0, -1, 24, offsetof(SparseTensorProto, dims_),
     nullptr, nullptr},
};
constexpr MessageSchema SparseTensorProto::kSchema{
    "SparseTensorProto",
    "onnx.SparseTensorProto",
    "onnx/onnx-ml.proto",
    16,
    sizeof(SparseTensorProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<SparseTensorProto>,
    &destroy_message<SparseTensorProto>,
    {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TensorShapeProto::kFields[] = {
    {"dim", 1, Kind::kMessage, Label::kRepeated, 0, 0, -1, 10, offsetof(TensorShapeProto, dim_),
     &TensorShapeProto::Dimension::kSchema, nullptr},
};
constexpr MessageSchema TensorShapeProto::kSchema{"TensorShapeProto",
                                                  "onnx.TensorShapeProto",
                                                  "onnx/onnx-ml.proto",
                                                  17,
                                                  sizeof(TensorShapeProto),
                                                  nullptr,
                                                  kFields,
                                                  {},
                                                  {},
                                                  kTensorShapeProtoNested,
                                                  &create_message<TensorShapeProto>,
                                                  &destroy_message<TensorShapeProto>,
                                                  {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TensorShapeProto::Dimension::kFields[] = {
    {"dim_value", 1, Kind::kInt64, Label::kOptional, 0, 0, 0, 8,
     offsetof(TensorShapeProto::Dimension, dim_value_), nullptr, nullptr},
    {"dim_param", 2, Kind::kString, Label::kOptional, 1, 0, 0, 18,
     offsetof(TensorShapeProto::Dimension, dim_param_), nullptr, nullptr},
    {"denotation", 3, Kind::kString, Label::kOptional, 2, 0, -1, 26,
     offsetof(TensorShapeProto::Dimension, denotation_), nullptr, nullptr},
};
constexpr MessageSchema TensorShapeProto::Dimension::kSchema{
    "Dimension",
    "onnx.TensorShapeProto.Dimension",
    "onnx/onnx-ml.proto",
    18,
    sizeof(TensorShapeProto::Dimension),
    &TensorShapeProto::kSchema,
    kFields,
    kTensorShapeProtoDimensionOneofs,
    {},
    {},
    &create_message<TensorShapeProto::Dimension>,
    &destroy_message<TensorShapeProto::Dimension>,
    {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TypeProto::kFields[] = {
    {"tensor_type", 1, Kind::kMessage, Label::kOptional, 0, 0, 0, 10,
     offsetof(TypeProto, tensor_type_), &TypeProto::Tensor::kSchema, nullptr},
    {"sequence_type", 4, Kind::kMessage, Label::kOptional, 1, 0, 0, 34,
     offsetof(TypeProto, sequence_type_), &TypeProto::Sequence::kSchema, nullptr},
    {"map_type", 5, Kind::kMessage, Label::kOptional, 2, 0, 0, 42, offsetof(TypeProto, map_type_),
     &TypeProto::Map::kSchema, nullptr},
    {"denotation", 6, Kind::kString, Label::kOptional, 6, 0, -1, 50,
     offsetof(TypeProto, denotation_), nullptr, nullptr},
    {"opaque_type", 7, Kind::kMessage, Label::kOptional, 5, 0, 0, 58,
     offsetof(TypeProto, opaque_type_), &TypeProto::Opaque::kSchema, nullptr},
    {"sparse_tensor_type", 8, Kind::kMessage, Label::kOptional, 4, 0, 0, 66,
     offsetof(TypeProto, sparse_tensor_type_), &TypeProto::SparseTensor::kSchema, nullptr},
    {"optional_type", 9, Kind::kMessage, Label::kOptional, 3, 0, 0, 74,
     offsetof(TypeProto, optional_type_), &TypeProto::Optional::kSchema, nullptr},
};
constexpr MessageSchema TypeProto::kSchema{"TypeProto",
                                           "onnx.TypeProto",
                                           "onnx/onnx-ml.proto",
                                           19,
                                           sizeof(TypeProto),
                                           nullptr,
                                           kFields,
                                           kTypeProtoOneofs,
                                           {},
                                           kTypeProtoNested,
                                           &create_message<TypeProto>,
                                           &destroy_message<TypeProto>,
                                           {0, 1, 0, 0, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0,
                                            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TypeProto::Tensor::kFields[] = {
    {"elem_type", 1, Kind::kInt32, Label::kOptional, 0, 0, -1, 8,
     offsetof(TypeProto::Tensor, elem_type_), nullptr, nullptr},
    {"shape", 2, Kind::kMessage, Label::kOptional, 1, 0, -1, 18,
     offsetof(TypeProto::Tensor, shape_), &TensorShapeProto::kSchema, nullptr},
};
constexpr MessageSchema TypeProto::Tensor::kSchema{
    "Tensor",
    "onnx.TypeProto.Tensor",
    "onnx/onnx-ml.proto",
    20,
    sizeof(TypeProto::Tensor),
    &TypeProto::kSchema,
    kFields,
    {},
    {},
    {},
    &create_message<TypeProto::Tensor>,
    &destroy_message<TypeProto::Tensor>,
    {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TypeProto::Sequence::kFields[] = {
    {"elem_type", 1, Kind::kMessage, Label::kOptional, 0, 0, -1, 10,
     offsetof(TypeProto::Sequence, elem_type_), &TypeProto::kSchema, nullptr},
};
constexpr MessageSchema TypeProto::Sequence::kSchema{
    "Sequence",
    "onnx.TypeProto.Sequence",
    "onnx/onnx-ml.proto",
    21,
    sizeof(TypeProto::Sequence),
    &TypeProto::kSchema,
    kFields,
    {},
    {},
    {},
    &create_message<TypeProto::Sequence>,
    &destroy_message<TypeProto::Sequence>,
    {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TypeProto::Map::kFields[] = {
    {"key_type", 1, Kind::kInt32, Label::kOptional, 0, 0, -1, 8,
     offsetof(TypeProto::Map, key_type_), nullptr, nullptr},
    {"value_type", 2, Kind::kMessage, Label::kOptional, 1, 0, -1, 18,
     offsetof(TypeProto::Map, value_type_), &TypeProto::kSchema, nullptr},
};
constexpr MessageSchema TypeProto::Map::kSchema{"Map",
                                                "onnx.TypeProto.Map",
                                                "onnx/onnx-ml.proto",
                                                22,
                                                sizeof(TypeProto::Map),
                                                &TypeProto::kSchema,
                                                kFields,
                                                {},
                                                {},
                                                {},
                                                &create_message<TypeProto::Map>,
                                                &destroy_message<TypeProto::Map>,
                                                {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TypeProto::Optional::kFields[] = {
    {"elem_type", 1, Kind::kMessage, Label::kOptional, 0, 0, -1, 10,
     offsetof(TypeProto::Optional, elem_type_), &TypeProto::kSchema, nullptr},
};
constexpr MessageSchema TypeProto::Optional::kSchema{
    "Optional",
    "onnx.TypeProto.Optional",
    "onnx/onnx-ml.proto",
    23,
    sizeof(TypeProto::Optional),
    &TypeProto::kSchema,
    kFields,
    {},
    {},
    {},
    &create_message<TypeProto::Optional>,
    &destroy_message<TypeProto::Optional>,
    {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TypeProto::SparseTensor::kFields[] = {
    {"elem_type", 1, Kind::kInt32, Label::kOptional, 0, 0, -1, 8,
     offsetof(TypeProto::SparseTensor, elem_type_), nullptr, nullptr},
    {"shape", 2, Kind::kMessage, Label::kOptional, 1, 0, -1, 18,
     offsetof(TypeProto::SparseTensor, shape_), &TensorShapeProto::kSchema, nullptr},
};
constexpr MessageSchema TypeProto::SparseTensor::kSchema{
    "SparseTensor",
    "onnx.TypeProto.SparseTensor",
    "onnx/onnx-ml.proto",
    24,
    sizeof(TypeProto::SparseTensor),
    &TypeProto::kSchema,
    kFields,
    {},
    {},
    {},
    &create_message<TypeProto::SparseTensor>,
    &destroy_message<TypeProto::SparseTensor>,
    {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema TypeProto::Opaque::kFields[] = {
    {"domain", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10,
     offsetof(TypeProto::Opaque, domain_), nullptr, nullptr},
    {"name", 2, Kind::kString, Label::kOptional, 1, 0, -1, 18, offsetof(TypeProto::Opaque, name_),
     nullptr, nullptr},
};
constexpr MessageSchema TypeProto::Opaque::kSchema{
    "Opaque",
    "onnx.TypeProto.Opaque",
    "onnx/onnx-ml.proto",
    25,
    sizeof(TypeProto::Opaque),
    &TypeProto::kSchema,
    kFields,
    {},
    {},
    {},
    &create_message<TypeProto::Opaque>,
    &destroy_message<TypeProto::Opaque>,
    {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema OperatorSetIdProto::kFields[] = {
    {"domain", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10,
     offsetof(OperatorSetIdProto, domain_), nullptr, nullptr},
    {"version", 2, Kind::kInt64, Label::kOptional, 1, 0, -1, 16,
     offsetof(OperatorSetIdProto, version_), nullptr, nullptr},
};
constexpr MessageSchema OperatorSetIdProto::kSchema{
    "OperatorSetIdProto",
    "onnx.OperatorSetIdProto",
    "onnx/onnx-ml.proto",
    26,
    sizeof(OperatorSetIdProto),
    nullptr,
    kFields,
    {},
    {},
    {},
    &create_message<OperatorSetIdProto>,
    &destroy_message<OperatorSetIdProto>,
    {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema FunctionProto::kFields[] = {
    {"name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10, offsetof(FunctionProto, name_),
     nullptr, nullptr},
    {"input", 4, Kind::kString, Label::kRepeated, 1, 0, -1, 34, offsetof(FunctionProto, input_),
     nullptr, nullptr},
    {"output", 5, Kind::kString, Label::kRepeated, 2, 0, -1, 42, offsetof(FunctionProto, output_),
     nullptr, nullptr},
    {"attribute", 6, Kind::kString, Label::kRepeated, 3, 0, -1, 50,
     offsetof(FunctionProto, attribute_), nullptr, nullptr},
    {"node", 7, Kind::kMessage, Label::kRepeated, 5, 0, -1, 58, offsetof(FunctionProto, node_),
     &NodeProto::kSchema, nullptr},
    {"doc_string", 8, Kind::kString, Label::kOptional, 6, 0, -1, 66,
     offsetof(FunctionProto, doc_string_), nullptr, nullptr},
    {"opset_import", 9, Kind::kMessage, Label::kRepeated, 7, 0, -1, 74,
     offsetof(FunctionProto, opset_import_), &OperatorSetIdProto::kSchema, nullptr},
    {"domain", 10, Kind::kString, Label::kOptional, 8, 0, -1, 82, offsetof(FunctionProto, domain_),
     nullptr, nullptr},
    {"attribute_proto", 11, Kind::kMessage, Label::kRepeated, 4, 0, -1, 90,
     offsetof(FunctionProto, attribute_proto_), &AttributeProto::kSchema, nullptr},
    {"value_info", 12, Kind::kMessage, Label::kRepeated, 10, 0, -1, 98,
     offsetof(FunctionProto, value_info_), &ValueInfoProto::kSchema, nullptr},
    {"overload", 13, Kind::kString, Label::kOptional, 9, 0, -1, 106,
     offsetof(FunctionProto, overload_), nullptr, nullptr},
    {"metadata_props", 14, Kind::kMessage, Label::kRepeated, 11, 0, -1, 114,
     offsetof(FunctionProto, metadata_props_), &StringStringEntryProto::kSchema, nullptr},
};
constexpr MessageSchema FunctionProto::kSchema{"FunctionProto",
                                               "onnx.FunctionProto",
                                               "onnx/onnx-ml.proto",
                                               27,
                                               sizeof(FunctionProto),
                                               nullptr,
                                               kFields,
                                               {},
                                               {},
                                               {},
                                               &create_message<FunctionProto>,
                                               &destroy_message<FunctionProto>,
                                               {0, 1, 0, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0,
                                                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0}};

constexpr FieldSchema SequenceProto::kFields[] = {
    {"name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10, offsetof(SequenceProto, name_),
     nullptr, nullptr},
    {"elem_type", 2, Kind::kInt32, Label::kOptional, 1, 0, -1, 16,
     offsetof(SequenceProto, elem_type_), nullptr, nullptr},
    {"tensor_values", 3, Kind::kMessage, Label::kRepeated, 2, 0, -1, 26,
     offsetof(SequenceProto, tensor_values_), &TensorProto::kSchema, nullptr},
    {"sparse_tensor_values", 4, Kind::kMessage, Label::kRepeated, 3, 0, -1, 34,
     offsetof(SequenceProto, sparse_tensor_values_), &SparseTensorProto::kSchema, nullptr},
    {"sequence_values", 5, Kind::kMessage, Label::kRepeated, 4, 0, -1, 42,
     offsetof(SequenceProto, sequence_values_), &SequenceProto::kSchema, nullptr},
    {"map_values", 6, Kind::kMessage, Label::kRepeated, 5, 0, -1, 50,
     offsetof(SequenceProto, map_values_), &MapProto::kSchema, nullptr},
    {"optional_values", 7, Kind::kMessage, Label::kRepeated, 6, 0, -1, 58,
     offsetof(SequenceProto, optional_values_), &OptionalProto::kSchema, nullptr},
};
constexpr MessageSchema SequenceProto::kSchema{"SequenceProto",
                                               "onnx.SequenceProto",
                                               "onnx/onnx-data.proto",
                                               28,
                                               sizeof(SequenceProto),
                                               nullptr,
                                               kFields,
                                               {},
                                               kSequenceProtoEnums,
                                               {},
                                               &create_message<SequenceProto>,
                                               &destroy_message<SequenceProto>,
                                               {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0,
                                                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema MapProto::kFields[] = {
    {"name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10, offsetof(MapProto, name_), nullptr,
     nullptr},
    {"key_type", 2, Kind::kInt32, Label::kOptional, 1, 0, -1, 16, offsetof(MapProto, key_type_),
     nullptr, nullptr},
    {"keys", 3, Kind::kInt64, Label::kRepeated, 2, 0, -1, 24, offsetof(MapProto, keys_), nullptr,
     nullptr},
    {"string_keys", 4, Kind::kBytes, Label::kRepeated, 3, 0, -1, 34,
     offsetof(MapProto, string_keys_), nullptr, nullptr},
    {"values", 5, Kind::kMessage, Label::kOptional, 4, 0, -1, 42, offsetof(MapProto, values_),
     &SequenceProto::kSchema, nullptr},
};
constexpr MessageSchema MapProto::kSchema{"MapProto",
                                          "onnx.MapProto",
                                          "onnx/onnx-data.proto",
                                          29,
                                          sizeof(MapProto),
                                          nullptr,
                                          kFields,
                                          {},
                                          {},
                                          {},
                                          &create_message<MapProto>,
                                          &destroy_message<MapProto>,
                                          {0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                           0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

constexpr FieldSchema OptionalProto::kFields[] = {
    {"name", 1, Kind::kString, Label::kOptional, 0, 0, -1, 10, offsetof(OptionalProto, name_),
     nullptr, nullptr},
    {"elem_type", 2, Kind::kInt32, Label::kOptional, 1, 0, -1, 16,
     offsetof(OptionalProto, elem_type_), nullptr, nullptr},
    {"tensor_value", 3, Kind::kMessage, Label::kOptional, 2, 0, -1, 26,
     offsetof(OptionalProto, tensor_value_), &TensorProto::kSchema, nullptr},
    {"sparse_tensor_value", 4, Kind::kMessage, Label::kOptional, 3, 0, -1, 34,
     offsetof(OptionalProto, sparse_tensor_value_), &SparseTensorProto::kSchema, nullptr},
    {"sequence_value", 5, Kind::kMessage, Label::kOptional, 4, 0, -1, 42,
     offsetof(OptionalProto, sequence_value_), &SequenceProto::kSchema, nullptr},
    {"map_value", 6, Kind::kMessage, Label::kOptional, 5, 0, -1, 50,
     offsetof(OptionalProto, map_value_), &MapProto::kSchema, nullptr},
    {"optional_value", 7, Kind::kMessage, Label::kOptional, 6, 0, -1, 58,
     offsetof(OptionalProto, optional_value_), &OptionalProto::kSchema, nullptr},
};
constexpr MessageSchema OptionalProto::kSchema{"OptionalProto",
                                               "onnx.OptionalProto",
                                               "onnx/onnx-data.proto",
                                               30,
                                               sizeof(OptionalProto),
                                               nullptr,
                                               kFields,
                                               {},
                                               kOptionalProtoEnums,
                                               {},
                                               &create_message<OptionalProto>,
                                               &destroy_message<OptionalProto>,
                                               {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0,
                                                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

std::span<const MessageSchema* const> all_messages() noexcept {
  static constexpr const MessageSchema* kAll[] = {&AttributeProto::kSchema,
                                                  &ValueInfoProto::kSchema,
                                                  &NodeProto::kSchema,
                                                  &IntIntListEntryProto::kSchema,
                                                  &NodeDeviceConfigurationProto::kSchema,
                                                  &ShardingSpecProto::kSchema,
                                                  &ShardedDimProto::kSchema,
                                                  &SimpleShardedDimProto::kSchema,
                                                  &TrainingInfoProto::kSchema,
                                                  &ModelProto::kSchema,
                                                  &DeviceConfigurationProto::kSchema,
                                                  &StringStringEntryProto::kSchema,
                                                  &TensorAnnotation::kSchema,
                                                  &GraphProto::kSchema,
                                                  &TensorProto::kSchema,
                                                  &TensorProto::Segment::kSchema,
                                                  &SparseTensorProto::kSchema,
                                                  &TensorShapeProto::kSchema,
                                                  &TensorShapeProto::Dimension::kSchema,
                                                  &TypeProto::kSchema,
                                                  &TypeProto::Tensor::kSchema,
                                                  &TypeProto::Sequence::kSchema,
                                                  &TypeProto::Map::kSchema,
                                                  &TypeProto::Optional::kSchema,
                                                  &TypeProto::SparseTensor::kSchema,
                                                  &TypeProto::Opaque::kSchema,
                                                  &OperatorSetIdProto::kSchema,
                                                  &FunctionProto::kSchema,
                                                  &SequenceProto::kSchema,
                                                  &MapProto::kSchema,
                                                  &OptionalProto::kSchema};
  return kAll;
}

std::span<const EnumSchema* const> all_enums() noexcept {
  static constexpr const EnumSchema* kAll[] = {&kVersionEnum, &kOperatorStatusEnum};
  return kAll;
}

}  // namespace nocopy::onnx
