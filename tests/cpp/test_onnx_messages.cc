#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "check.h"
#include "onnx/messages.h"

using nocopy::Error;
using nocopy::ErrorKind;
using nocopy::onnx::AttributeProto;
using nocopy::onnx::GraphProto;
using nocopy::onnx::Message;
using nocopy::onnx::ModelProto;
using nocopy::onnx::NodeProto;
using nocopy::onnx::ParseOptions;
using nocopy::onnx::TensorProto;
using nocopy::onnx::TensorShapeProto;
using nocopy::onnx::TypeProto;

using namespace std::string_view_literals;

namespace {

template <typename T>
T parsed(std::string_view bytes, const ParseOptions& options = {}) {
  T message;
  message.ParseFromString(bytes, options);
  return message;
}

// A field of a length: its tag, its length, its bytes.
std::string field(char tag, std::string_view bytes) {
  std::string text(1, tag);
  std::size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) {
    text += static_cast<char>(size | 0x80);
  }
  text += static_cast<char>(size);
  return text += bytes;
}

// A type in a type in a type, as bytes; two messages for each level.
std::string nested(int levels) {
  std::string bytes;
  for (int i = 0; i < levels; ++i) {
    bytes = field('\x22', field('\x0a', bytes));
  }
  return bytes;
}

}  // namespace

TEST(test_accessors_when_used_then_fields_are_set_read_and_cleared) {
  TensorProto tensor;
  CHECK(!tensor.has_data_type());
  tensor.set_data_type(TensorProto::INT8);
  tensor.ref_dims() = {3, 5};
  tensor.add_dims(7);
  tensor.set_name("weight");
  tensor.ref_raw_data().assign("\1\2\3", 3);
  CHECK_EQ(tensor.data_type(), 3);
  CHECK_EQ(tensor.dims()[2], 7);
  CHECK_EQ(tensor.name(), "weight");
  CHECK_EQ(tensor.raw_data().size(), 3U);
  tensor.clear_name();
  CHECK(!tensor.has_name());
  CHECK_EQ(tensor.SerializeAsString(), "\x08\x03\x08\x05\x08\x07\x10\x03\x4a\x03\1\2\3"sv);
}

TEST(test_oneof_when_another_member_is_set_then_the_first_is_not) {
  TensorShapeProto::Dimension dimension;
  dimension.set_dim_value(5);
  dimension.set_dim_param("n");
  CHECK(!dimension.has_dim_value());
  CHECK_EQ(dimension.SerializeAsString(), "\x12\x01n");
  TypeProto type;
  type.ref_tensor_type().set_elem_type(1);
  type.ref_sequence_type().ref_elem_type().set_denotation("d");
  CHECK(!type.has_tensor_type());
}

TEST(test_copy_when_the_original_changes_then_does_not) {
  NodeProto node;
  node.set_op_type("Relu");
  node.ref_input() = {"x", "a name of more than fifteen characters"};
  node.add_attribute().set_i(3);
  NodeProto copy = node;
  CHECK(copy == node);
  node.ref_attribute()[0].set_i(4);
  node.ref_input()[1] = "other";
  CHECK_EQ(copy.attribute()[0].i(), 3);
  CHECK_EQ(copy.input()[1], "a name of more than fifteen characters");
  const NodeProto moved = std::move(copy);
  CHECK_EQ(moved.op_type(), "Relu");
}

TEST(test_parse_when_repeated_numbers_are_packed_or_not_then_reads_both) {
  const auto packed = parsed<AttributeProto>("\x42\x03\x01\x80\x01"sv);
  const auto loose = parsed<AttributeProto>("\x40\x01\x40\x80\x01"sv);
  CHECK(packed == loose);
  CHECK_EQ(packed.ints()[1], 128);
  const auto floats = parsed<TensorProto>("\x25\x00\x00\x80\x3f\x22\x04\x00\x00\x00\x40"sv);
  CHECK_EQ(floats.float_data().size(), 2U);
  CHECK_EQ(floats.float_data()[1], 2.0F);
}

