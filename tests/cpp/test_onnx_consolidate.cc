
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "check.h"
#include "onnx/consolidate.h"
#include "onnx/messages.h"

using nocopy::ByteSpan;
using nocopy::onnx::ConsolidateTensorsToBuffer;
using nocopy::onnx::ModelProto;
using nocopy::onnx::ParseOptions;
using nocopy::onnx::SerializeOptions;
using nocopy::onnx::TensorBufferOptions;
using nocopy::onnx::TensorProto;

namespace {

std::string payload(std::size_t seed, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(seed * 31 + i * 7 + i / 251);
  }
  return bytes;
}

std::string text(const ByteSpan& span) {
  return std::string(reinterpret_cast<const char*>(span.data()), span.size());
}

TensorProto& add(ModelProto& model, const std::string& bytes) {
  TensorProto& tensor = model.ref_graph().add_initializer();
  tensor.ref_raw_data().assign(bytes.data(), bytes.size());
  return tensor;
}

const ByteSpan& raw(const ModelProto& model, std::size_t index) {
  return model.graph().initializer()[index].raw_data();
}

std::size_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

TEST(test_tensors_when_consolidated_then_borrow_from_one_buffer_and_say_the_same) {
  ModelProto model;
  for (std::size_t i = 0; i < 4; ++i) {
    add(model, payload(i, 100 + i));
  }
  const std::string before = model.SerializeAsString();
  const auto buffer = ConsolidateTensorsToBuffer(model);
  CHECK(model.SerializeAsString() == before);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(raw(model, i).is_borrowed());
    CHECK(raw(model, i).data() == buffer.get() + offset);
    offset += raw(model, i).size();
  }
  CHECK_EQ(buffer.use_count(), 5L);
}

TEST(test_tensors_when_alignment_is_given_then_they_and_the_buffer_keep_to_it) {
  for (const std::size_t alignment : {std::size_t{64}, std::size_t{48}, std::size_t{4096},
                                      std::size_t{65536}, std::size_t{3} << 20}) {
    ModelProto model;
    for (std::size_t i = 0; i < 3; ++i) {
      add(model, payload(i, 100 + i));
    }
    TensorBufferOptions options;
    options.alignment = alignment;
    const auto buffer = ConsolidateTensorsToBuffer(model, options);
    CHECK_EQ(address(buffer.get()) % alignment, std::size_t{0});
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(raw(model, i).data() == buffer.get() + i * (alignment == 48   ? 144
                                                        : alignment == 64 ? 128
                                                                          : alignment));
      CHECK(text(raw(model, i)) == payload(i, 100 + i));
    }
  }
}

TEST(test_tensors_when_below_the_threshold_then_stay_as_they_are) {
  ModelProto model;
  add(model, payload(1, 99));
  add(model, payload(2, 100));
  add(model, "");
  const std::string lent = payload(3, 50);
  add(model, "").ref_raw_data().assign_borrowed(lent.data(), lent.size());
  model.ref_graph().add_initializer();
  const void* small = raw(model, 0).data();
  TensorBufferOptions options;
  options.raw_data_threshold = 100;
  const auto buffer = ConsolidateTensorsToBuffer(model, options);
  CHECK(raw(model, 0).data() == small && !raw(model, 0).is_borrowed());
  CHECK(raw(model, 1).data() == buffer.get());
  CHECK(raw(model, 3).data() == reinterpret_cast<const std::uint8_t*>(lent.data()));
  CHECK(!raw(model, 4).has_value());
  options.raw_data_threshold = 1000;
  CHECK(ConsolidateTensorsToBuffer(model, options) == nullptr);
}

TEST(test_options_of_every_class_then_are_accepted) {
  ModelProto model;
  add(model, payload(1, 100));
  add(model, payload(2, 2000));
  CHECK(ConsolidateTensorsToBuffer(model, ParseOptions()) != nullptr);
  CHECK(!raw(model, 0).is_borrowed());
  CHECK(ConsolidateTensorsToBuffer(model, SerializeOptions()) != nullptr);
  CHECK(raw(model, 0).is_borrowed());
}

TEST(test_tensors_everywhere_when_consolidated_then_all_borrow) {
  ModelProto model;
  auto& graph = model.ref_graph();
  std::vector<TensorProto*> tensors = {
      &graph.add_initializer(),
      &graph.add_sparse_initializer().ref_values(),
      &graph.add_node().add_attribute().ref_t(),
      &graph.add_node().add_attribute().add_tensors(),
      &graph.add_node().add_attribute().ref_g().add_initializer(),
      &model.add_functions().add_node().add_attribute().ref_t(),
      &model.add_functions().add_node().add_attribute().ref_g().add_initializer(),
      &model.add_training_info().ref_initialization().add_initializer(),
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string bytes = payload(i, 70);
    tensors[i]->ref_raw_data().assign(bytes.data(), bytes.size());
  }
  const auto buffer = ConsolidateTensorsToBuffer(model);
  CHECK_EQ(buffer.use_count(), static_cast<long>(tensors.size()) + 1);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    CHECK(tensors[i]->raw_data().is_borrowed());
    CHECK(text(tensors[i]->raw_data()) == payload(i, 70));
  }
}

TEST(test_buffer_when_nobody_borrows_any_more_then_goes) {
  std::weak_ptr<std::uint8_t[]> watch;
  ModelProto copy;
  {
    ModelProto model;
    add(model, payload(1, 100));
    add(model, payload(2, 100));
    watch = ConsolidateTensorsToBuffer(model);
    CHECK_EQ(watch.use_count(), 2L);
    model.ref_graph().ref_initializer()[0].ref_raw_data().assign("x", 1);
    CHECK_EQ(watch.use_count(), 1L);
    copy = model;
    CHECK_EQ(watch.use_count(), 2L);
    const ModelProto moved(std::move(model));
    CHECK_EQ(watch.use_count(), 2L);
  }
  CHECK_EQ(watch.use_count(), 1L);
  CHECK(text(raw(copy, 1)) == payload(2, 100));
  copy.Clear();
  CHECK(watch.expired());
}

