#pragma once

// Written by src/onnx/generate.py from messages.schema; change that instead.
//
// For each field `x` of a message: x() reads it (its default where it is not set), ref_x()
// is for changing it in place, set_x() and clear_x() do what they say, has_x() tells whether
// it is set, and add_x() appends to a repeated one. ref_x() makes a submessage that is not
// there; it does not make a string or raw data set, but assigning through it does.

#include <cstdint>
#include <string_view>
#include <utility>

#include "onnx/message.h"

namespace nocopy::onnx {

class AttributeProto;
class ValueInfoProto;
class NodeProto;
class IntIntListEntryProto;
class NodeDeviceConfigurationProto;
class ShardingSpecProto;
class ShardedDimProto;
class SimpleShardedDimProto;
class TrainingInfoProto;
class ModelProto;
class DeviceConfigurationProto;
class StringStringEntryProto;
class TensorAnnotation;
class GraphProto;
class TensorProto;
class SparseTensorProto;
class TensorShapeProto;
class TypeProto;
class OperatorSetIdProto;
class FunctionProto;
class SequenceProto;
class MapProto;
class OptionalProto;

enum Version : std::int32_t {
  START_VERSION = 0,
  IR_VERSION_2017_10_10 = 1,
  IR_VERSION_2017_10_30 = 2,
  IR_VERSION_2017_11_3 = 3,
  IR_VERSION_2019_1_22 = 4,
  IR_VERSION_2019_3_18 = 5,
  IR_VERSION_2019_9_19 = 6,
  IR_VERSION_2020_5_8 = 7,
  IR_VERSION_2021_7_30 = 8,
  IR_VERSION_2023_5_5 = 9,
  IR_VERSION_2024_3_25 = 10,
  IR_VERSION_2025_05_12 = 11,
  IR_VERSION_2025_08_26 = 12,
  IR_VERSION_2025_11_06 = 13,
  IR_VERSION = 14,
};

enum OperatorStatus : std::int32_t {
  EXPERIMENTAL = 0,
  STABLE = 1,
};

class AttributeProto final : public Message {
 public:
  enum AttributeType : std::int32_t {
    UNDEFINED = 0,
    FLOAT = 1,
    INT = 2,
    STRING = 3,
    TENSOR = 4,
    GRAPH = 5,
    SPARSE_TENSOR = 11,
    TYPE_PROTO = 13,
    FLOATS = 6,
    INTS = 7,
    STRINGS = 8,
    TENSORS = 9,
    GRAPHS = 10,
    SPARSE_TENSORS = 12,
    TYPE_PROTOS = 14,
  };
  static const MessageSchema kSchema;