TEST(test_parse_when_fields_are_unknown_then_keeps_them_behind_the_others) {
  const std::string_view unknown =
      "\xa0\x06\x05\xab\x06\x08\x01\xac\x06\xad\x06"
      "abcd"sv;
  const auto node = parsed<NodeProto>(std::string(unknown) + "\x0a\x01x");
  CHECK_EQ(node.input()[0], "x");
  CHECK_EQ(node.SerializeAsString(), "\x0a\x01x" + std::string(unknown));
}

TEST(test_parse_when_wire_type_is_another_then_field_is_unknown) {
  const auto node = parsed<NodeProto>("\x18\x05"sv);  // name as a number
  CHECK(!node.has_name());
  CHECK_EQ(node.SerializeAsString(), "\x18\x05");
}

TEST(test_parse_when_enum_value_is_unknown_then_keeps_it_as_unknown) {
  const auto attribute = parsed<AttributeProto>("\xa0\x01\x63"sv);
  CHECK(!attribute.has_type());
  CHECK_EQ(attribute.SerializeAsString(), "\xa0\x01\x63"sv);
}

TEST(test_parse_when_bytes_end_early_then_names_field_and_byte) {
  const std::string bytes = field('\x3a', field('\x0a', field('\x0a', "x") + "\x22\x05Re"));
  CHECK_THROWS(ErrorKind::kDecode, "ModelProto.graph.node[0].op_type: byte 8",
               parsed<ModelProto>(bytes));
  CHECK_THROWS(ErrorKind::kDecode, "cut off", parsed<ModelProto>("\x08\x80"sv));
  CHECK_THROWS(ErrorKind::kDecode, "cut off", parsed<TensorProto>("\x25\x00\x00"sv));
}

