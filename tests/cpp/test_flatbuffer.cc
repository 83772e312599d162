// The flatbuffer verifier, on buffers put together by hand, one fault each.

#include <array>
#include <initializer_list>
#include <vector>

#include "check.h"
#include "executorch/flatbuffer.h"

namespace nocopy::executorch::flatbuffer {
namespace {

// A node holds a number, a name, bytes, longs, and further nodes.
constexpr std::array<Field, 5> kNodeFields = {{
    {"number", Kind::kScalar, 4},
    {"name", Kind::kString},
    {"longs", Kind::kScalars, 8},
    {"children", Kind::kTables, 0, 0},
    {"child", Kind::kTable, 0, 0},
}};
constexpr std::array<TableType, 1> kTables = {{{"Node", kNodeFields}}};
constexpr Schema kSchema{"the test", kTables, {}, 0};

class Buffer {
 public:
  Buffer() { put({0, 0}); }

  // Appends 32-bit words and gives the offset of the first.
  std::uint32_t put(std::initializer_list<std::uint32_t> words) {
    const std::uint32_t at = size();
    for (const std::uint32_t word : words) {
      words_.push_back(word);
    }
    return at;
  }

  // A table of one field, in `slot`, and gives the table's offset. The field's place is 4 after it.
  std::uint32_t table(unsigned slot, std::uint32_t value) {
    std::vector<std::uint16_t> vtable(2 + 5, 0);
    vtable[0] = 14;
    vtable[1] = 8;
    vtable[2 + slot] = 4;
    vtable.push_back(0);
    const std::uint32_t vtable_at = size();
    for (std::size_t i = 0; i < vtable.size(); i += 2) {
      put({vtable[i] | std::uint32_t{vtable[i + 1]} << 16U});
    }
    const std::uint32_t at = size();
    put({at - vtable_at, value});
    return at;
  }

  void set(std::uint32_t at, std::uint32_t word) { words_[at / 4] = word; }
  void point(std::uint32_t at, std::uint32_t to) { set(at, to - at); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(4 * words_.size()); }

  [[nodiscard]] std::span<const std::byte> root(std::uint32_t table_at) {
    set(0, table_at);
    return std::as_bytes(std::span(words_));
  }

 private:
  std::vector<std::uint32_t> words_;
};

std::string fault(std::span<const std::byte> data) {
  try {
    verify(kSchema, data);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool says(std::span<const std::byte> data, std::string_view what) {
  return fault(data).find(what) != std::string::npos;
}

}  // namespace

TEST(test_scalar_when_inside_its_table_then_read) {
  Buffer buffer;
  const auto at = buffer.table(0, 77);
  const auto data = buffer.root(at);
  CHECK_EQ(fault(data), "");
  CHECK_EQ(Table::root(data).scalar<std::uint32_t>(0), 77U);
  CHECK_EQ(Table::root(data).has(1), false);
}

TEST(test_root_when_outside_then_refused) {
  Buffer buffer;
  buffer.table(0, 77);
  CHECK(says(buffer.root(4096), "points outside the buffer"));
}

TEST(test_vtable_when_outside_then_refused) {
  Buffer buffer;
  const auto at = buffer.table(0, 77);
  buffer.set(at, 0xffff0000U);
  CHECK(says(buffer.root(at), "has its vtable outside the buffer"));
}

TEST(test_vtable_when_longer_than_the_buffer_then_refused) {
  Buffer buffer;
  const auto at = buffer.table(0, 77);
  buffer.set(at - 16, 0x0008fffeU);
  CHECK(says(buffer.root(at), "has a vtable of an impossible size"));
}

TEST(test_field_when_outside_its_table_then_refused) {
  Buffer buffer;
  const auto at = buffer.table(0, 77);
  buffer.set(at - 12, 100);
  CHECK(says(buffer.root(at), "number lies outside its table"));
}

TEST(test_string_when_not_terminated_then_refused) {
  Buffer buffer;
  const auto at = buffer.table(1, 0);
  const auto text = buffer.put({3, 0x7f636261U});
  buffer.point(at + 4, text);
  CHECK(says(buffer.root(at), "name does not end in a zero byte"));
}

TEST(test_string_when_terminated_then_read) {
  Buffer buffer;
  const auto at = buffer.table(1, 0);
  const auto text = buffer.put({3, 0x00636261U});
  buffer.point(at + 4, text);
  const auto data = buffer.root(at);
  CHECK_EQ(fault(data), "");
  CHECK_EQ(Table::root(data).string(1), "abc");
}

TEST(test_vector_when_longer_than_the_buffer_then_refused) {
  Buffer buffer;
  const auto at = buffer.table(2, 0);
  const auto longs = buffer.put({0x20000000U, 1, 2});
  buffer.point(at + 4, longs);
  CHECK(says(buffer.root(at), "longs is longer than the buffer"));
}

TEST(test_vector_when_misaligned_then_refused) {
  Buffer buffer;
  const auto at = buffer.table(2, 0);
  if (buffer.size() % 8 == 4) {
    buffer.put({0});
  }
  const auto longs = buffer.put({1, 1, 2});
  buffer.point(at + 4, longs);
  CHECK(says(buffer.root(at), "longs is misaligned"));
}

TEST(test_fault_when_in_a_list_then_names_the_element) {
  Buffer buffer;
  const auto leaf = buffer.table(0, 5);
  const auto at = buffer.table(3, 0);
  const auto list = buffer.put({2, 0, 0});
  buffer.point(at + 4, list);
  // Offsets are forward, so the good leaf lies behind the list.
  const auto good = buffer.table(0, 6);
  buffer.point(list + 4, good);
  buffer.set(list + 8, 0x7fffff00U);
  CHECK(says(buffer.root(at), "children[1] points outside the buffer"));
  CHECK(leaf != good);
}

TEST(test_objects_when_shared_over_and_over_then_refused) {
  // Each level lists the next one 64 times: 64^4 tables in twelve hundred bytes.
  Buffer buffer;
  const auto root = buffer.table(3, 0);
  std::uint32_t parent = root;
  for (int level = 0; level < 4; ++level) {
    const auto list = buffer.put({64});
    for (int i = 0; i < 64; ++i) {
      buffer.put({0});
    }
    buffer.point(parent + 4, list);
    const auto child = buffer.table(level == 3 ? 0 : 3, 0);
    for (std::uint32_t i = 0; i < 64; ++i) {
      buffer.point(list + 4 + 4 * i, child);
    }
    parent = child;
  }
  CHECK(says(buffer.root(root), "refers to the same data too many times"));
}

}  // namespace nocopy::executorch::flatbuffer

NOCOPY_TEST_MAIN
