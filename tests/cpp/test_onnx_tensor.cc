#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "check.h"
#include "memory/layout.h"
#include "onnx/messages.h"
#include "onnx/tensor_view.h"

using nocopy::Dims;
using nocopy::DType;
using nocopy::ErrorKind;
using nocopy::OwnedTensor;
using nocopy::onnx::AttributeProto;
using nocopy::onnx::GraphProto;
using nocopy::onnx::is_aligned;
using nocopy::onnx::ModelProto;
using nocopy::onnx::TensorProto;
using nocopy::onnx::view_tensor;

namespace {

constexpr float kValues[] = {1.5F, -2.5F, 3.25F, 4.0F};

TensorProto floats() {
  TensorProto tensor;
  tensor.set_name("w");
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.ref_dims().push_back(2);
  tensor.ref_dims().push_back(2);
  return tensor;
}

TensorProto lent(int& calls) {
  TensorProto tensor = floats();
  tensor.set_raw_data_with_deleter(kValues, sizeof(kValues), [&calls] { ++calls; });
  return tensor;
}

float value(const OwnedTensor& tensor, std::size_t i) {
  return static_cast<const float*>(tensor.view.data)[i];
}

}  // namespace

TEST(test_deleter_when_memory_was_allocated_by_the_caller_then_frees_it) {
  auto* memory = static_cast<std::uint8_t*>(std::malloc(16));
  std::memcpy(memory, kValues, 16);
  TensorProto tensor = floats();
  tensor.set_raw_data_with_deleter(memory, 16, [memory] { std::free(memory); });
  CHECK(tensor.raw_data().is_borrowed());
  CHECK(tensor.raw_data().data() == memory);
}

TEST(test_deleter_when_it_does_nothing_then_bytes_are_borrowed) {
  TensorProto tensor = floats();
  tensor.set_raw_data_with_deleter(kValues, sizeof(kValues), [] {});
  CHECK(tensor.raw_data().is_borrowed());
  CHECK_EQ(value(view_tensor(tensor), 2), 3.25F);
}

TEST(test_deleter_when_data_is_overwritten_cleared_or_destroyed_then_runs_once) {
  int calls = 0;
  {
    TensorProto tensor = lent(calls);
    tensor.set_raw_data("other");
    CHECK_EQ(calls, 1);
    tensor = lent(calls);
    tensor.clear_raw_data();
    CHECK_EQ(calls, 2);
    tensor = lent(calls);
    tensor.Clear();
    CHECK_EQ(calls, 3);
    tensor = lent(calls);
    tensor.set_raw_data_with_deleter("x", 1, [&calls] { calls += 10; });
    CHECK_EQ(calls, 4);
    tensor.ParseFromString("");
    CHECK_EQ(calls, 14);
    tensor = lent(calls);
  }
  CHECK_EQ(calls, 15);
}

TEST(test_deleter_when_a_model_is_copied_and_moved_then_runs_with_the_last) {
  int calls = 0;
  ModelProto moved;
  {
    ModelProto model;
    model.ref_graph().add_initializer() = lent(calls);
    {
      const ModelProto copy = model;
      CHECK(copy.graph().initializer()[0].raw_data().data() ==
            model.graph().initializer()[0].raw_data().data());
      CHECK(copy.graph().initializer()[0].raw_data().is_borrowed());
    }
    moved = std::move(model);
  }
  CHECK_EQ(calls, 0);
  moved.ref_graph().clear_initializer();
  CHECK_EQ(calls, 1);
}

TEST(test_deleter_when_attached_to_owned_data_then_it_stays_owned_also_when_moved) {
  int calls = 0;
  TensorProto tensor = floats();
  tensor.set_raw_data(std::string(16, 'a'));
  const std::uint8_t* bytes = tensor.raw_data().data();
  tensor.attach_raw_data_deleter([&calls] { ++calls; });
  TensorProto moved = std::move(tensor);
  CHECK(moved.raw_data().data() == bytes);
  CHECK(!moved.raw_data().is_borrowed());
  CHECK(moved.ref_raw_data().mutable_data() == bytes);
  moved.clear_raw_data();
  CHECK_EQ(calls, 1);
}

