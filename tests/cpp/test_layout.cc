#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.h"
#include "memory/dims.h"
#include "memory/layout.h"

using nocopy::contiguous_strides;
using nocopy::copy_strided;
using nocopy::dim_order_of;
using nocopy::Dims;
using nocopy::extent_of;
using nocopy::packed_nbytes;
using nocopy::packed_strides;
using nocopy::same_layout;

namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

}  // namespace

TEST(test_dims_when_longer_than_the_inline_room_then_keeps_its_values_through_copies_and_moves) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 20; ++i) {
    values.push_back(i * i - 3);
  }
  Dims dims(values);
  Dims copy = dims;
  CHECK(copy == dims);
  const Dims moved = std::move(copy);
  CHECK(moved == dims);
  CHECK_EQ(moved[19], 358);
  CHECK_EQ(copy.size(), 0U);  // NOLINT(bugprone-use-after-move): moved from means empty
  dims = Dims{7, 8};
  CHECK_EQ(dims.size(), 2U);
  CHECK_EQ(dims[1], 8);
}

TEST(test_packed_nbytes_when_a_product_does_not_fit_then_nothing) {
  CHECK_EQ(packed_nbytes(Dims{2, 3, 4}, 4).value(), 96);
  CHECK_EQ(packed_nbytes(Dims{}, 8).value(), 8);
  CHECK(!packed_nbytes(Dims{kHuge / 2, 3}, 1));
  CHECK(!packed_nbytes(Dims{-1}, 4));
}

TEST(test_packed_nbytes_when_empty_then_zero_unless_strides_could_not_be_made) {
  CHECK_EQ(packed_nbytes(Dims{0, 5}, 4).value(), 0);
  // The zero hides the product, but not from whoever multiplies the other sizes.
  CHECK(!packed_nbytes(Dims{0, kHuge, kHuge}, 4));
}

TEST(test_packed_strides_when_given_a_dim_order_then_bytes_in_that_order) {
  const std::vector<uint8_t> channels_last{0, 2, 3, 1};
  CHECK(packed_strides(Dims{2, 3, 4, 5}, channels_last, 4) == (Dims{240, 4, 60, 12}));
  CHECK(contiguous_strides(Dims{2, 3, 4, 5}, 4) == (Dims{240, 80, 20, 4}));
}

TEST(test_same_layout_when_strides_differ_in_a_size_one_dimension_then_same) {
  CHECK(same_layout(Dims{1, 3}, Dims{999, 4}, Dims{12, 4}));
  CHECK(!same_layout(Dims{2, 3}, Dims{999, 4}, Dims{12, 4}));
}

TEST(test_same_layout_when_empty_then_same) {
  CHECK(same_layout(Dims{2, 0, 3}, Dims{1, 2, 3}, Dims{0, 12, 4}));
}

TEST(test_dim_order_of_when_gap_overlap_or_reversed_then_nothing) {
  CHECK(dim_order_of(Dims{2, 3}, Dims{4, 8}, 4).value() == (Dims{1, 0}));
  CHECK(!dim_order_of(Dims{2, 3}, Dims{16, 4}, 4));   // a gap
  CHECK(!dim_order_of(Dims{2, 3}, Dims{0, 4}, 4));    // broadcast
  CHECK(!dim_order_of(Dims{2, 3}, Dims{-12, 4}, 4));  // reversed
}

TEST(test_extent_of_when_strides_are_negative_then_reaches_below_the_start) {
  const auto extent = extent_of(Dims{3, 2}, Dims{-8, 4}, 4);
  CHECK_EQ(extent->low, -16);
  CHECK_EQ(extent->high, 8);
  CHECK(!extent_of(Dims{kHuge, 2}, Dims{8, 4}, 4));
}

TEST(test_copy_strided_when_transposed_and_reversed_then_elements_in_their_places) {
  const std::vector<int32_t> source{0, 1, 2, 3, 4, 5};  // (2, 3)
  std::vector<int32_t> target(6, -1);
  // Read as its transpose (3, 2) with the second dimension reversed.
  copy_strided(reinterpret_cast<std::byte*>(target.data()), Dims{8, 4},
               reinterpret_cast<const std::byte*>(source.data() + 3), Dims{4, -12}, Dims{3, 2}, 4);
  CHECK(target == (std::vector<int32_t>{3, 0, 4, 1, 5, 2}));
}

TEST(test_to_string_when_given_sizes_then_reads_as_a_python_tuple) {
  CHECK_EQ(nocopy::to_string(Dims{}), "()");
  CHECK_EQ(nocopy::to_string(Dims{7}), "(7,)");
  CHECK_EQ(nocopy::to_string(Dims{1, 2}), "(1, 2)");
}

NOCOPY_TEST_MAIN