  AttributeProto() noexcept : Message(kSchema) {}
  AttributeProto(const AttributeProto& other) : AttributeProto() { CopyFrom(other); }
  AttributeProto(AttributeProto&& other) noexcept : AttributeProto() { swap(other); }
  AttributeProto& operator=(const AttributeProto& other) {
    CopyFrom(other);
    return *this;
  }
  AttributeProto& operator=(AttributeProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AttributeProto() = default;
  void swap(AttributeProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const AttributeProto& a, const AttributeProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_ref_attr_name() const noexcept { return ref_attr_name_.has_value(); }
  [[nodiscard]] const String& ref_attr_name() const noexcept { return ref_attr_name_; }
  [[nodiscard]] String& ref_ref_attr_name() noexcept { return ref_attr_name_; }
  void set_ref_attr_name(std::string_view text) { ref_attr_name_.assign(text); }
  void clear_ref_attr_name() noexcept { ref_attr_name_.clear(); }

  [[nodiscard]] bool has_doc_string() const noexcept { return doc_string_.has_value(); }
  [[nodiscard]] const String& doc_string() const noexcept { return doc_string_; }
  [[nodiscard]] String& ref_doc_string() noexcept { return doc_string_; }
  void set_doc_string(std::string_view text) { doc_string_.assign(text); }
  void clear_doc_string() noexcept { doc_string_.clear(); }

  [[nodiscard]] bool has_type() const noexcept { return has_bit(0); }
  [[nodiscard]] AttributeProto::AttributeType type() const noexcept { return type_; }
  void set_type(AttributeProto::AttributeType value) noexcept {
    set_has_bit(0);
    type_ = value;
  }
  void clear_type() noexcept {
    clear_has_bit(0);
    type_ = {};
  }

  [[nodiscard]] bool has_f() const noexcept { return has_bit(1); }
  [[nodiscard]] float f() const noexcept { return f_; }
  void set_f(float value) noexcept {
    set_has_bit(1);
    f_ = value;
  }
  void clear_f() noexcept {
    clear_has_bit(1);
    f_ = {};
  }

  [[nodiscard]] bool has_i() const noexcept { return has_bit(2); }
  [[nodiscard]] std::int64_t i() const noexcept { return i_; }
  void set_i(std::int64_t value) noexcept {
    set_has_bit(2);
    i_ = value;
  }
  void clear_i() noexcept {
    clear_has_bit(2);
    i_ = {};
  }

  [[nodiscard]] bool has_s() const noexcept { return s_.has_value(); }
  [[nodiscard]] const String& s() const noexcept { return s_; }
  [[nodiscard]] String& ref_s() noexcept { return s_; }
  void set_s(std::string_view text) { s_.assign(text); }
  void clear_s() noexcept { s_.clear(); }

  [[nodiscard]] bool has_t() const noexcept { return t_.has_value(); }
  [[nodiscard]] const TensorProto& t() const;
  [[nodiscard]] TensorProto& ref_t();
  void clear_t() noexcept { t_.reset(); }

  [[nodiscard]] bool has_g() const noexcept { return g_.has_value(); }
  [[nodiscard]] const GraphProto& g() const;
  [[nodiscard]] GraphProto& ref_g();
  void clear_g() noexcept { g_.reset(); }

  [[nodiscard]] bool has_sparse_tensor() const noexcept { return sparse_tensor_.has_value(); }
  [[nodiscard]] const SparseTensorProto& sparse_tensor() const;
  [[nodiscard]] SparseTensorProto& ref_sparse_tensor();
  void clear_sparse_tensor() noexcept { sparse_tensor_.reset(); }

  [[nodiscard]] bool has_tp() const noexcept { return tp_.has_value(); }
  [[nodiscard]] const TypeProto& tp() const;
  [[nodiscard]] TypeProto& ref_tp();
  void clear_tp() noexcept { tp_.reset(); }

  [[nodiscard]] const Repeated<float>& floats() const noexcept { return floats_; }
  [[nodiscard]] Repeated<float>& ref_floats() noexcept { return floats_; }
  void add_floats(float value) { floats_.push_back(std::move(value)); }
  void clear_floats() noexcept { floats_.clear(); }

  [[nodiscard]] const Repeated<std::int64_t>& ints() const noexcept { return ints_; }
  [[nodiscard]] Repeated<std::int64_t>& ref_ints() noexcept { return ints_; }
  void add_ints(std::int64_t value) { ints_.push_back(std::move(value)); }
  void clear_ints() noexcept { ints_.clear(); }

  [[nodiscard]] const Repeated<String>& strings() const noexcept { return strings_; }
  [[nodiscard]] Repeated<String>& ref_strings() noexcept { return strings_; }
  void add_strings(String value) { strings_.push_back(std::move(value)); }
  void clear_strings() noexcept { strings_.clear(); }

  [[nodiscard]] const RepeatedMessage<TensorProto>& tensors() const noexcept { return tensors_; }
  [[nodiscard]] RepeatedMessage<TensorProto>& ref_tensors() noexcept { return tensors_; }
  TensorProto& add_tensors();
  void clear_tensors() noexcept { tensors_.clear(); }

  [[nodiscard]] const RepeatedMessage<GraphProto>& graphs() const noexcept { return graphs_; }
  [[nodiscard]] RepeatedMessage<GraphProto>& ref_graphs() noexcept { return graphs_; }
  GraphProto& add_graphs();
  void clear_graphs() noexcept { graphs_.clear(); }

  [[nodiscard]] const RepeatedMessage<SparseTensorProto>& sparse_tensors() const noexcept {
    return sparse_tensors_;
  }
  [[nodiscard]] RepeatedMessage<SparseTensorProto>& ref_sparse_tensors() noexcept {
    return sparse_tensors_;
  }
  SparseTensorProto& add_sparse_tensors();
  void clear_sparse_tensors() noexcept { sparse_tensors_.clear(); }

  [[nodiscard]] const RepeatedMessage<TypeProto>& type_protos() const noexcept {
    return type_protos_;
  }
  [[nodiscard]] RepeatedMessage<TypeProto>& ref_type_protos() noexcept { return type_protos_; }
  TypeProto& add_type_protos();
  void clear_type_protos() noexcept { type_protos_.clear(); }

 private:
  static const FieldSchema kFields[18];
  String name_;
  String ref_attr_name_;
  String doc_string_;
  std::int64_t i_{};
  String s_;
  MessageRef<TensorProto> t_;
  MessageRef<GraphProto> g_;
  MessageRef<SparseTensorProto> sparse_tensor_;
  MessageRef<TypeProto> tp_;
  Repeated<float> floats_;
  Repeated<std::int64_t> ints_;
  Repeated<String> strings_;
  RepeatedMessage<TensorProto> tensors_;
  RepeatedMessage<GraphProto> graphs_;
  RepeatedMessage<SparseTensorProto> sparse_tensors_;
  RepeatedMessage<TypeProto> type_protos_;
  AttributeProto::AttributeType type_{};
  float f_{};
};

class ValueInfoProto final : public Message {
 public:
  static const MessageSchema kSchema;

  ValueInfoProto() noexcept : Message(kSchema) {}
  ValueInfoProto(const ValueInfoProto& other) : ValueInfoProto() { CopyFrom(other); }
  ValueInfoProto(ValueInfoProto&& other) noexcept : ValueInfoProto() { swap(other); }
  ValueInfoProto& operator=(const ValueInfoProto& other) {
    CopyFrom(other);
    return *this;
  }
  ValueInfoProto& operator=(ValueInfoProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ValueInfoProto() = default;
  void swap(ValueInfoProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const ValueInfoProto& a, const ValueInfoProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_type() const noexcept { return type_.has_value(); }
  [[nodiscard]] const TypeProto& type() const;
  [[nodiscard]] TypeProto& ref_type();
  void clear_type() noexcept { type_.reset(); }

  [[nodiscard]] bool has_doc_string() const noexcept { return doc_string_.has_value(); }
  [[nodiscard]] const String& doc_string() const noexcept { return doc_string_; }
  [[nodiscard]] String& ref_doc_string() noexcept { return doc_string_; }
  void set_doc_string(std::string_view text) { doc_string_.assign(text); }
  void clear_doc_string() noexcept { doc_string_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& metadata_props() const noexcept {
    return metadata_props_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_metadata_props() noexcept {
    return metadata_props_;
  }
  StringStringEntryProto& add_metadata_props();
  void clear_metadata_props() noexcept { metadata_props_.clear(); }

 private:
  static const FieldSchema kFields[4];
  String name_;
  MessageRef<TypeProto> type_;
  String doc_string_;
  RepeatedMessage<StringStringEntryProto> metadata_props_;
};

class NodeProto final : public Message {
 public:
  static const MessageSchema kSchema;

  NodeProto() noexcept : Message(kSchema) {}
  NodeProto(const NodeProto& other) : NodeProto() { CopyFrom(other); }
  NodeProto(NodeProto&& other) noexcept : NodeProto() { swap(other); }
  NodeProto& operator=(const NodeProto& other) {
    CopyFrom(other);
    return *this;
  }
  NodeProto& operator=(NodeProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~NodeProto() = default;
  void swap(NodeProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const NodeProto& a, const NodeProto& b) { return a.Equals(b); }

  [[nodiscard]] const Repeated<String>& input() const noexcept { return input_; }
  [[nodiscard]] Repeated<String>& ref_input() noexcept { return input_; }
  void add_input(String value) { input_.push_back(std::move(value)); }
  void clear_input() noexcept { input_.clear(); }

  [[nodiscard]] const Repeated<String>& output() const noexcept { return output_; }
  [[nodiscard]] Repeated<String>& ref_output() noexcept { return output_; }
  void add_output(String value) { output_.push_back(std::move(value)); }
  void clear_output() noexcept { output_.clear(); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_op_type() const noexcept { return op_type_.has_value(); }
  [[nodiscard]] const String& op_type() const noexcept { return op_type_; }
  [[nodiscard]] String& ref_op_type() noexcept { return op_type_; }
  void set_op_type(std::string_view text) { op_type_.assign(text); }
  void clear_op_type() noexcept { op_type_.clear(); }

  [[nodiscard]] bool has_domain() const noexcept { return domain_.has_value(); }
  [[nodiscard]] const String& domain() const noexcept { return domain_; }
  [[nodiscard]] String& ref_domain() noexcept { return domain_; }
  void set_domain(std::string_view text) { domain_.assign(text); }
  void clear_domain() noexcept { domain_.clear(); }

  [[nodiscard]] bool has_overload() const noexcept { return overload_.has_value(); }
  [[nodiscard]] const String& overload() const noexcept { return overload_; }
  [[nodiscard]] String& ref_overload() noexcept { return overload_; }
  void set_overload(std::string_view text) { overload_.assign(text); }
  void clear_overload() noexcept { overload_.clear(); }

  [[nodiscard]] const RepeatedMessage<AttributeProto>& attribute() const noexcept {
    return attribute_;
  }
  [[nodiscard]] RepeatedMessage<AttributeProto>& ref_attribute() noexcept { return attribute_; }
  AttributeProto& add_attribute();
  void clear_attribute() noexcept { attribute_.clear(); }

  [[nodiscard]] bool has_doc_string() const noexcept { return doc_string_.has_value(); }
  [[nodiscard]] const String& doc_string() const noexcept { return doc_string_; }
  [[nodiscard]] String& ref_doc_string() noexcept { return doc_string_; }
  void set_doc_string(std::string_view text) { doc_string_.assign(text); }
  void clear_doc_string() noexcept { doc_string_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& metadata_props() const noexcept {
    return metadata_props_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_metadata_props() noexcept {
    return metadata_props_;
  }
  StringStringEntryProto& add_metadata_props();
  void clear_metadata_props() noexcept { metadata_props_.clear(); }

  [[nodiscard]] const RepeatedMessage<NodeDeviceConfigurationProto>& device_configurations()
      const noexcept {
    return device_configurations_;
  }
  [[nodiscard]] RepeatedMessage<NodeDeviceConfigurationProto>&
  ref_device_configurations() noexcept {
    return device_configurations_;
  }
  NodeDeviceConfigurationProto& add_device_configurations();
  void clear_device_configurations() noexcept { device_configurations_.clear(); }

 private:
  static const FieldSchema kFields[10];
  Repeated<String> input_;
  Repeated<String> output_;
  String name_;
  String op_type_;
  String domain_;
  String overload_;
  RepeatedMessage<AttributeProto> attribute_;
  String doc_string_;
  RepeatedMessage<StringStringEntryProto> metadata_props_;
  RepeatedMessage<NodeDeviceConfigurationProto> device_configurations_;
};

class IntIntListEntryProto final : public Message {
 public:
  static const MessageSchema kSchema;

  IntIntListEntryProto() noexcept : Message(kSchema) {}
  IntIntListEntryProto(const IntIntListEntryProto& other) : IntIntListEntryProto() {
    CopyFrom(other);
  }
  IntIntListEntryProto(IntIntListEntryProto&& other) noexcept : IntIntListEntryProto() {
    swap(other);
  }
  IntIntListEntryProto& operator=(const IntIntListEntryProto& other) {
    CopyFrom(other);
    return *this;
  }
  IntIntListEntryProto& operator=(IntIntListEntryProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~IntIntListEntryProto() = default;
  void swap(IntIntListEntryProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const IntIntListEntryProto& a, const IntIntListEntryProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_key() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int64_t key() const noexcept { return key_; }
  void set_key(std::int64_t value) noexcept {
    set_has_bit(0);
    key_ = value;
  }
  void clear_key() noexcept {
    clear_has_bit(0);
    key_ = {};
  }

  [[nodiscard]] const Repeated<std::int64_t>& value() const noexcept { return value_; }
  [[nodiscard]] Repeated<std::int64_t>& ref_value() noexcept { return value_; }
  void add_value(std::int64_t value) { value_.push_back(std::move(value)); }
  void clear_value() noexcept { value_.clear(); }

 private:
  static const FieldSchema kFields[2];
  std::int64_t key_{};
  Repeated<std::int64_t> value_;
};

class NodeDeviceConfigurationProto final : public Message {
 public:
  static const MessageSchema kSchema;

  NodeDeviceConfigurationProto() noexcept : Message(kSchema) {}
  NodeDeviceConfigurationProto(const NodeDeviceConfigurationProto& other)
      : NodeDeviceConfigurationProto() {
    CopyFrom(other);
  }
  NodeDeviceConfigurationProto(NodeDeviceConfigurationProto&& other) noexcept
      : NodeDeviceConfigurationProto() {
    swap(other);
  }
  NodeDeviceConfigurationProto& operator=(const NodeDeviceConfigurationProto& other) {
    CopyFrom(other);
    return *this;
  }
  NodeDeviceConfigurationProto& operator=(NodeDeviceConfigurationProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~NodeDeviceConfigurationProto() = default;
  void swap(NodeDeviceConfigurationProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const NodeDeviceConfigurationProto& a,
                         const NodeDeviceConfigurationProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_configuration_id() const noexcept { return configuration_id_.has_value(); }
  [[nodiscard]] const String& configuration_id() const noexcept { return configuration_id_; }
  [[nodiscard]] String& ref_configuration_id() noexcept { return configuration_id_; }
  void set_configuration_id(std::string_view text) { configuration_id_.assign(text); }
  void clear_configuration_id() noexcept { configuration_id_.clear(); }

  [[nodiscard]] const RepeatedMessage<ShardingSpecProto>& sharding_spec() const noexcept {
    return sharding_spec_;
  }
  [[nodiscard]] RepeatedMessage<ShardingSpecProto>& ref_sharding_spec() noexcept {
    return sharding_spec_;
  }
  ShardingSpecProto& add_sharding_spec();
  void clear_sharding_spec() noexcept { sharding_spec_.clear(); }

  [[nodiscard]] bool has_pipeline_stage() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t pipeline_stage() const noexcept { return pipeline_stage_; }
  void set_pipeline_stage(std::int32_t value) noexcept {
    set_has_bit(0);
    pipeline_stage_ = value;
  }
  void clear_pipeline_stage() noexcept {
    clear_has_bit(0);
    pipeline_stage_ = {};
  }

 private:
  static const FieldSchema kFields[3];
  String configuration_id_;
  RepeatedMessage<ShardingSpecProto> sharding_spec_;
  std::int32_t pipeline_stage_{};
};

class ShardingSpecProto final : public Message {
 public:
  static const MessageSchema kSchema;

  ShardingSpecProto() noexcept : Message(kSchema) {}
  ShardingSpecProto(const ShardingSpecProto& other) : ShardingSpecProto() { CopyFrom(other); }
  ShardingSpecProto(ShardingSpecProto&& other) noexcept : ShardingSpecProto() { swap(other); }
  ShardingSpecProto& operator=(const ShardingSpecProto& other) {
    CopyFrom(other);
    return *this;
  }
  ShardingSpecProto& operator=(ShardingSpecProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ShardingSpecProto() = default;
  void swap(ShardingSpecProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const ShardingSpecProto& a, const ShardingSpecProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_tensor_name() const noexcept { return tensor_name_.has_value(); }
  [[nodiscard]] const String& tensor_name() const noexcept { return tensor_name_; }
  [[nodiscard]] String& ref_tensor_name() noexcept { return tensor_name_; }
  void set_tensor_name(std::string_view text) { tensor_name_.assign(text); }
  void clear_tensor_name() noexcept { tensor_name_.clear(); }

  [[nodiscard]] const Repeated<std::int64_t>& device() const noexcept { return device_; }
  [[nodiscard]] Repeated<std::int64_t>& ref_device() noexcept { return device_; }
  void add_device(std::int64_t value) { device_.push_back(std::move(value)); }
  void clear_device() noexcept { device_.clear(); }

  [[nodiscard]] const RepeatedMessage<IntIntListEntryProto>& index_to_device_group_map()
      const noexcept {
    return index_to_device_group_map_;
  }
  [[nodiscard]] RepeatedMessage<IntIntListEntryProto>& ref_index_to_device_group_map() noexcept {
    return index_to_device_group_map_;
  }
  IntIntListEntryProto& add_index_to_device_group_map();
  void clear_index_to_device_group_map() noexcept { index_to_device_group_map_.clear(); }

  [[nodiscard]] const RepeatedMessage<ShardedDimProto>& sharded_dim() const noexcept {
    return sharded_dim_;
  }
  [[nodiscard]] RepeatedMessage<ShardedDimProto>& ref_sharded_dim() noexcept {
    return sharded_dim_;
  }
  ShardedDimProto& add_sharded_dim();
  void clear_sharded_dim() noexcept { sharded_dim_.clear(); }

 private:
  static const FieldSchema kFields[4];
  String tensor_name_;
  Repeated<std::int64_t> device_;
  RepeatedMessage<IntIntListEntryProto> index_to_device_group_map_;
  RepeatedMessage<ShardedDimProto> sharded_dim_;
};

class ShardedDimProto final : public Message {
 public:
  static const MessageSchema kSchema;

  ShardedDimProto() noexcept : Message(kSchema) {}
  ShardedDimProto(const ShardedDimProto& other) : ShardedDimProto() { CopyFrom(other); }
  ShardedDimProto(ShardedDimProto&& other) noexcept : ShardedDimProto() { swap(other); }
  ShardedDimProto& operator=(const ShardedDimProto& other) {
    CopyFrom(other);
    return *this;
  }
  ShardedDimProto& operator=(ShardedDimProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ShardedDimProto() = default;
  void swap(ShardedDimProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const ShardedDimProto& a, const ShardedDimProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_axis() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int64_t axis() const noexcept { return axis_; }
  void set_axis(std::int64_t value) noexcept {
    set_has_bit(0);
    axis_ = value;
  }
  void clear_axis() noexcept {
    clear_has_bit(0);
    axis_ = {};
  }

  [[nodiscard]] const RepeatedMessage<SimpleShardedDimProto>& simple_sharding() const noexcept {
    return simple_sharding_;
  }
  [[nodiscard]] RepeatedMessage<SimpleShardedDimProto>& ref_simple_sharding() noexcept {
    return simple_sharding_;
  }
  SimpleShardedDimProto& add_simple_sharding();
  void clear_simple_sharding() noexcept { simple_sharding_.clear(); }

 private:
  static const FieldSchema kFields[2];
  std::int64_t axis_{};
  RepeatedMessage<SimpleShardedDimProto> simple_sharding_;
};

class SimpleShardedDimProto final : public Message {
 public:
  static const MessageSchema kSchema;

  SimpleShardedDimProto() noexcept : Message(kSchema) {}
  SimpleShardedDimProto(const SimpleShardedDimProto& other) : SimpleShardedDimProto() {
    CopyFrom(other);
  }
  SimpleShardedDimProto(SimpleShardedDimProto&& other) noexcept : SimpleShardedDimProto() {
    swap(other);
  }
  SimpleShardedDimProto& operator=(const SimpleShardedDimProto& other) {
    CopyFrom(other);
    return *this;
  }
  SimpleShardedDimProto& operator=(SimpleShardedDimProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SimpleShardedDimProto() = default;
  void swap(SimpleShardedDimProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const SimpleShardedDimProto& a, const SimpleShardedDimProto& b) {
    return a.Equals(b);
  }

  enum class DimCase : std::uint8_t { kNotSet, kDimValue, kDimParam };
  [[nodiscard]] DimCase dim_case() const noexcept {
    if (has_dim_value()) {
      return DimCase::kDimValue;
    }
    if (has_dim_param()) {
      return DimCase::kDimParam;
    }
    return DimCase::kNotSet;
  }

  [[nodiscard]] bool has_dim_value() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int64_t dim_value() const noexcept { return dim_value_; }
  void set_dim_value(std::int64_t value) noexcept {
    clear_other_members(kFields[0]);
    set_has_bit(0);
    dim_value_ = value;
  }
  void clear_dim_value() noexcept {
    clear_has_bit(0);
    dim_value_ = {};
  }

  [[nodiscard]] bool has_dim_param() const noexcept { return dim_param_.has_value(); }
  [[nodiscard]] const String& dim_param() const noexcept { return dim_param_; }
  [[nodiscard]] String& ref_dim_param() noexcept {
    clear_other_members(kFields[1]);
    return dim_param_;
  }
  void set_dim_param(std::string_view text) {
    clear_other_members(kFields[1]);
    dim_param_.assign(text);
  }
  void clear_dim_param() noexcept { dim_param_.clear(); }

  [[nodiscard]] bool has_num_shards() const noexcept { return has_bit(1); }
  [[nodiscard]] std::int64_t num_shards() const noexcept { return num_shards_; }
  void set_num_shards(std::int64_t value) noexcept {
    set_has_bit(1);
    num_shards_ = value;
  }
  void clear_num_shards() noexcept {
    clear_has_bit(1);
    num_shards_ = {};
  }

 private:
  static const FieldSchema kFields[3];
  std::int64_t dim_value_{};
  String dim_param_;
  std::int64_t num_shards_{};
};

class TrainingInfoProto final : public Message {
 public:
  static const MessageSchema kSchema;

  TrainingInfoProto() noexcept : Message(kSchema) {}
  TrainingInfoProto(const TrainingInfoProto& other) : TrainingInfoProto() { CopyFrom(other); }
  TrainingInfoProto(TrainingInfoProto&& other) noexcept : TrainingInfoProto() { swap(other); }
  TrainingInfoProto& operator=(const TrainingInfoProto& other) {
    CopyFrom(other);
    return *this;
  }
  TrainingInfoProto& operator=(TrainingInfoProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TrainingInfoProto() = default;
  void swap(TrainingInfoProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const TrainingInfoProto& a, const TrainingInfoProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_initialization() const noexcept { return initialization_.has_value(); }
  [[nodiscard]] const GraphProto& initialization() const;
  [[nodiscard]] GraphProto& ref_initialization();
  void clear_initialization() noexcept { initialization_.reset(); }

  [[nodiscard]] bool has_algorithm() const noexcept { return algorithm_.has_value(); }
  [[nodiscard]] const GraphProto& algorithm() const;
  [[nodiscard]] GraphProto& ref_algorithm();
  void clear_algorithm() noexcept { algorithm_.reset(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& initialization_binding()
      const noexcept {
    return initialization_binding_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_initialization_binding() noexcept {
    return initialization_binding_;
  }
  StringStringEntryProto& add_initialization_binding();
  void clear_initialization_binding() noexcept { initialization_binding_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& update_binding() const noexcept {
    return update_binding_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_update_binding() noexcept {
    return update_binding_;
  }
  StringStringEntryProto& add_update_binding();
  void clear_update_binding() noexcept { update_binding_.clear(); }

 private:
  static const FieldSchema kFields[4];
  MessageRef<GraphProto> initialization_;
  MessageRef<GraphProto> algorithm_;
  RepeatedMessage<StringStringEntryProto> initialization_binding_;
  RepeatedMessage<StringStringEntryProto> update_binding_;
};

class ModelProto final : public Message {
 public:
  static const MessageSchema kSchema;

  ModelProto() noexcept : Message(kSchema) {}
  ModelProto(const ModelProto& other) : ModelProto() { CopyFrom(other); }
  ModelProto(ModelProto&& other) noexcept : ModelProto() { swap(other); }
  ModelProto& operator=(const ModelProto& other) {
    CopyFrom(other);
    return *this;
  }
  ModelProto& operator=(ModelProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ModelProto() = default;
  void swap(ModelProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const ModelProto& a, const ModelProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_ir_version() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int64_t ir_version() const noexcept { return ir_version_; }
  void set_ir_version(std::int64_t value) noexcept {
    set_has_bit(0);
    ir_version_ = value;
  }
  void clear_ir_version() noexcept {
    clear_has_bit(0);
    ir_version_ = {};
  }

  [[nodiscard]] const RepeatedMessage<OperatorSetIdProto>& opset_import() const noexcept {
    return opset_import_;
  }
  [[nodiscard]] RepeatedMessage<OperatorSetIdProto>& ref_opset_import() noexcept {
    return opset_import_;
  }
  OperatorSetIdProto& add_opset_import();
  void clear_opset_import() noexcept { opset_import_.clear(); }

  [[nodiscard]] bool has_producer_name() const noexcept { return producer_name_.has_value(); }
  [[nodiscard]] const String& producer_name() const noexcept { return producer_name_; }
  [[nodiscard]] String& ref_producer_name() noexcept { return producer_name_; }
  void set_producer_name(std::string_view text) { producer_name_.assign(text); }
  void clear_producer_name() noexcept { producer_name_.clear(); }

  [[nodiscard]] bool has_producer_version() const noexcept { return producer_version_.has_value(); }
  [[nodiscard]] const String& producer_version() const noexcept { return producer_version_; }
  [[nodiscard]] String& ref_producer_version() noexcept { return producer_version_; }
  void set_producer_version(std::string_view text) { producer_version_.assign(text); }
  void clear_producer_version() noexcept { producer_version_.clear(); }

  [[nodiscard]] bool has_domain() const noexcept { return domain_.has_value(); }
  [[nodiscard]] const String& domain() const noexcept { return domain_; }
  [[nodiscard]] String& ref_domain() noexcept { return domain_; }
  void set_domain(std::string_view text) { domain_.assign(text); }
  void clear_domain() noexcept { domain_.clear(); }

  [[nodiscard]] bool has_model_version() const noexcept { return has_bit(1); }
  [[nodiscard]] std::int64_t model_version() const noexcept { return model_version_; }
  void set_model_version(std::int64_t value) noexcept {
    set_has_bit(1);
    model_version_ = value;
  }
  void clear_model_version() noexcept {
    clear_has_bit(1);
    model_version_ = {};
  }

  [[nodiscard]] bool has_doc_string() const noexcept { return doc_string_.has_value(); }
  [[nodiscard]] const String& doc_string() const noexcept { return doc_string_; }
  [[nodiscard]] String& ref_doc_string() noexcept { return doc_string_; }
  void set_doc_string(std::string_view text) { doc_string_.assign(text); }
  void clear_doc_string() noexcept { doc_string_.clear(); }

  [[nodiscard]] bool has_graph() const noexcept { return graph_.has_value(); }
  [[nodiscard]] const GraphProto& graph() const;
  [[nodiscard]] GraphProto& ref_graph();
  void clear_graph() noexcept { graph_.reset(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& metadata_props() const noexcept {
    return metadata_props_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_metadata_props() noexcept {
    return metadata_props_;
  }
  StringStringEntryProto& add_metadata_props();
  void clear_metadata_props() noexcept { metadata_props_.clear(); }

  [[nodiscard]] const RepeatedMessage<TrainingInfoProto>& training_info() const noexcept {
    return training_info_;
  }
  [[nodiscard]] RepeatedMessage<TrainingInfoProto>& ref_training_info() noexcept {
    return training_info_;
  }
  TrainingInfoProto& add_training_info();
  void clear_training_info() noexcept { training_info_.clear(); }

  [[nodiscard]] const RepeatedMessage<FunctionProto>& functions() const noexcept {
    return functions_;
  }
  [[nodiscard]] RepeatedMessage<FunctionProto>& ref_functions() noexcept { return functions_; }
  FunctionProto& add_functions();
  void clear_functions() noexcept { functions_.clear(); }

  [[nodiscard]] const RepeatedMessage<DeviceConfigurationProto>& configuration() const noexcept {
    return configuration_;
  }
  [[nodiscard]] RepeatedMessage<DeviceConfigurationProto>& ref_configuration() noexcept {
    return configuration_;
  }
  DeviceConfigurationProto& add_configuration();
  void clear_configuration() noexcept { configuration_.clear(); }

 private:
  static const FieldSchema kFields[12];
  std::int64_t ir_version_{};
  RepeatedMessage<OperatorSetIdProto> opset_import_;
  String producer_name_;
  String producer_version_;
  String domain_;
  std::int64_t model_version_{};
  String doc_string_;
  MessageRef<GraphProto> graph_;
  RepeatedMessage<StringStringEntryProto> metadata_props_;
  RepeatedMessage<TrainingInfoProto> training_info_;
  RepeatedMessage<FunctionProto> functions_;
  RepeatedMessage<DeviceConfigurationProto> configuration_;
};

class DeviceConfigurationProto final : public Message {
 public:
  static const MessageSchema kSchema;

  DeviceConfigurationProto() noexcept : Message(kSchema) {}
  DeviceConfigurationProto(const DeviceConfigurationProto& other) : DeviceConfigurationProto() {
    CopyFrom(other);
  }
  DeviceConfigurationProto(DeviceConfigurationProto&& other) noexcept : DeviceConfigurationProto() {
    swap(other);
  }
  DeviceConfigurationProto& operator=(const DeviceConfigurationProto& other) {
    CopyFrom(other);
    return *this;
  }
  DeviceConfigurationProto& operator=(DeviceConfigurationProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceConfigurationProto() = default;
  void swap(DeviceConfigurationProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const DeviceConfigurationProto& a, const DeviceConfigurationProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_num_devices() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t num_devices() const noexcept { return num_devices_; }
  void set_num_devices(std::int32_t value) noexcept {
    set_has_bit(0);
    num_devices_ = value;
  }
  void clear_num_devices() noexcept {
    clear_has_bit(0);
    num_devices_ = {};
  }

  [[nodiscard]] const Repeated<String>& device() const noexcept { return device_; }
  [[nodiscard]] Repeated<String>& ref_device() noexcept { return device_; }
  void add_device(String value) { device_.push_back(std::move(value)); }
  void clear_device() noexcept { device_.clear(); }

 private:
  static const FieldSchema kFields[3];
  String name_;
  Repeated<String> device_;
  std::int32_t num_devices_{};
};

class StringStringEntryProto final : public Message {
 public:
  static const MessageSchema kSchema;

  StringStringEntryProto() noexcept : Message(kSchema) {}
  StringStringEntryProto(const StringStringEntryProto& other) : StringStringEntryProto() {
    CopyFrom(other);
  }
  StringStringEntryProto(StringStringEntryProto&& other) noexcept : StringStringEntryProto() {
    swap(other);
  }
  StringStringEntryProto& operator=(const StringStringEntryProto& other) {
    CopyFrom(other);
    return *this;
  }
  StringStringEntryProto& operator=(StringStringEntryProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~StringStringEntryProto() = default;
  void swap(StringStringEntryProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const StringStringEntryProto& a, const StringStringEntryProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_key() const noexcept { return key_.has_value(); }
  [[nodiscard]] const String& key() const noexcept { return key_; }
  [[nodiscard]] String& ref_key() noexcept { return key_; }
  void set_key(std::string_view text) { key_.assign(text); }
  void clear_key() noexcept { key_.clear(); }

  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  [[nodiscard]] const String& value() const noexcept { return value_; }
  [[nodiscard]] String& ref_value() noexcept { return value_; }
  void set_value(std::string_view text) { value_.assign(text); }
  void clear_value() noexcept { value_.clear(); }

 private:
  static const FieldSchema kFields[2];
  String key_;
  String value_;
};

class TensorAnnotation final : public Message {
 public:
  static const MessageSchema kSchema;

  TensorAnnotation() noexcept : Message(kSchema) {}
  TensorAnnotation(const TensorAnnotation& other) : TensorAnnotation() { CopyFrom(other); }
  TensorAnnotation(TensorAnnotation&& other) noexcept : TensorAnnotation() { swap(other); }
  TensorAnnotation& operator=(const TensorAnnotation& other) {
    CopyFrom(other);
    return *this;
  }
  TensorAnnotation& operator=(TensorAnnotation&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TensorAnnotation() = default;
  void swap(TensorAnnotation& other) noexcept { Message::swap(other); }
  friend bool operator==(const TensorAnnotation& a, const TensorAnnotation& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_tensor_name() const noexcept { return tensor_name_.has_value(); }
  [[nodiscard]] const String& tensor_name() const noexcept { return tensor_name_; }
  [[nodiscard]] String& ref_tensor_name() noexcept { return tensor_name_; }
  void set_tensor_name(std::string_view text) { tensor_name_.assign(text); }
  void clear_tensor_name() noexcept { tensor_name_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& quant_parameter_tensor_names()
      const noexcept {
    return quant_parameter_tensor_names_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>&
  ref_quant_parameter_tensor_names() noexcept {
    return quant_parameter_tensor_names_;
  }
  StringStringEntryProto& add_quant_parameter_tensor_names();
  void clear_quant_parameter_tensor_names() noexcept { quant_parameter_tensor_names_.clear(); }

 private:
  static const FieldSchema kFields[2];
  String tensor_name_;
  RepeatedMessage<StringStringEntryProto> quant_parameter_tensor_names_;
};

class GraphProto final : public Message {
 public:
  static const MessageSchema kSchema;

  GraphProto() noexcept : Message(kSchema) {}
  GraphProto(const GraphProto& other) : GraphProto() { CopyFrom(other); }
  GraphProto(GraphProto&& other) noexcept : GraphProto() { swap(other); }
  GraphProto& operator=(const GraphProto& other) {
    CopyFrom(other);
    return *this;
  }
  GraphProto& operator=(GraphProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GraphProto() = default;
  void swap(GraphProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const GraphProto& a, const GraphProto& b) { return a.Equals(b); }

  [[nodiscard]] const RepeatedMessage<NodeProto>& node() const noexcept { return node_; }
  [[nodiscard]] RepeatedMessage<NodeProto>& ref_node() noexcept { return node_; }
  NodeProto& add_node();
  void clear_node() noexcept { node_.clear(); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] const RepeatedMessage<TensorProto>& initializer() const noexcept {
    return initializer_;
  }
  [[nodiscard]] RepeatedMessage<TensorProto>& ref_initializer() noexcept { return initializer_; }
  TensorProto& add_initializer();
  void clear_initializer() noexcept { initializer_.clear(); }

  [[nodiscard]] const RepeatedMessage<SparseTensorProto>& sparse_initializer() const noexcept {
    return sparse_initializer_;
  }
  [[nodiscard]] RepeatedMessage<SparseTensorProto>& ref_sparse_initializer() noexcept {
    return sparse_initializer_;
  }
  SparseTensorProto& add_sparse_initializer();
  void clear_sparse_initializer() noexcept { sparse_initializer_.clear(); }

  [[nodiscard]] bool has_doc_string() const noexcept { return doc_string_.has_value(); }
  [[nodiscard]] const String& doc_string() const noexcept { return doc_string_; }
  [[nodiscard]] String& ref_doc_string() noexcept { return doc_string_; }
  void set_doc_string(std::string_view text) { doc_string_.assign(text); }
  void clear_doc_string() noexcept { doc_string_.clear(); }

  [[nodiscard]] const RepeatedMessage<ValueInfoProto>& input() const noexcept { return input_; }
  [[nodiscard]] RepeatedMessage<ValueInfoProto>& ref_input() noexcept { return input_; }
  ValueInfoProto& add_input();
  void clear_input() noexcept { input_.clear(); }

  [[nodiscard]] const RepeatedMessage<ValueInfoProto>& output() const noexcept { return output_; }
  [[nodiscard]] RepeatedMessage<ValueInfoProto>& ref_output() noexcept { return output_; }
  ValueInfoProto& add_output();
  void clear_output() noexcept { output_.clear(); }

  [[nodiscard]] const RepeatedMessage<ValueInfoProto>& value_info() const noexcept {
    return value_info_;
  }
  [[nodiscard]] RepeatedMessage<ValueInfoProto>& ref_value_info() noexcept { return value_info_; }
  ValueInfoProto& add_value_info();
  void clear_value_info() noexcept { value_info_.clear(); }

  [[nodiscard]] const RepeatedMessage<TensorAnnotation>& quantization_annotation() const noexcept {
    return quantization_annotation_;
  }
  [[nodiscard]] RepeatedMessage<TensorAnnotation>& ref_quantization_annotation() noexcept {
    return quantization_annotation_;
  }
  TensorAnnotation& add_quantization_annotation();
  void clear_quantization_annotation() noexcept { quantization_annotation_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& metadata_props() const noexcept {
    return metadata_props_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_metadata_props() noexcept {
    return metadata_props_;
  }
  StringStringEntryProto& add_metadata_props();
  void clear_metadata_props() noexcept { metadata_props_.clear(); }

 private:
  static const FieldSchema kFields[10];
  RepeatedMessage<NodeProto> node_;
  String name_;
  RepeatedMessage<TensorProto> initializer_;
  RepeatedMessage<SparseTensorProto> sparse_initializer_;
  String doc_string_;
  RepeatedMessage<ValueInfoProto> input_;
  RepeatedMessage<ValueInfoProto> output_;
  RepeatedMessage<ValueInfoProto> value_info_;
  RepeatedMessage<TensorAnnotation> quantization_annotation_;
  RepeatedMessage<StringStringEntryProto> metadata_props_;
};

class TensorProto final : public Message {
 public:
  enum DataType : std::int32_t {
    UNDEFINED = 0,
    FLOAT = 1,
    UINT8 = 2,
    INT8 = 3,
    UINT16 = 4,
    INT16 = 5,
    INT32 = 6,
    INT64 = 7,
    STRING = 8,
    BOOL = 9,
    FLOAT16 = 10,
    DOUBLE = 11,
    UINT32 = 12,
    UINT64 = 13,
    COMPLEX64 = 14,
    COMPLEX128 = 15,
    BFLOAT16 = 16,
    FLOAT8E4M3FN = 17,
    FLOAT8E4M3FNUZ = 18,
    FLOAT8E5M2 = 19,
    FLOAT8E5M2FNUZ = 20,
    UINT4 = 21,
    INT4 = 22,
    FLOAT4E2M1 = 23,
    FLOAT8E8M0 = 24,
    UINT2 = 25,
    INT2 = 26,
    FLOAT6E2M3 = 27,
    FLOAT6E3M2 = 28,
  };
  enum DataLocation : std::int32_t {
    DEFAULT = 0,
    EXTERNAL = 1,
  };
  class Segment;
  static const MessageSchema kSchema;

  TensorProto() noexcept : Message(kSchema) {}
  TensorProto(const TensorProto& other) : TensorProto() { CopyFrom(other); }
  TensorProto(TensorProto&& other) noexcept : TensorProto() { swap(other); }
  TensorProto& operator=(const TensorProto& other) {
    CopyFrom(other);
    return *this;
  }
  TensorProto& operator=(TensorProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TensorProto() = default;
  void swap(TensorProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const TensorProto& a, const TensorProto& b) { return a.Equals(b); }

  [[nodiscard]] const Repeated<std::int64_t>& dims() const noexcept { return dims_; }
  [[nodiscard]] Repeated<std::int64_t>& ref_dims() noexcept { return dims_; }
  void add_dims(std::int64_t value) { dims_.push_back(std::move(value)); }
  void clear_dims() noexcept { dims_.clear(); }

  [[nodiscard]] bool has_data_type() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t data_type() const noexcept { return data_type_; }
  void set_data_type(std::int32_t value) noexcept {
    set_has_bit(0);
    data_type_ = value;
  }
  void clear_data_type() noexcept {
    clear_has_bit(0);
    data_type_ = {};
  }

  [[nodiscard]] bool has_segment() const noexcept { return segment_.has_value(); }
  [[nodiscard]] const TensorProto::Segment& segment() const;
  [[nodiscard]] TensorProto::Segment& ref_segment();
  void clear_segment() noexcept { segment_.reset(); }

  [[nodiscard]] const Repeated<float>& float_data() const noexcept { return float_data_; }
  [[nodiscard]] Repeated<float>& ref_float_data() noexcept { return float_data_; }
  void add_float_data(float value) { float_data_.push_back(std::move(value)); }
  void clear_float_data() noexcept { float_data_.clear(); }

  [[nodiscard]] const Repeated<std::int32_t>& int32_data() const noexcept { return int32_data_; }
  [[nodiscard]] Repeated<std::int32_t>& ref_int32_data() noexcept { return int32_data_; }
  void add_int32_data(std::int32_t value) { int32_data_.push_back(std::move(value)); }
  void clear_int32_data() noexcept { int32_data_.clear(); }

  [[nodiscard]] const Repeated<String>& string_data() const noexcept { return string_data_; }
  [[nodiscard]] Repeated<String>& ref_string_data() noexcept { return string_data_; }
  void add_string_data(String value) { string_data_.push_back(std::move(value)); }
  void clear_string_data() noexcept { string_data_.clear(); }

  [[nodiscard]] const Repeated<std::int64_t>& int64_data() const noexcept { return int64_data_; }
  [[nodiscard]] Repeated<std::int64_t>& ref_int64_data() noexcept { return int64_data_; }
  void add_int64_data(std::int64_t value) { int64_data_.push_back(std::move(value)); }
  void clear_int64_data() noexcept { int64_data_.clear(); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_doc_string() const noexcept { return doc_string_.has_value(); }
  [[nodiscard]] const String& doc_string() const noexcept { return doc_string_; }
  [[nodiscard]] String& ref_doc_string() noexcept { return doc_string_; }
  void set_doc_string(std::string_view text) { doc_string_.assign(text); }
  void clear_doc_string() noexcept { doc_string_.clear(); }

  [[nodiscard]] bool has_raw_data() const noexcept { return raw_data_.has_value(); }
  [[nodiscard]] const ByteSpan& raw_data() const noexcept { return raw_data_; }
  [[nodiscard]] ByteSpan& ref_raw_data() noexcept { return raw_data_; }
  void set_raw_data(std::string_view bytes) { raw_data_.assign(bytes.data(), bytes.size()); }
  template <typename Deleter>
  void set_raw_data_with_deleter(const void* data, std::size_t size, Deleter&& deleter) {
    raw_data_.assign_with_deleter(data, size, std::forward<Deleter>(deleter));
  }
  template <typename Deleter>
  void attach_raw_data_deleter(Deleter&& deleter) {
    raw_data_.attach_deleter(std::forward<Deleter>(deleter));
  }
  void clear_raw_data() noexcept { raw_data_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& external_data() const noexcept {
    return external_data_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_external_data() noexcept {
    return external_data_;
  }
  StringStringEntryProto& add_external_data();
  void clear_external_data() noexcept { external_data_.clear(); }

  [[nodiscard]] bool has_data_location() const noexcept { return has_bit(1); }
  [[nodiscard]] TensorProto::DataLocation data_location() const noexcept { return data_location_; }
  void set_data_location(TensorProto::DataLocation value) noexcept {
    set_has_bit(1);
    data_location_ = value;
  }
  void clear_data_location() noexcept {
    clear_has_bit(1);
    data_location_ = {};
  }

  [[nodiscard]] const Repeated<double>& double_data() const noexcept { return double_data_; }
  [[nodiscard]] Repeated<double>& ref_double_data() noexcept { return double_data_; }
  void add_double_data(double value) { double_data_.push_back(std::move(value)); }
  void clear_double_data() noexcept { double_data_.clear(); }

  [[nodiscard]] const Repeated<std::uint64_t>& uint64_data() const noexcept { return uint64_data_; }
  [[nodiscard]] Repeated<std::uint64_t>& ref_uint64_data() noexcept { return uint64_data_; }
  void add_uint64_data(std::uint64_t value) { uint64_data_.push_back(std::move(value)); }
  void clear_uint64_data() noexcept { uint64_data_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& metadata_props() const noexcept {
    return metadata_props_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_metadata_props() noexcept {
    return metadata_props_;
  }
  StringStringEntryProto& add_metadata_props();
  void clear_metadata_props() noexcept { metadata_props_.clear(); }

 private:
  static const FieldSchema kFields[15];
  Repeated<std::int64_t> dims_;
  MessageRef<TensorProto::Segment> segment_;
  Repeated<float> float_data_;
  Repeated<std::int32_t> int32_data_;
  Repeated<String> string_data_;
  Repeated<std::int64_t> int64_data_;
  String name_;
  String doc_string_;
  ByteSpan raw_data_;
  RepeatedMessage<StringStringEntryProto> external_data_;
  Repeated<double> double_data_;
  Repeated<std::uint64_t> uint64_data_;
  RepeatedMessage<StringStringEntryProto> metadata_props_;
  std::int32_t data_type_{};
  TensorProto::DataLocation data_location_{};
};

class TensorProto::Segment final : public Message {
 public:
  static const MessageSchema kSchema;

  Segment() noexcept : Message(kSchema) {}
  Segment(const Segment& other) : Segment() { CopyFrom(other); }
  Segment(Segment&& other) noexcept : Segment() { swap(other); }
  Segment& operator=(const Segment& other) {
    CopyFrom(other);
    return *this;
  }
  Segment& operator=(Segment&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Segment() = default;
  void swap(Segment& other) noexcept { Message::swap(other); }
  friend bool operator==(const Segment& a, const Segment& b) { return a.Equals(b); }

  [[nodiscard]] bool has_begin() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int64_t begin() const noexcept { return begin_; }
  void set_begin(std::int64_t value) noexcept {
    set_has_bit(0);
    begin_ = value;
  }
  void clear_begin() noexcept {
    clear_has_bit(0);
    begin_ = {};
  }

  [[nodiscard]] bool has_end() const noexcept { return has_bit(1); }
  [[nodiscard]] std::int64_t end() const noexcept { return end_; }
  void set_end(std::int64_t value) noexcept {
    set_has_bit(1);
    end_ = value;
  }
  void clear_end() noexcept {
    clear_has_bit(1);
    end_ = {};
  }

 private:
  static const FieldSchema kFields[2];
  std::int64_t begin_{};
  std::int64_t end_{};
};

class SparseTensorProto final : public Message {
 public:
  static const MessageSchema kSchema;

  SparseTensorProto() noexcept : Message(kSchema) {}
  SparseTensorProto(const SparseTensorProto& other) : SparseTensorProto() { CopyFrom(other); }
  SparseTensorProto(SparseTensorProto&& other) noexcept : SparseTensorProto() { swap(other); }
  SparseTensorProto& operator=(const SparseTensorProto& other) {
    CopyFrom(other);
    return *this;
  }
  SparseTensorProto& operator=(SparseTensorProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SparseTensorProto() = default;
  void swap(SparseTensorProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const SparseTensorProto& a, const SparseTensorProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_values() const noexcept { return values_.has_value(); }
  [[nodiscard]] const TensorProto& values() const;
  [[nodiscard]] TensorProto& ref_values();
  void clear_values() noexcept { values_.reset(); }

  [[nodiscard]] bool has_indices() const noexcept { return indices_.has_value(); }
  [[nodiscard]] const TensorProto& indices() const;
  [[nodiscard]] TensorProto& ref_indices();
  void clear_indices() noexcept { indices_.reset(); }

  [[nodiscard]] const Repeated<std::int64_t>& dims() const noexcept { return dims_; }
  [[nodiscard]] Repeated<std::int64_t>& ref_dims() noexcept { return dims_; }
  void add_dims(std::int64_t value) { dims_.push_back(std::move(value)); }
  void clear_dims() noexcept { dims_.clear(); }

 private:
  static const FieldSchema kFields[3];
  MessageRef<TensorProto> values_;
  MessageRef<TensorProto> indices_;
  Repeated<std::int64_t> dims_;
};

class TensorShapeProto final : public Message {
 public:
  class Dimension;
  static const MessageSchema kSchema;

  TensorShapeProto() noexcept : Message(kSchema) {}
  TensorShapeProto(const TensorShapeProto& other) : TensorShapeProto() { CopyFrom(other); }
  TensorShapeProto(TensorShapeProto&& other) noexcept : TensorShapeProto() { swap(other); }
  TensorShapeProto& operator=(const TensorShapeProto& other) {
    CopyFrom(other);
    return *this;
  }
  TensorShapeProto& operator=(TensorShapeProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TensorShapeProto() = default;
  void swap(TensorShapeProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const TensorShapeProto& a, const TensorShapeProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] const RepeatedMessage<TensorShapeProto::Dimension>& dim() const noexcept {
    return dim_;
  }
  [[nodiscard]] RepeatedMessage<TensorShapeProto::Dimension>& ref_dim() noexcept { return dim_; }
  TensorShapeProto::Dimension& add_dim();
  void clear_dim() noexcept { dim_.clear(); }

 private:
  static const FieldSchema kFields[1];
  RepeatedMessage<TensorShapeProto::Dimension> dim_;
};

class TensorShapeProto::Dimension final : public Message {
 public:
  static const MessageSchema kSchema;

  Dimension() noexcept : Message(kSchema) {}
  Dimension(const Dimension& other) : Dimension() { CopyFrom(other); }
  Dimension(Dimension&& other) noexcept : Dimension() { swap(other); }
  Dimension& operator=(const Dimension& other) {
    CopyFrom(other);
    return *this;
  }
  Dimension& operator=(Dimension&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Dimension() = default;
  void swap(Dimension& other) noexcept { Message::swap(other); }
  friend bool operator==(const Dimension& a, const Dimension& b) { return a.Equals(b); }

  enum class ValueCase : std::uint8_t { kNotSet, kDimValue, kDimParam };
  [[nodiscard]] ValueCase value_case() const noexcept {
    if (has_dim_value()) {
      return ValueCase::kDimValue;
    }
    if (has_dim_param()) {
      return ValueCase::kDimParam;
    }
    return ValueCase::kNotSet;
  }

  [[nodiscard]] bool has_dim_value() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int64_t dim_value() const noexcept { return dim_value_; }
  void set_dim_value(std::int64_t value) noexcept {
    clear_other_members(kFields[0]);
    set_has_bit(0);
    dim_value_ = value;
  }
  void clear_dim_value() noexcept {
    clear_has_bit(0);
    dim_value_ = {};
  }

  [[nodiscard]] bool has_dim_param() const noexcept { return dim_param_.has_value(); }
  [[nodiscard]] const String& dim_param() const noexcept { return dim_param_; }
  [[nodiscard]] String& ref_dim_param() noexcept {
    clear_other_members(kFields[1]);
    return dim_param_;
  }
  void set_dim_param(std::string_view text) {
    clear_other_members(kFields[1]);
    dim_param_.assign(text);
  }
  void clear_dim_param() noexcept { dim_param_.clear(); }

  [[nodiscard]] bool has_denotation() const noexcept { return denotation_.has_value(); }
  [[nodiscard]] const String& denotation() const noexcept { return denotation_; }
  [[nodiscard]] String& ref_denotation() noexcept { return denotation_; }
  void set_denotation(std::string_view text) { denotation_.assign(text); }
  void clear_denotation() noexcept { denotation_.clear(); }

 private:
  static const FieldSchema kFields[3];
  std::int64_t dim_value_{};
  String dim_param_;
  String denotation_;
};

class TypeProto final : public Message {
 public:
  class Tensor;
  class Sequence;
  class Map;
  class Optional;
  class SparseTensor;
  class Opaque;
  static const MessageSchema kSchema;

  TypeProto() noexcept : Message(kSchema) {}
  TypeProto(const TypeProto& other) : TypeProto() { CopyFrom(other); }
  TypeProto(TypeProto&& other) noexcept : TypeProto() { swap(other); }
  TypeProto& operator=(const TypeProto& other) {
    CopyFrom(other);
    return *this;
  }
  TypeProto& operator=(TypeProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TypeProto() = default;
  void swap(TypeProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const TypeProto& a, const TypeProto& b) { return a.Equals(b); }

  enum class ValueCase : std::uint8_t {
    kNotSet,
    kTensorType,
    kSequenceType,
    kMapType,
    kOptionalType,
    kSparseTensorType,
    kOpaqueType
  };
  [[nodiscard]] ValueCase value_case() const noexcept {
    if (has_tensor_type()) {
      return ValueCase::kTensorType;
    }
    if (has_sequence_type()) {
      return ValueCase::kSequenceType;
    }
    if (has_map_type()) {
      return ValueCase::kMapType;
    }
    if (has_optional_type()) {
      return ValueCase::kOptionalType;
    }
    if (has_sparse_tensor_type()) {
      return ValueCase::kSparseTensorType;
    }
    if (has_opaque_type()) {
      return ValueCase::kOpaqueType;
    }
    return ValueCase::kNotSet;
  }

  [[nodiscard]] bool has_tensor_type() const noexcept { return tensor_type_.has_value(); }
  [[nodiscard]] const TypeProto::Tensor& tensor_type() const;
  [[nodiscard]] TypeProto::Tensor& ref_tensor_type();
  void clear_tensor_type() noexcept { tensor_type_.reset(); }

  [[nodiscard]] bool has_sequence_type() const noexcept { return sequence_type_.has_value(); }
  [[nodiscard]] const TypeProto::Sequence& sequence_type() const;
  [[nodiscard]] TypeProto::Sequence& ref_sequence_type();
  void clear_sequence_type() noexcept { sequence_type_.reset(); }

  [[nodiscard]] bool has_map_type() const noexcept { return map_type_.has_value(); }
  [[nodiscard]] const TypeProto::Map& map_type() const;
  [[nodiscard]] TypeProto::Map& ref_map_type();
  void clear_map_type() noexcept { map_type_.reset(); }

  [[nodiscard]] bool has_optional_type() const noexcept { return optional_type_.has_value(); }
  [[nodiscard]] const TypeProto::Optional& optional_type() const;
  [[nodiscard]] TypeProto::Optional& ref_optional_type();
  void clear_optional_type() noexcept { optional_type_.reset(); }

  [[nodiscard]] bool has_sparse_tensor_type() const noexcept {
    return sparse_tensor_type_.has_value();
  }
  [[nodiscard]] const TypeProto::SparseTensor& sparse_tensor_type() const;
  [[nodiscard]] TypeProto::SparseTensor& ref_sparse_tensor_type();
  void clear_sparse_tensor_type() noexcept { sparse_tensor_type_.reset(); }

  [[nodiscard]] bool has_opaque_type() const noexcept { return opaque_type_.has_value(); }
  [[nodiscard]] const TypeProto::Opaque& opaque_type() const;
  [[nodiscard]] TypeProto::Opaque& ref_opaque_type();
  void clear_opaque_type() noexcept { opaque_type_.reset(); }

  [[nodiscard]] bool has_denotation() const noexcept { return denotation_.has_value(); }
  [[nodiscard]] const String& denotation() const noexcept { return denotation_; }
  [[nodiscard]] String& ref_denotation() noexcept { return denotation_; }
  void set_denotation(std::string_view text) { denotation_.assign(text); }
  void clear_denotation() noexcept { denotation_.clear(); }

 private:
  static const FieldSchema kFields[7];
  MessageRef<TypeProto::Tensor> tensor_type_;
  MessageRef<TypeProto::Sequence> sequence_type_;
  MessageRef<TypeProto::Map> map_type_;
  MessageRef<TypeProto::Optional> optional_type_;
  MessageRef<TypeProto::SparseTensor> sparse_tensor_type_;
  MessageRef<TypeProto::Opaque> opaque_type_;
  String denotation_;
};

class TypeProto::Tensor final : public Message {
 public:
  static const MessageSchema kSchema;

  Tensor() noexcept : Message(kSchema) {}
  Tensor(const Tensor& other) : Tensor() { CopyFrom(other); }
  Tensor(Tensor&& other) noexcept : Tensor() { swap(other); }
  Tensor& operator=(const Tensor& other) {
    CopyFrom(other);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Tensor() = default;
  void swap(Tensor& other) noexcept { Message::swap(other); }
  friend bool operator==(const Tensor& a, const Tensor& b) { return a.Equals(b); }

  [[nodiscard]] bool has_elem_type() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t elem_type() const noexcept { return elem_type_; }
  void set_elem_type(std::int32_t value) noexcept {
    set_has_bit(0);
    elem_type_ = value;
  }
  void clear_elem_type() noexcept {
    clear_has_bit(0);
    elem_type_ = {};
  }

  [[nodiscard]] bool has_shape() const noexcept { return shape_.has_value(); }
  [[nodiscard]] const TensorShapeProto& shape() const;
  [[nodiscard]] TensorShapeProto& ref_shape();
  void clear_shape() noexcept { shape_.reset(); }

 private:
  static const FieldSchema kFields[2];
  MessageRef<TensorShapeProto> shape_;
  std::int32_t elem_type_{};
};

class TypeProto::Sequence final : public Message {
 public:
  static const MessageSchema kSchema;

  Sequence() noexcept : Message(kSchema) {}
  Sequence(const Sequence& other) : Sequence() { CopyFrom(other); }
  Sequence(Sequence&& other) noexcept : Sequence() { swap(other); }
  Sequence& operator=(const Sequence& other) {
    CopyFrom(other);
    return *this;
  }
  Sequence& operator=(Sequence&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Sequence() = default;
  void swap(Sequence& other) noexcept { Message::swap(other); }
  friend bool operator==(const Sequence& a, const Sequence& b) { return a.Equals(b); }

  [[nodiscard]] bool has_elem_type() const noexcept { return elem_type_.has_value(); }
  [[nodiscard]] const TypeProto& elem_type() const;
  [[nodiscard]] TypeProto& ref_elem_type();
  void clear_elem_type() noexcept { elem_type_.reset(); }

 private:
  static const FieldSchema kFields[1];
  MessageRef<TypeProto> elem_type_;
};

class TypeProto::Map final : public Message {
 public:
  static const MessageSchema kSchema;

  Map() noexcept : Message(kSchema) {}
  Map(const Map& other) : Map() { CopyFrom(other); }
  Map(Map&& other) noexcept : Map() { swap(other); }
  Map& operator=(const Map& other) {
    CopyFrom(other);
    return *this;
  }
  Map& operator=(Map&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Map() = default;
  void swap(Map& other) noexcept { Message::swap(other); }
  friend bool operator==(const Map& a, const Map& b) { return a.Equals(b); }

  [[nodiscard]] bool has_key_type() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t key_type() const noexcept { return key_type_; }
  void set_key_type(std::int32_t value) noexcept {
    set_has_bit(0);
    key_type_ = value;
  }
  void clear_key_type() noexcept {
    clear_has_bit(0);
    key_type_ = {};
  }

  [[nodiscard]] bool has_value_type() const noexcept { return value_type_.has_value(); }
  [[nodiscard]] const TypeProto& value_type() const;
  [[nodiscard]] TypeProto& ref_value_type();
  void clear_value_type() noexcept { value_type_.reset(); }

 private:
  static const FieldSchema kFields[2];
  MessageRef<TypeProto> value_type_;
  std::int32_t key_type_{};
};

class TypeProto::Optional final : public Message {
 public:
  static const MessageSchema kSchema;

  Optional() noexcept : Message(kSchema) {}
  Optional(const Optional& other) : Optional() { CopyFrom(other); }
  Optional(Optional&& other) noexcept : Optional() { swap(other); }
  Optional& operator=(const Optional& other) {
    CopyFrom(other);
    return *this;
  }
  Optional& operator=(Optional&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Optional() = default;
  void swap(Optional& other) noexcept { Message::swap(other); }
  friend bool operator==(const Optional& a, const Optional& b) { return a.Equals(b); }

  [[nodiscard]] bool has_elem_type() const noexcept { return elem_type_.has_value(); }
  [[nodiscard]] const TypeProto& elem_type() const;
  [[nodiscard]] TypeProto& ref_elem_type();
  void clear_elem_type() noexcept { elem_type_.reset(); }

 private:
  static const FieldSchema kFields[1];
  MessageRef<TypeProto> elem_type_;
};

class TypeProto::SparseTensor final : public Message {
 public:
  static const MessageSchema kSchema;

  SparseTensor() noexcept : Message(kSchema) {}
  SparseTensor(const SparseTensor& other) : SparseTensor() { CopyFrom(other); }
  SparseTensor(SparseTensor&& other) noexcept : SparseTensor() { swap(other); }
  SparseTensor& operator=(const SparseTensor& other) {
    CopyFrom(other);
    return *this;
  }
  SparseTensor& operator=(SparseTensor&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SparseTensor() = default;
  void swap(SparseTensor& other) noexcept { Message::swap(other); }
  friend bool operator==(const SparseTensor& a, const SparseTensor& b) { return a.Equals(b); }

  [[nodiscard]] bool has_elem_type() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t elem_type() const noexcept { return elem_type_; }
  void set_elem_type(std::int32_t value) noexcept {
    set_has_bit(0);
    elem_type_ = value;
  }
  void clear_elem_type() noexcept {
    clear_has_bit(0);
    elem_type_ = {};
  }

  [[nodiscard]] bool has_shape() const noexcept { return shape_.has_value(); }
  [[nodiscard]] const TensorShapeProto& shape() const;
  [[nodiscard]] TensorShapeProto& ref_shape();
  void clear_shape() noexcept { shape_.reset(); }

 private:
  static const FieldSchema kFields[2];
  MessageRef<TensorShapeProto> shape_;
  std::int32_t elem_type_{};
};

class TypeProto::Opaque final : public Message {
 public:
  static const MessageSchema kSchema;

  Opaque() noexcept : Message(kSchema) {}
  Opaque(const Opaque& other) : Opaque() { CopyFrom(other); }
  Opaque(Opaque&& other) noexcept : Opaque() { swap(other); }
  Opaque& operator=(const Opaque& other) {
    CopyFrom(other);
    return *this;
  }
  Opaque& operator=(Opaque&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Opaque() = default;
  void swap(Opaque& other) noexcept { Message::swap(other); }
  friend bool operator==(const Opaque& a, const Opaque& b) { return a.Equals(b); }

  [[nodiscard]] bool has_domain() const noexcept { return domain_.has_value(); }
  [[nodiscard]] const String& domain() const noexcept { return domain_; }
  [[nodiscard]] String& ref_domain() noexcept { return domain_; }
  void set_domain(std::string_view text) { domain_.assign(text); }
  void clear_domain() noexcept { domain_.clear(); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

 private:
  static const FieldSchema kFields[2];
  String domain_;
  String name_;
};

class OperatorSetIdProto final : public Message {
 public:
  static const MessageSchema kSchema;

  OperatorSetIdProto() noexcept : Message(kSchema) {}
  OperatorSetIdProto(const OperatorSetIdProto& other) : OperatorSetIdProto() { CopyFrom(other); }
  OperatorSetIdProto(OperatorSetIdProto&& other) noexcept : OperatorSetIdProto() { swap(other); }
  OperatorSetIdProto& operator=(const OperatorSetIdProto& other) {
    CopyFrom(other);
    return *this;
  }
  OperatorSetIdProto& operator=(OperatorSetIdProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~OperatorSetIdProto() = default;
  void swap(OperatorSetIdProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const OperatorSetIdProto& a, const OperatorSetIdProto& b) {
    return a.Equals(b);
  }

  [[nodiscard]] bool has_domain() const noexcept { return domain_.has_value(); }
  [[nodiscard]] const String& domain() const noexcept { return domain_; }
  [[nodiscard]] String& ref_domain() noexcept { return domain_; }
  void set_domain(std::string_view text) { domain_.assign(text); }
  void clear_domain() noexcept { domain_.clear(); }

  [[nodiscard]] bool has_version() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int64_t version() const noexcept { return version_; }
  void set_version(std::int64_t value) noexcept {
    set_has_bit(0);
    version_ = value;
  }
  void clear_version() noexcept {
    clear_has_bit(0);
    version_ = {};
  }

 private:
  static const FieldSchema kFields[2];
  String domain_;
  std::int64_t version_{};
};

class FunctionProto final : public Message {
 public:
  static const MessageSchema kSchema;

  FunctionProto() noexcept : Message(kSchema) {}
  FunctionProto(const FunctionProto& other) : FunctionProto() { CopyFrom(other); }
  FunctionProto(FunctionProto&& other) noexcept : FunctionProto() { swap(other); }
  FunctionProto& operator=(const FunctionProto& other) {
    CopyFrom(other);
    return *this;
  }
  FunctionProto& operator=(FunctionProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FunctionProto() = default;
  void swap(FunctionProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const FunctionProto& a, const FunctionProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] const Repeated<String>& input() const noexcept { return input_; }
  [[nodiscard]] Repeated<String>& ref_input() noexcept { return input_; }
  void add_input(String value) { input_.push_back(std::move(value)); }
  void clear_input() noexcept { input_.clear(); }

  [[nodiscard]] const Repeated<String>& output() const noexcept { return output_; }
  [[nodiscard]] Repeated<String>& ref_output() noexcept { return output_; }
  void add_output(String value) { output_.push_back(std::move(value)); }
  void clear_output() noexcept { output_.clear(); }

  [[nodiscard]] const Repeated<String>& attribute() const noexcept { return attribute_; }
  [[nodiscard]] Repeated<String>& ref_attribute() noexcept { return attribute_; }
  void add_attribute(String value) { attribute_.push_back(std::move(value)); }
  void clear_attribute() noexcept { attribute_.clear(); }

  [[nodiscard]] const RepeatedMessage<AttributeProto>& attribute_proto() const noexcept {
    return attribute_proto_;
  }
  [[nodiscard]] RepeatedMessage<AttributeProto>& ref_attribute_proto() noexcept {
    return attribute_proto_;
  }
  AttributeProto& add_attribute_proto();
  void clear_attribute_proto() noexcept { attribute_proto_.clear(); }

  [[nodiscard]] const RepeatedMessage<NodeProto>& node() const noexcept { return node_; }
  [[nodiscard]] RepeatedMessage<NodeProto>& ref_node() noexcept { return node_; }
  NodeProto& add_node();
  void clear_node() noexcept { node_.clear(); }

  [[nodiscard]] bool has_doc_string() const noexcept { return doc_string_.has_value(); }
  [[nodiscard]] const String& doc_string() const noexcept { return doc_string_; }
  [[nodiscard]] String& ref_doc_string() noexcept { return doc_string_; }
  void set_doc_string(std::string_view text) { doc_string_.assign(text); }
  void clear_doc_string() noexcept { doc_string_.clear(); }

  [[nodiscard]] const RepeatedMessage<OperatorSetIdProto>& opset_import() const noexcept {
    return opset_import_;
  }
  [[nodiscard]] RepeatedMessage<OperatorSetIdProto>& ref_opset_import() noexcept {
    return opset_import_;
  }
  OperatorSetIdProto& add_opset_import();
  void clear_opset_import() noexcept { opset_import_.clear(); }

  [[nodiscard]] bool has_domain() const noexcept { return domain_.has_value(); }
  [[nodiscard]] const String& domain() const noexcept { return domain_; }
  [[nodiscard]] String& ref_domain() noexcept { return domain_; }
  void set_domain(std::string_view text) { domain_.assign(text); }
  void clear_domain() noexcept { domain_.clear(); }

  [[nodiscard]] bool has_overload() const noexcept { return overload_.has_value(); }
  [[nodiscard]] const String& overload() const noexcept { return overload_; }
  [[nodiscard]] String& ref_overload() noexcept { return overload_; }
  void set_overload(std::string_view text) { overload_.assign(text); }
  void clear_overload() noexcept { overload_.clear(); }

  [[nodiscard]] const RepeatedMessage<ValueInfoProto>& value_info() const noexcept {
    return value_info_;
  }
  [[nodiscard]] RepeatedMessage<ValueInfoProto>& ref_value_info() noexcept { return value_info_; }
  ValueInfoProto& add_value_info();
  void clear_value_info() noexcept { value_info_.clear(); }

  [[nodiscard]] const RepeatedMessage<StringStringEntryProto>& metadata_props() const noexcept {
    return metadata_props_;
  }
  [[nodiscard]] RepeatedMessage<StringStringEntryProto>& ref_metadata_props() noexcept {
    return metadata_props_;
  }
  StringStringEntryProto& add_metadata_props();
  void clear_metadata_props() noexcept { metadata_props_.clear(); }

 private:
  static const FieldSchema kFields[12];
  String name_;
  Repeated<String> input_;
  Repeated<String> output_;
  Repeated<String> attribute_;
  RepeatedMessage<AttributeProto> attribute_proto_;
  RepeatedMessage<NodeProto> node_;
  String doc_string_;
  RepeatedMessage<OperatorSetIdProto> opset_import_;
  String domain_;
  String overload_;
  RepeatedMessage<ValueInfoProto> value_info_;
  RepeatedMessage<StringStringEntryProto> metadata_props_;
};

class SequenceProto final : public Message {
 public:
  enum DataType : std::int32_t {
    UNDEFINED = 0,
    TENSOR = 1,
    SPARSE_TENSOR = 2,
    SEQUENCE = 3,
    MAP = 4,
    OPTIONAL = 5,
  };
  static const MessageSchema kSchema;

  SequenceProto() noexcept : Message(kSchema) {}
  SequenceProto(const SequenceProto& other) : SequenceProto() { CopyFrom(other); }
  SequenceProto(SequenceProto&& other) noexcept : SequenceProto() { swap(other); }
  SequenceProto& operator=(const SequenceProto& other) {
    CopyFrom(other);
    return *this;
  }
  SequenceProto& operator=(SequenceProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SequenceProto() = default;
  void swap(SequenceProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const SequenceProto& a, const SequenceProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_elem_type() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t elem_type() const noexcept { return elem_type_; }
  void set_elem_type(std::int32_t value) noexcept {
    set_has_bit(0);
    elem_type_ = value;
  }
  void clear_elem_type() noexcept {
    clear_has_bit(0);
    elem_type_ = {};
  }

  [[nodiscard]] const RepeatedMessage<TensorProto>& tensor_values() const noexcept {
    return tensor_values_;
  }
  [[nodiscard]] RepeatedMessage<TensorProto>& ref_tensor_values() noexcept {
    return tensor_values_;
  }
  TensorProto& add_tensor_values();
  void clear_tensor_values() noexcept { tensor_values_.clear(); }

  [[nodiscard]] const RepeatedMessage<SparseTensorProto>& sparse_tensor_values() const noexcept {
    return sparse_tensor_values_;
  }
  [[nodiscard]] RepeatedMessage<SparseTensorProto>& ref_sparse_tensor_values() noexcept {
    return sparse_tensor_values_;
  }
  SparseTensorProto& add_sparse_tensor_values();
  void clear_sparse_tensor_values() noexcept { sparse_tensor_values_.clear(); }

  [[nodiscard]] const RepeatedMessage<SequenceProto>& sequence_values() const noexcept {
    return sequence_values_;
  }
  [[nodiscard]] RepeatedMessage<SequenceProto>& ref_sequence_values() noexcept {
    return sequence_values_;
  }
  SequenceProto& add_sequence_values();
  void clear_sequence_values() noexcept { sequence_values_.clear(); }

  [[nodiscard]] const RepeatedMessage<MapProto>& map_values() const noexcept { return map_values_; }
  [[nodiscard]] RepeatedMessage<MapProto>& ref_map_values() noexcept { return map_values_; }
  MapProto& add_map_values();
  void clear_map_values() noexcept { map_values_.clear(); }

  [[nodiscard]] const RepeatedMessage<OptionalProto>& optional_values() const noexcept {
    return optional_values_;
  }
  [[nodiscard]] RepeatedMessage<OptionalProto>& ref_optional_values() noexcept {
    return optional_values_;
  }
  OptionalProto& add_optional_values();
  void clear_optional_values() noexcept { optional_values_.clear(); }

 private:
  static const FieldSchema kFields[7];
  String name_;
  RepeatedMessage<TensorProto> tensor_values_;
  RepeatedMessage<SparseTensorProto> sparse_tensor_values_;
  RepeatedMessage<SequenceProto> sequence_values_;
  RepeatedMessage<MapProto> map_values_;
  RepeatedMessage<OptionalProto> optional_values_;
  std::int32_t elem_type_{};
};

class MapProto final : public Message {
 public:
  static const MessageSchema kSchema;

  MapProto() noexcept : Message(kSchema) {}
  MapProto(const MapProto& other) : MapProto() { CopyFrom(other); }
  MapProto(MapProto&& other) noexcept : MapProto() { swap(other); }
  MapProto& operator=(const MapProto& other) {
    CopyFrom(other);
    return *this;
  }
  MapProto& operator=(MapProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MapProto() = default;
  void swap(MapProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const MapProto& a, const MapProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_key_type() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t key_type() const noexcept { return key_type_; }
  void set_key_type(std::int32_t value) noexcept {
    set_has_bit(0);
    key_type_ = value;
  }
  void clear_key_type() noexcept {
    clear_has_bit(0);
    key_type_ = {};
  }

  [[nodiscard]] const Repeated<std::int64_t>& keys() const noexcept { return keys_; }
  [[nodiscard]] Repeated<std::int64_t>& ref_keys() noexcept { return keys_; }
  void add_keys(std::int64_t value) { keys_.push_back(std::move(value)); }
  void clear_keys() noexcept { keys_.clear(); }

  [[nodiscard]] const Repeated<String>& string_keys() const noexcept { return string_keys_; }
  [[nodiscard]] Repeated<String>& ref_string_keys() noexcept { return string_keys_; }
  void add_string_keys(String value) { string_keys_.push_back(std::move(value)); }
  void clear_string_keys() noexcept { string_keys_.clear(); }

  [[nodiscard]] bool has_values() const noexcept { return values_.has_value(); }
  [[nodiscard]] const SequenceProto& values() const;
  [[nodiscard]] SequenceProto& ref_values();
  void clear_values() noexcept { values_.reset(); }

 private:
  static const FieldSchema kFields[5];
  String name_;
  Repeated<std::int64_t> keys_;
  Repeated<String> string_keys_;
  MessageRef<SequenceProto> values_;
  std::int32_t key_type_{};
};

class OptionalProto final : public Message {
 public:
  enum DataType : std::int32_t {
    UNDEFINED = 0,
    TENSOR = 1,
    SPARSE_TENSOR = 2,
    SEQUENCE = 3,
    MAP = 4,
    OPTIONAL = 5,
  };
  static const MessageSchema kSchema;

  OptionalProto() noexcept : Message(kSchema) {}
  OptionalProto(const OptionalProto& other) : OptionalProto() { CopyFrom(other); }
  OptionalProto(OptionalProto&& other) noexcept : OptionalProto() { swap(other); }
  OptionalProto& operator=(const OptionalProto& other) {
    CopyFrom(other);
    return *this;
  }
  OptionalProto& operator=(OptionalProto&& other) noexcept {
    swap(other);
    return *this;
  }
  ~OptionalProto() = default;
  void swap(OptionalProto& other) noexcept { Message::swap(other); }
  friend bool operator==(const OptionalProto& a, const OptionalProto& b) { return a.Equals(b); }

  [[nodiscard]] bool has_name() const noexcept { return name_.has_value(); }
  [[nodiscard]] const String& name() const noexcept { return name_; }
  [[nodiscard]] String& ref_name() noexcept { return name_; }
  void set_name(std::string_view text) { name_.assign(text); }
  void clear_name() noexcept { name_.clear(); }

  [[nodiscard]] bool has_elem_type() const noexcept { return has_bit(0); }
  [[nodiscard]] std::int32_t elem_type() const noexcept { return elem_type_; }
  void set_elem_type(std::int32_t value) noexcept {
    set_has_bit(0);
    elem_type_ = value;
  }
  void clear_elem_type() noexcept {
    clear_has_bit(0);
    elem_type_ = {};
  }

  [[nodiscard]] bool has_tensor_value() const noexcept { return tensor_value_.has_value(); }
  [[nodiscard]] const TensorProto& tensor_value() const;
  [[nodiscard]] TensorProto& ref_tensor_value();
  void clear_tensor_value() noexcept { tensor_value_.reset(); }

  [[nodiscard]] bool has_sparse_tensor_value() const noexcept {
    return sparse_tensor_value_.has_value();
  }
  [[nodiscard]] const SparseTensorProto& sparse_tensor_value() const;
  [[nodiscard]] SparseTensorProto& ref_sparse_tensor_value();
  void clear_sparse_tensor_value() noexcept { sparse_tensor_value_.reset(); }

  [[nodiscard]] bool has_sequence_value() const noexcept { return sequence_value_.has_value(); }
  [[nodiscard]] const SequenceProto& sequence_value() const;
  [[nodiscard]] SequenceProto& ref_sequence_value();
  void clear_sequence_value() noexcept { sequence_value_.reset(); }

  [[nodiscard]] bool has_map_value() const noexcept { return map_value_.has_value(); }
  [[nodiscard]] const MapProto& map_value() const;
  [[nodiscard]] MapProto& ref_map_value();
  void clear_map_value() noexcept { map_value_.reset(); }

  [[nodiscard]] bool has_optional_value() const noexcept { return optional_value_.has_value(); }
  [[nodiscard]] const OptionalProto& optional_value() const;
  [[nodiscard]] OptionalProto& ref_optional_value();
  void clear_optional_value() noexcept { optional_value_.reset(); }

 private:
  static const FieldSchema kFields[7];
  String name_;
  MessageRef<TensorProto> tensor_value_;
  MessageRef<SparseTensorProto> sparse_tensor_value_;
  MessageRef<SequenceProto> sequence_value_;
  MessageRef<MapProto> map_value_;
  MessageRef<OptionalProto> optional_value_;
  std::int32_t elem_type_{};
};

inline const TensorProto& AttributeProto::t() const { return t_.value_or_default(); }
inline TensorProto& AttributeProto::ref_t() { return t_.ensure(); }
inline const GraphProto& AttributeProto::g() const { return g_.value_or_default(); }
inline GraphProto& AttributeProto::ref_g() { return g_.ensure(); }
inline const SparseTensorProto& AttributeProto::sparse_tensor() const {
  return sparse_tensor_.value_or_default();
}
inline SparseTensorProto& AttributeProto::ref_sparse_tensor() { return sparse_tensor_.ensure(); }
inline const TypeProto& AttributeProto::tp() const { return tp_.value_or_default(); }
inline TypeProto& AttributeProto::ref_tp() { return tp_.ensure(); }
inline TensorProto& AttributeProto::add_tensors() { return tensors_.add(); }
inline GraphProto& AttributeProto::add_graphs() { return graphs_.add(); }
inline SparseTensorProto& AttributeProto::add_sparse_tensors() { return sparse_tensors_.add(); }
inline TypeProto& AttributeProto::add_type_protos() { return type_protos_.add(); }
inline const TypeProto& ValueInfoProto::type() const { return type_.value_or_default(); }
inline TypeProto& ValueInfoProto::ref_type() { return type_.ensure(); }
inline StringStringEntryProto& ValueInfoProto::add_metadata_props() {
  return metadata_props_.add();
}
inline AttributeProto& NodeProto::add_attribute() { return attribute_.add(); }
inline StringStringEntryProto& NodeProto::add_metadata_props() { return metadata_props_.add(); }
inline NodeDeviceConfigurationProto& NodeProto::add_device_configurations() {
  return device_configurations_.add();
}
inline ShardingSpecProto& NodeDeviceConfigurationProto::add_sharding_spec() {
  return sharding_spec_.add();
}
inline IntIntListEntryProto& ShardingSpecProto::add_index_to_device_group_map() {
  return index_to_device_group_map_.add();
}
inline ShardedDimProto& ShardingSpecProto::add_sharded_dim() { return sharded_dim_.add(); }
inline SimpleShardedDimProto& ShardedDimProto::add_simple_sharding() {
  return simple_sharding_.add();
}
inline const GraphProto& TrainingInfoProto::initialization() const {
  return initialization_.value_or_default();
}
inline GraphProto& TrainingInfoProto::ref_initialization() { return initialization_.ensure(); }
inline const GraphProto& TrainingInfoProto::algorithm() const {
  return algorithm_.value_or_default();
}
inline GraphProto& TrainingInfoProto::ref_algorithm() { return algorithm_.ensure(); }
inline StringStringEntryProto& TrainingInfoProto::add_initialization_binding() {
  return initialization_binding_.add();
}
inline StringStringEntryProto& TrainingInfoProto::add_update_binding() {
  return update_binding_.add();
}
inline OperatorSetIdProto& ModelProto::add_opset_import() { return opset_import_.add(); }
inline const GraphProto& ModelProto::graph() const { return graph_.value_or_default(); }
inline GraphProto& ModelProto::ref_graph() { return graph_.ensure(); }
inline StringStringEntryProto& ModelProto::add_metadata_props() { return metadata_props_.add(); }
inline TrainingInfoProto& ModelProto::add_training_info() { return training_info_.add(); }
inline FunctionProto& ModelProto::add_functions() { return functions_.add(); }
inline DeviceConfigurationProto& ModelProto::add_configuration() { return configuration_.add(); }
inline StringStringEntryProto& TensorAnnotation::add_quant_parameter_tensor_names() {
  return quant_parameter_tensor_names_.add();
}
inline NodeProto& GraphProto::add_node() { return node_.add(); }
inline TensorProto& GraphProto::add_initializer() { return initializer_.add(); }
inline SparseTensorProto& GraphProto::add_sparse_initializer() { return sparse_initializer_.add(); }
inline ValueInfoProto& GraphProto::add_input() { return input_.add(); }
inline ValueInfoProto& GraphProto::add_output() { return output_.add(); }
inline ValueInfoProto& GraphProto::add_value_info() { return value_info_.add(); }
inline TensorAnnotation& GraphProto::add_quantization_annotation() {
  return quantization_annotation_.add();
}
inline StringStringEntryProto& GraphProto::add_metadata_props() { return metadata_props_.add(); }
inline const TensorProto::Segment& TensorProto::segment() const {
  return segment_.value_or_default();
}
inline TensorProto::Segment& TensorProto::ref_segment() { return segment_.ensure(); }
inline StringStringEntryProto& TensorProto::add_external_data() { return external_data_.add(); }
inline StringStringEntryProto& TensorProto::add_metadata_props() { return metadata_props_.add(); }
inline const TensorProto& SparseTensorProto::values() const { return values_.value_or_default(); }
inline TensorProto& SparseTensorProto::ref_values() { return values_.ensure(); }
inline const TensorProto& SparseTensorProto::indices() const { return indices_.value_or_default(); }
inline TensorProto& SparseTensorProto::ref_indices() { return indices_.ensure(); }
inline TensorShapeProto::Dimension& TensorShapeProto::add_dim() { return dim_.add(); }
inline const TypeProto::Tensor& TypeProto::tensor_type() const {
  return tensor_type_.value_or_default();
}
inline TypeProto::Tensor& TypeProto::ref_tensor_type() {
  clear_other_members(kFields[0]);
  return tensor_type_.ensure();
}
inline const TypeProto::Sequence& TypeProto::sequence_type() const {
  return sequence_type_.value_or_default();
}
inline TypeProto::Sequence& TypeProto::ref_sequence_type() {
  clear_other_members(kFields[1]);
  return sequence_type_.ensure();
}
inline const TypeProto::Map& TypeProto::map_type() const { return map_type_.value_or_default(); }
inline TypeProto::Map& TypeProto::ref_map_type() {
  clear_other_members(kFields[2]);
  return map_type_.ensure();
}
inline const TypeProto::Optional& TypeProto::optional_type() const {
  return optional_type_.value_or_default();
}
inline TypeProto::Optional& TypeProto::ref_optional_type() {
  clear_other_members(kFields[6]);
  return optional_type_.ensure();
}
inline const TypeProto::SparseTensor& TypeProto::sparse_tensor_type() const {
  return sparse_tensor_type_.value_or_default();
}
inline TypeProto::SparseTensor& TypeProto::ref_sparse_tensor_type() {
  clear_other_members(kFields[5]);
  return sparse_tensor_type_.ensure();
}
inline const TypeProto::Opaque& TypeProto::opaque_type() const {
  return opaque_type_.value_or_default();
}
inline TypeProto::Opaque& TypeProto::ref_opaque_type() {
  clear_other_members(kFields[4]);
  return opaque_type_.ensure();
}
inline const TensorShapeProto& TypeProto::Tensor::shape() const {
  return shape_.value_or_default();
}
inline TensorShapeProto& TypeProto::Tensor::ref_shape() { return shape_.ensure(); }
inline const TypeProto& TypeProto::Sequence::elem_type() const {
  return elem_type_.value_or_default();
}
inline TypeProto& TypeProto::Sequence::ref_elem_type() { return elem_type_.ensure(); }
inline const TypeProto& TypeProto::Map::value_type() const {
  return value_type_.value_or_default();
}
inline TypeProto& TypeProto::Map::ref_value_type() { return value_type_.ensure(); }
inline const TypeProto& TypeProto::Optional::elem_type() const {
  return elem_type_.value_or_default();
}
inline TypeProto& TypeProto::Optional::ref_elem_type() { return elem_type_.ensure(); }
inline const TensorShapeProto& TypeProto::SparseTensor::shape() const {
  return shape_.value_or_default();
}
inline TensorShapeProto& TypeProto::SparseTensor::ref_shape() { return shape_.ensure(); }
inline AttributeProto& FunctionProto::add_attribute_proto() { return attribute_proto_.add(); }
inline NodeProto& FunctionProto::add_node() { return node_.add(); }
inline OperatorSetIdProto& FunctionProto::add_opset_import() { return opset_import_.add(); }
inline ValueInfoProto& FunctionProto::add_value_info() { return value_info_.add(); }
inline StringStringEntryProto& FunctionProto::add_metadata_props() { return metadata_props_.add(); }
inline TensorProto& SequenceProto::add_tensor_values() { return tensor_values_.add(); }
inline SparseTensorProto& SequenceProto::add_sparse_tensor_values() {
  return sparse_tensor_values_.add();
}
inline SequenceProto& SequenceProto::add_sequence_values() { return sequence_values_.add(); }
inline MapProto& SequenceProto::add_map_values() { return map_values_.add(); }
inline OptionalProto& SequenceProto::add_optional_values() { return optional_values_.add(); }
inline const SequenceProto& MapProto::values() const { return values_.value_or_default(); }
inline SequenceProto& MapProto::ref_values() { return values_.ensure(); }
inline const TensorProto& OptionalProto::tensor_value() const {
  return tensor_value_.value_or_default();
}
inline TensorProto& OptionalProto::ref_tensor_value() { return tensor_value_.ensure(); }
inline const SparseTensorProto& OptionalProto::sparse_tensor_value() const {
  return sparse_tensor_value_.value_or_default();
}
inline SparseTensorProto& OptionalProto::ref_sparse_tensor_value() {
  return sparse_tensor_value_.ensure();
}
inline const SequenceProto& OptionalProto::sequence_value() const {
  return sequence_value_.value_or_default();
}
inline SequenceProto& OptionalProto::ref_sequence_value() { return sequence_value_.ensure(); }
inline const MapProto& OptionalProto::map_value() const { return map_value_.value_or_default(); }
inline MapProto& OptionalProto::ref_map_value() { return map_value_.ensure(); }
inline const OptionalProto& OptionalProto::optional_value() const {
  return optional_value_.value_or_default();
}
inline OptionalProto& OptionalProto::ref_optional_value() { return optional_value_.ensure(); }

}  // namespace nocopy::onnx