TEST(test_deleters_when_attached_to_borrowed_data_then_run_the_last_first) {
  std::string order;
  {
    TensorProto tensor = floats();
    tensor.set_raw_data_with_deleter(kValues, sizeof(kValues), [&] { order += 'a'; });
    tensor.attach_raw_data_deleter([&] { order += 'b'; });
    tensor.attach_raw_data_deleter([&] { order += 'c'; });
  }
  CHECK_EQ(order, "cba");
}

TEST(test_deleter_when_it_changes_the_list_that_its_tensor_is_taken_from_then_list_is_whole) {
  GraphProto graph;
  int calls = 0;
  const auto deleter = [&] {
    ++calls;
    graph.add_initializer().set_name("added");
  };
  for (int i = 0; i < 20; ++i) {
    graph.add_initializer().set_raw_data_with_deleter(kValues, 4, deleter);
  }
  graph.ref_initializer().erase(3, 10);
  CHECK_EQ(calls, 10);
  CHECK_EQ(graph.initializer().size(), 20U);
  graph.clear_initializer();
  CHECK_EQ(calls, 20);
  CHECK_EQ(graph.initializer().size(), 10U);
}

TEST(test_deleter_when_it_clears_what_is_merged_into_then_the_merge_is_done_before) {
  AttributeProto attribute;
  attribute.ref_t().set_raw_data_with_deleter(kValues, 4, [&] { attribute.clear_t(); });
  AttributeProto other;
  other.ref_t().set_raw_data("new");
  other.ref_t().set_doc_string("a text that is too long to be kept inside of the message");
  attribute.MergeFrom(other);
  CHECK(!attribute.has_t());
}

TEST(test_view_when_borrowed_then_is_read_only_and_holds_the_deleter_back) {
  int calls = 0;
  TensorProto tensor = lent(calls);
  OwnedTensor view = view_tensor(tensor);
  CHECK(view.view.read_only);
  CHECK(view.view.shape == (Dims{2, 2}));
  CHECK(view.view.strides == (Dims{8, 4}));
  CHECK(view.view.dtype == DType::kFloat32);
  tensor.clear_raw_data();
  CHECK_EQ(calls, 0);
  CHECK_EQ(value(view, 1), -2.5F);
  view.owner.reset();
  CHECK_EQ(calls, 1);
}

TEST(test_view_when_owned_then_is_writable_and_outlives_the_tensor) {
  OwnedTensor view;
  {
    TensorProto tensor = floats();
    tensor.ref_raw_data().assign(kValues, sizeof(kValues));
    view = view_tensor(tensor);
    CHECK(!view.view.read_only);
    static_cast<float*>(view.view.data)[0] = 9.0F;
    CHECK_EQ(value(view_tensor(tensor), 0), 9.0F);
    tensor.set_raw_data(std::string(16, 'x'));
  }
  CHECK_EQ(value(view, 0), 9.0F);
  CHECK_EQ(value(view, 3), 4.0F);
}

TEST(test_view_when_bytes_are_not_those_of_the_shape_then_throws) {
  TensorProto tensor = floats();
  tensor.set_raw_data(std::string(15, 'x'));
  CHECK_THROWS(ErrorKind::kShape, "'w' has 15 bytes", view_tensor(tensor));
  tensor.set_data_type(TensorProto::INT4);
  CHECK_THROWS(ErrorKind::kDType, "to_array", view_tensor(tensor));
  tensor.set_data_type(TensorProto::DOUBLE);
  tensor.clear_raw_data();
  tensor.ref_double_data().push_back(1.0);
  CHECK_THROWS(ErrorKind::kLayout, "double_data", view_tensor(tensor));
}

TEST(test_alignment_when_bytes_start_at_an_odd_place_then_is_told) {
  alignas(16) static const char kBytes[32] = {};
  TensorProto tensor = floats();
  for (std::size_t offset = 0; offset < 8; ++offset) {
    tensor.ref_raw_data().assign_borrowed(kBytes + offset, 16);
    CHECK_EQ(is_aligned(tensor), offset % 4 == 0);
  }
}

NOCOPY_TEST_MAIN
