#include <string>
#include <string_view>
#include <utility>

#include "check.h"
#include "memory/byte_span.h"

using nocopy::ByteSpan;
using nocopy::ReleaseLater;

namespace {

std::string text(const ByteSpan& span) {
  return std::string(reinterpret_cast<const char*>(span.data()), span.size());
}

const char kLent[] = "lent bytes";

}  // namespace

TEST(test_span_when_new_then_has_no_value_which_zero_bytes_are) {
  ByteSpan span;
  CHECK(!span.has_value());
  CHECK(span.empty());
  span.assign("", 0);
  CHECK(span.has_value());
  CHECK_EQ(span.size(), std::size_t{0});
  span.clear();
  CHECK(!span.has_value());
}

TEST(test_span_when_assigned_then_owns_a_copy) {
  std::string source = "abcdef";
  ByteSpan span;
  span.assign(source.data(), source.size());
  source[0] = 'x';
  CHECK_EQ(text(span), "abcdef");
  CHECK(!span.is_borrowed());
  CHECK(span.mutable_data() != nullptr);
}

TEST(test_span_when_assigned_from_itself_then_bytes_are_right) {
  ByteSpan span;
  span.assign("abcdef", 6);
  span.assign(span.data() + 2, 3);
  CHECK_EQ(text(span), "cde");
}

TEST(test_span_when_borrowed_then_points_there_and_cannot_be_written) {
  ByteSpan span;
  span.assign_borrowed(kLent, 4);
  CHECK(span.is_borrowed());
  CHECK_EQ(static_cast<const void*>(span.data()), static_cast<const void*>(kLent));
  CHECK(span.mutable_data() == nullptr);
  CHECK(span.owner() == nullptr);
}

TEST(test_span_when_large_then_starts_at_a_multiple_of_64) {
  ByteSpan span;
  static_cast<void>(span.assign_uninitialized(5000));
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(span.data()) % 64, std::uintptr_t{0});
}

TEST(test_copy_when_owned_then_has_other_bytes_and_when_borrowed_then_the_same) {
  ByteSpan owned;
  owned.assign("abc", 3);
  ByteSpan copy = owned;
  CHECK(copy.data() != owned.data());
  CHECK_EQ(text(copy), "abc");
  ByteSpan borrowed;
  borrowed.assign_borrowed(kLent, 4);
  copy = borrowed;
  CHECK(copy.data() == borrowed.data());
  CHECK(copy.is_borrowed());
}

TEST(test_move_then_mode_and_bytes_move_and_nothing_stays) {
  ByteSpan owned;
  owned.assign("abc", 3);
  const void* bytes = owned.data();
  ByteSpan moved = std::move(owned);
  CHECK_EQ(static_cast<const void*>(moved.data()), bytes);
  CHECK(!moved.is_borrowed());
  CHECK(!owned.has_value());  // NOLINT(bugprone-use-after-move): what is left is what is tested
}

TEST(test_deleter_when_copies_share_it_then_runs_once_with_the_last) {
  int calls = 0;
  ByteSpan span;
  span.assign_with_deleter(kLent, 4, [&] { ++calls; });
  {
    ByteSpan copy = span;
    ByteSpan moved = std::move(copy);
    span.clear();
    CHECK_EQ(calls, 0);
  }
  CHECK_EQ(calls, 1);
}

TEST(test_deleter_when_bytes_are_overwritten_then_runs) {
  int calls = 0;
  ByteSpan span;
  span.assign_with_deleter(kLent, 4, [&] { ++calls; });
  span.assign("x", 1);
  CHECK_EQ(calls, 1);
  CHECK_EQ(text(span), "x");
}

TEST(test_deleter_when_attached_then_bytes_and_mode_stay_and_it_sees_them) {
  std::string seen;
  ByteSpan span;
  span.assign("abc", 3);
  const std::uint8_t* bytes = span.data();
  span.attach_deleter([&] { seen.assign(reinterpret_cast<const char*>(bytes), 3); });
  CHECK(span.data() == bytes);
  CHECK(!span.is_borrowed());
  span.clear();
  CHECK_EQ(seen, "abc");
}

TEST(test_deleters_when_attached_twice_then_each_runs_once_the_last_first) {
  std::string order;
  {
    ByteSpan span;
    span.assign_with_deleter(kLent, 4, [&] { order += 'a'; });
    span.attach_deleter([&] { order += 'b'; });
    span.attach_deleter([&] { order += 'c'; });
    CHECK_EQ(order, "");
  }
  CHECK_EQ(order, "cba");
}

TEST(test_deleter_when_the_span_is_overwritten_by_its_own_deleter_then_keeps_what_that_set) {
  int calls = 0;
  ByteSpan span;
  span.assign_with_deleter(kLent, 4, [&] {
    ++calls;
    span.assign("inner", 5);
  });
  span.assign("outer", 5);
  CHECK_EQ(calls, 1);
  CHECK_EQ(text(span), "inner");
}

TEST(test_deleters_when_very_many_are_attached_then_all_run_without_using_up_the_stack) {
  constexpr int kMany = 500'000;
  int calls = 0;
  ByteSpan span;
  span.assign("abc", 3);
  for (int i = 0; i < kMany; ++i) {
    span.attach_deleter([&calls, i] {
      CHECK_EQ(calls, kMany - 1 - i);
      ++calls;
    });
  }
  span.clear();
  CHECK_EQ(calls, kMany);
}

TEST(test_deleters_when_one_lets_go_of_another_chain_then_that_goes_at_once) {
  std::string order;
  ByteSpan other;
  other.assign_with_deleter(kLent, 4, [&] { order += 'y'; });
  other.attach_deleter([&] { order += 'x'; });
  ByteSpan span;
  span.assign_with_deleter(kLent, 4, [&] { order += 'b'; });
  span.attach_deleter([&] {
    other.clear();
    order += 'a';
  });
  span.clear();
  CHECK_EQ(order, "xyab");
}

TEST(test_release_later_then_deleters_wait_and_see_their_bytes) {
  std::string seen;
  ByteSpan span;
  span.assign("abc", 3);
  const std::uint8_t* bytes = span.data();
  span.attach_deleter([&] { seen.assign(reinterpret_cast<const char*>(bytes), 3); });
  {
    const ReleaseLater outer;
    {
      const ReleaseLater inner;
      span.assign("new", 3);
    }
    CHECK_EQ(seen, "");
    CHECK_EQ(text(span), "new");
  }
  CHECK_EQ(seen, "abc");
}

NOCOPY_TEST_MAIN
