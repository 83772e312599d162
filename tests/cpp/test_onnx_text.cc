#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "check.h"
#include "onnx/messages.h"
#include "onnx/text_format.h"

using nocopy::ErrorKind;
using nocopy::onnx::GraphProto;
using nocopy::onnx::kDeepestText;
using nocopy::onnx::NodeProto;
using nocopy::onnx::parse_text;
using nocopy::onnx::print_text;
using nocopy::onnx::TensorProto;
using nocopy::onnx::TensorShapeProto;
using nocopy::onnx::TextError;
using nocopy::onnx::TextParseOptions;
using nocopy::onnx::TextPrintOptions;
using nocopy::onnx::TypeProto;

namespace {

template <typename T>
T parsed(std::string_view text, const TextParseOptions& options = {}) {
  T message;
  parse_text(message, text, options);
  return message;
}

std::string python_style(const nocopy::onnx::Message& message) {
  TextPrintOptions options;
  options.numbers = TextPrintOptions::Numbers::kPython;
  return print_text(message, options);
}

// A type that holds a type that holds a type...
std::string nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) {
    text += "sequence_type { elem_type { ";
  }
  for (int i = 0; i < depth; ++i) {
    text += "} } ";
  }
  return text;
}

void check_fails_at(std::string_view text, std::size_t line, std::size_t column,
                    std::string_view part) {
  TensorProto tensor;
  try {
    parse_text(tensor, text);
  } catch (const TextError& error) {
    CHECK_EQ(error.line(), line);
    CHECK_EQ(error.column(), column);
    CHECK(std::string_view(error.what()).find(part) != std::string_view::npos);
    return;
  }
  nocopy::testing::fail(__FILE__, __LINE__, "accepted: " + std::string(text));
}

}  // namespace

TEST(test_print_when_fields_of_every_kind_are_set_then_writes_them_by_number) {
  TensorProto tensor;
  tensor.set_raw_data("\x01z\xff");
  tensor.set_data_location(TensorProto::EXTERNAL);
  tensor.add_dims(-2);
  tensor.add_dims(3);
  tensor.ref_segment().set_begin(7);
  tensor.set_name("a\"\n\xc3\xa9");
  tensor.ref_uint64_data().push_back(UINT64_MAX);
  CHECK_EQ(print_text(tensor),
           "dims: -2\ndims: 3\nsegment {\n  begin: 7\n}\nname: \"a\\\"\\n\xc3\xa9\"\n"
           "raw_data: \"\\001z\\377\"\nuint64_data: 18446744073709551615\n"
           "data_location: EXTERNAL\n");
}

TEST(test_print_when_numbers_are_floating_point_then_writes_few_digits_that_read_back) {
  TensorProto tensor;
  for (const float value : {1.0F, 0.1F, 1e10F, -0.0F, 123456789.0F}) {
    tensor.ref_float_data().push_back(value);
  }
  for (const double value : {1e15, 1.0 / 3, 5e-324}) {
    tensor.ref_double_data().push_back(value);
  }
  CHECK_EQ(print_text(tensor),
           "float_data: 1\nfloat_data: 0.1\nfloat_data: 1e+10\nfloat_data: -0\n"
           "float_data: 123456792\ndouble_data: 1e+15\ndouble_data: 0.33333333333333331\n"
           "double_data: 4.94065645841247e-324\n");
  CHECK_EQ(python_style(tensor),
           "float_data: 1.0\nfloat_data: 0.1\nfloat_data: 10000000000.0\nfloat_data: -0.0\n"
           "float_data: 123456790.0\ndouble_data: 1000000000000000.0\n"
           "double_data: 0.3333333333333333\ndouble_data: 5e-324\n");
}

TEST(test_print_when_a_string_is_not_utf8_then_escapes_all_of_it) {
  NodeProto node;
  node.set_name("\xc3\xa9\xff");
  CHECK_EQ(print_text(node), "name: \"\\303\\251\\377\"\n");
}

TEST(test_print_when_messages_are_too_deep_then_throws) {
  TypeProto type;
  TypeProto* at = &type;
  for (int i = 0; i < kDeepestText; ++i) {
    at = &at->ref_sequence_type().ref_elem_type();
  }
  CHECK_THROWS(ErrorKind::kGeneric, "levels deep", print_text(type));
}

TEST(test_print_when_unknown_fields_are_asked_for_then_guesses_what_they_are) {
  TensorProto tensor;
  tensor.ParseFromString(std::string("\xa0\x06\x05\xaa\x06\x03\x61\x62\x63\xaa\x06\x02\x08\x01"));
  TextPrintOptions options;
  options.print_unknown_fields = true;
  CHECK_EQ(print_text(tensor, options), "100: 5\n101: \"abc\"\n101 {\n  1: 1\n}\n");
  CHECK_EQ(print_text(tensor), "");
}