TEST(test_parse_when_a_length_is_past_the_end_then_throws) {
  CHECK_THROWS(ErrorKind::kDecode, "where 0 are left", parsed<NodeProto>("\x1a\x01"sv));
  CHECK_THROWS(ErrorKind::kDecode, "bytes, where",
               parsed<NodeProto>("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv));
  // The length of what is inside reaches past what it is in, not past the end.
  CHECK_THROWS(ErrorKind::kDecode, "node[0].name: byte 3: a length of 3 bytes, where 0 are left",
               parsed<GraphProto>(field('\x0a', "\x1a\x03"sv) + "abc"));
  // raw_data and a packed list.
  CHECK_THROWS(ErrorKind::kDecode, "TensorProto.raw_data", parsed<TensorProto>("\x4a\x7f"sv));
  CHECK_THROWS(ErrorKind::kDecode, "TensorProto.float_data", parsed<TensorProto>("\x22\x7f"sv));
}

TEST(test_parse_when_a_number_is_longer_than_64_bits_then_throws) {
  CHECK_EQ(parsed<ModelProto>("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv).ir_version(), -1);
  for (const std::string_view bytes : {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv,
                                       "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"sv}) {
    CHECK_THROWS(ErrorKind::kDecode, "longer than 64 bits", parsed<ModelProto>(bytes));
  }
}

TEST(test_parse_when_a_packed_list_ends_in_the_middle_of_a_number_then_throws) {
  CHECK_THROWS(ErrorKind::kDecode, "cut off", parsed<TensorProto>("\x3a\x02\x01\x80"sv));
  CHECK_THROWS(ErrorKind::kDecode, "multiple of 4", parsed<TensorProto>("\x22\x03\1\2\3"sv));
}

TEST(test_parse_when_a_string_is_not_utf8_then_throws_and_bytes_do_not) {
  CHECK_THROWS(ErrorKind::kDecode, "NodeProto.name", parsed<NodeProto>("\x1a\x02\xc3\x28"sv));
  CHECK_THROWS(ErrorKind::kDecode, "not UTF-8",
               parsed<NodeProto>(field('\x1a', std::string(40, 'a') + "\xed\xa0\x80")));
  CHECK_EQ(parsed<AttributeProto>("\x22\x02\xc3\x28"sv).s(), "\xc3\x28");
}

TEST(test_parse_when_tags_are_wrong_then_throws) {
  CHECK_THROWS(ErrorKind::kDecode, "number 0", parsed<NodeProto>("\x02\x00"sv));
  CHECK_THROWS(ErrorKind::kDecode, "wire type 7", parsed<NodeProto>("\x0f"sv));
  CHECK_THROWS(ErrorKind::kDecode, "more than 32 bits",
               parsed<NodeProto>("\x82\x80\x80\x80\x80\x01\x00"sv));
  CHECK_THROWS(ErrorKind::kDecode, "not begun", parsed<NodeProto>("\x0c"sv));
  CHECK_THROWS(ErrorKind::kDecode, "not begun", parsed<NodeProto>("\xa3\x06\xac\x06"sv));
  CHECK_THROWS(ErrorKind::kDecode, "does not end", parsed<NodeProto>("\xa3\x06"sv));
}

TEST(test_parse_when_messages_are_too_deep_then_throws) {
  CHECK_EQ(parsed<TypeProto>(nested(50)).SerializeAsString(), nested(50));
  CHECK_THROWS(ErrorKind::kDecode, "100 levels deep", parsed<TypeProto>(nested(51)));
  std::string groups;
  for (int i = 0; i < 100000; ++i) {
    groups += "\xa3\x06";
  }
  CHECK_THROWS(ErrorKind::kDecode, "levels deep", parsed<TypeProto>(groups));
}

TEST(test_parse_when_nearly_all_messages_are_empty_then_throws_before_memory_is_full) {
  std::string bytes;
  for (int i = 0; i < 1000000; ++i) {
    bytes += "\x0a\x00"sv;
  }
  CHECK_THROWS(ErrorKind::kDecode, "nearly all of them empty", parsed<GraphProto>(bytes));
  bytes.resize(20000);
  CHECK_EQ(parsed<GraphProto>(bytes).node().size(), 10000U);
}

TEST(test_parse_when_it_fails_then_message_holds_what_came_before) {
  NodeProto node;
  CHECK_THROWS(ErrorKind::kDecode, "byte 4", node.ParseFromString("\x0a\x01x\x0a\x09"sv));
  CHECK_EQ(node.input()[0], "x");
}

TEST(test_parse_when_not_copying_then_raw_data_lies_in_the_input_and_keeps_it) {
  TensorProto tensor;
  tensor.set_raw_data(std::string(2000, 'w'));
  auto bytes = std::make_shared<std::string>(tensor.SerializeAsString());
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes->data());
  ParseOptions options;
  options.no_copy = true;
  options.owner = bytes;
  auto read = parsed<TensorProto>(*bytes, options);
  options.owner.reset();
  CHECK(read.raw_data().is_borrowed());
  CHECK(read.raw_data().data() > begin && read.raw_data().data() < begin + bytes->size());
  const std::weak_ptr<std::string> watched = bytes;
  bytes.reset();
  CHECK(!watched.expired());
  CHECK_EQ(read.raw_data().data()[1999], std::uint8_t{'w'});
  TensorProto copy = read;
  read.Clear();
  CHECK(!watched.expired());
  copy.ref_raw_data().assign("x", 1);
  CHECK(watched.expired());
}

TEST(test_share_when_bytes_are_owned_then_they_stay_for_whoever_keeps_them) {
  TensorProto tensor;
  tensor.set_raw_data("abc");
  const std::shared_ptr<void> kept = tensor.ref_raw_data().share();
  const std::uint8_t* data = tensor.raw_data().data();
  CHECK(!tensor.raw_data().is_borrowed());
  CHECK(tensor.ref_raw_data().mutable_data() == data);
  TensorProto copy = tensor;
  CHECK(copy.raw_data().data() != data);
  tensor.set_raw_data("xyz");
  CHECK_EQ(data[2], std::uint8_t{'c'});
  CHECK_EQ(copy.raw_data().data()[2], std::uint8_t{'c'});
}

TEST(test_share_when_a_deleter_is_attached_then_it_runs_after_the_last_reader) {
  int ran = 0;
  TensorProto tensor;
  tensor.set_raw_data("abc");
  tensor.ref_raw_data().attach_deleter([&] { ++ran; });
  std::shared_ptr<void> kept = tensor.ref_raw_data().share();
  tensor.clear_raw_data();
  CHECK_EQ(ran, 0);
  kept.reset();
  CHECK_EQ(ran, 1);
}

NOCOPY_TEST_MAIN