TEST(test_pointer_when_kept_then_outlives_the_model) {
  std::shared_ptr<std::uint8_t[]> buffer;
  {
    ModelProto model;
    add(model, payload(1, 100));
    buffer = ConsolidateTensorsToBuffer(model);
  }
  CHECK(std::string(reinterpret_cast<char*>(buffer.get()), 100) == payload(1, 100));
}

TEST(test_deleters_when_consolidated_then_run_once_each_after_the_bytes_were_copied) {
  ModelProto model;
  std::string lent = payload(1, 100);
  std::vector<int> ran;
  TensorProto& first = add(model, "");
  first.ref_raw_data().assign_with_deleter(lent.data(), lent.size(), [&] {
    ran.push_back(1);
    std::memset(lent.data(), 0, lent.size());
  });
  TensorProto& second = add(model, payload(2, 100));
  second.ref_raw_data().attach_deleter([&] { ran.push_back(2); });
  const ModelProto copy = model;
  ConsolidateTensorsToBuffer(model);
  CHECK(ran.empty());  // the copy holds the old bytes
  CHECK(text(raw(copy, 0)) == payload(1, 100));
  ModelProto other = copy;
  const_cast<ModelProto&>(copy).Clear();
  CHECK(ran.empty());
  ConsolidateTensorsToBuffer(other);
  CHECK((ran == std::vector<int>{1, 2}));
  CHECK(text(raw(other, 0)) == payload(1, 100));
  CHECK(text(raw(model, 1)) == payload(2, 100));
}

TEST(test_tensors_that_shared_a_buffer_when_consolidated_then_release_it_with_the_last) {
  ModelProto model;
  auto shared = std::make_shared<std::string>(payload(9, 300));
  std::weak_ptr<std::string> watch = shared;
  for (std::size_t i = 0; i < 3; ++i) {  // the ranges overlap
    add(model, "").ref_raw_data().assign_borrowed(shared->data() + i * 50, 150, shared);
  }
  shared.reset();
  TensorBufferOptions options;
  options.raw_data_threshold = 151;
  ConsolidateTensorsToBuffer(model, options);
  CHECK_EQ(watch.use_count(), 3L);
  ConsolidateTensorsToBuffer(model);
  CHECK(watch.expired());
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(text(raw(model, i)) == payload(9, 300).substr(i * 50, 150));
  }
}

TEST(test_model_when_consolidated_again_then_the_first_buffer_goes) {
  ModelProto model;
  add(model, payload(1, 100));
  const std::weak_ptr<std::uint8_t[]> first = ConsolidateTensorsToBuffer(model);
  const auto second = ConsolidateTensorsToBuffer(model);
  CHECK(first.expired());
  CHECK(raw(model, 0).data() == second.get());
  CHECK(text(raw(model, 0)) == payload(1, 100));
}

TEST(test_deleter_that_changes_the_model_when_consolidated_then_nothing_is_lost) {
  ModelProto model;
  const std::string lent = payload(1, 100);
  add(model, "").ref_raw_data().assign_with_deleter(lent.data(), lent.size(), [&] {
    model.ref_graph().ref_initializer()[1].ref_raw_data().assign("longer than before", 18);
    model.ref_graph().ref_initializer().erase(2);
  });
  add(model, payload(2, 10));
  add(model, payload(3, 10));
  ConsolidateTensorsToBuffer(model);
  CHECK_EQ(model.graph().initializer().size(), std::size_t{2});
  CHECK(text(raw(model, 0)) == lent);
  CHECK_EQ(text(raw(model, 1)), "longer than before");
}

TEST(test_view_of_owned_bytes_when_consolidated_then_keeps_them) {
  ModelProto model;
  const std::string bytes = payload(1, std::size_t{1} << 20);
  add(model, bytes);
  add(model, bytes);
  ByteSpan& span = model.ref_graph().ref_initializer()[0].ref_raw_data();
  const std::uint8_t* at = span.data();
  const std::shared_ptr<void> kept = span.share();
  ConsolidateTensorsToBuffer(model);
  CHECK(std::memcmp(at, bytes.data(), bytes.size()) == 0);
  CHECK(text(raw(model, 0)) == bytes);
  CHECK(text(raw(model, 1)) == bytes);
}

TEST(test_deleter_of_owned_bytes_when_consolidated_then_still_sees_them) {
  ModelProto model;
  const std::string bytes = payload(1, std::size_t{1} << 20);
  TensorProto& tensor = add(model, bytes);
  const std::uint8_t* at = tensor.raw_data().data();
  bool same = false;
  tensor.ref_raw_data().attach_deleter(
      [&] { same = std::memcmp(at, bytes.data(), bytes.size()) == 0; });
  ConsolidateTensorsToBuffer(model);
  CHECK(same);
}

TEST(test_buffer_when_there_is_no_room_then_the_model_is_unchanged) {
  ModelProto model;
  add(model, payload(1, 100));
  add(model, payload(2, 100));
  const void* before = raw(model, 0).data();
  for (const std::size_t alignment : {SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 60}) {
    TensorBufferOptions options;
    options.alignment = alignment;
    bool failed = false;
    try {
      ConsolidateTensorsToBuffer(model, options);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    CHECK(failed);
    CHECK(raw(model, 0).data() == before && !raw(model, 0).is_borrowed());
  }
}

NOCOPY_TEST_MAIN