TEST(test_parse_when_text_was_printed_then_gives_an_equal_message) {
  TensorProto tensor;
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
  }
  tensor.set_raw_data(bytes);
  tensor.set_name("\xe4\xb8\xad\t\\'");
  tensor.ref_string_data().push_back("\x00\x01");
  tensor.ref_int32_data() = {INT32_MIN, -1, INT32_MAX};
  tensor.ref_int64_data() = {INT64_MIN, INT64_MAX};
  tensor.ref_uint64_data() = {UINT64_MAX};
  tensor.ref_float_data() = {std::numeric_limits<float>::denorm_min(), 3.4028235e38F, INFINITY};
  tensor.ref_double_data() = {5e-324, 1.7976931348623157e308, -INFINITY, 0.1};
  CHECK(parsed<TensorProto>(print_text(tensor)) == tensor);
  CHECK(parsed<TensorProto>(python_style(tensor)) == tensor);
}

TEST(test_parse_when_numbers_are_written_in_other_ways_then_reads_them) {
  const auto tensor = parsed<TensorProto>(
      "dims: [0x1F, 010, -0x8000000000000000, 0b101, 1_000]\n"
      "double_data: [1e400, -1e400, 1e-400, 1.5f, inf, -Infinity, .25, 2.]  # f is allowed\n"
      "float_data: 1e39");
  const std::int64_t dims[] = {31, 8, INT64_MIN, 5, 1000};
  const double doubles[] = {INFINITY, -INFINITY, 0, 1.5, INFINITY, -INFINITY, 0.25, 2};
  CHECK(std::ranges::equal(tensor.dims(), dims));
  CHECK(std::ranges::equal(tensor.double_data(), doubles));
  CHECK_EQ(tensor.float_data()[0], INFINITY);
}

TEST(test_parse_when_a_message_is_given_for_a_number_then_says_where) {
  check_fails_at("dims: 1\n  float_data { }", 2, 14, "Expected \":\"");
}

TEST(test_parse_when_the_text_is_wrong_then_names_line_and_column) {
  check_fails_at("dims: 1\ndims: x", 2, 7, "integer");
  check_fails_at("name: \"\xc3\xa9\" nothing: 1", 1, 11, "no field named \"nothing\"");
  check_fails_at("segment {\n begin: 1\n", 3, 1, "Expected \"}\"");
  check_fails_at("name: \"a", 1, 7, "ending quote");
  check_fails_at("name: \"a\\q\"", 1, 7, "Unknown escape");
  check_fails_at("name: \"\\377\"", 1, 7, "not UTF-8");
  check_fails_at("data_type: 2147483648", 1, 12, "out of range");
  check_fails_at("uint64_data: -1", 1, 14, "out of range");
  check_fails_at("uint64_data: 18446744073709551616", 1, 14, "out of range");
  check_fails_at("data_location: ELSEWHERE", 1, 16, "no such value");
  check_fails_at("data_type: 1 data_type: 2", 1, 25, "multiple \"data_type\"");
  check_fails_at("[a.b]: 1", 1, 1, "extensions");
  check_fails_at("double_data: 010.5", 1, 14, "Couldn't parse the number");
  check_fails_at("name: \"\xff\"", 1, 1, "not UTF-8");
}

TEST(test_parse_when_two_members_of_a_oneof_are_given_then_throws) {
  CHECK_THROWS(ErrorKind::kDecode, "another member of oneof \"value\"",
               parsed<TensorShapeProto>("dim { dim_value: 1 dim_param: \"n\" }"));
}

TEST(test_parse_when_repeats_are_allowed_then_the_last_one_counts) {
  TextParseOptions options;
  options.allow_repeats = true;
  const auto shape = parsed<TensorShapeProto>(
      "dim { dim_value: 1 dim_param: \"n\" denotation: \"a\" denotation: \"b\" }", options);
  CHECK(!shape.dim()[0].has_dim_value());
  CHECK_EQ(shape.dim()[0].dim_param(), "n");
  CHECK_EQ(shape.dim()[0].denotation(), "b");
}

TEST(test_parse_when_unknown_fields_are_allowed_then_skips_them) {
  TextParseOptions options;
  options.allow_unknown_field = true;
  const auto node = parsed<NodeProto>(
      "a: 1 b { c: \"x\" 'y' d: [1, { e: 2 }, NAME] } f: -inf, g: []; op_type: \"Relu\"", options);
  CHECK_EQ(node.op_type(), "Relu");
}

TEST(test_parse_when_messages_are_too_deep_then_throws) {
  static_cast<void>(parsed<TypeProto>(nested(49)));
  CHECK_THROWS(ErrorKind::kDecode, "too deep", parsed<TypeProto>(nested(50)));
  TextParseOptions options;
  options.allow_unknown_field = true;
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    text += "a{";
  }
  CHECK_THROWS(ErrorKind::kDecode, "too deep", parsed<TypeProto>(text, options));
  options.max_recursion_depth = kDeepestText + 1;
  CHECK_THROWS(ErrorKind::kGeneric, "expected 1 to", parsed<TypeProto>("", options));
}

NOCOPY_TEST_MAIN
