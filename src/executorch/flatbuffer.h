#pragma once

// Reads flatbuffers that nobody vouches for. A schema is a constexpr table; `verify` walks a whole
// buffer by it, and after that `Table` may follow offsets without checking any.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace nocopy::executorch::flatbuffer {

enum class Kind : std::uint8_t {
  kUnused,     // a deprecated slot: nothing reads it
  kScalar,     // inline, `size` bytes
  kString,     // a string (checked to end in a zero byte)
  kScalars,    // a vector of `size`-byte elements
  kTable,      // one table of type `target`
  kTables,     // a vector of tables of type `target`; no element may be absent
  kUnionType,  // the type byte of the union in the next slot
  kUnion,      // a table whose type the slot before names; `target` indexes Schema::unions
};

struct Field {
  std::string_view name;
  Kind kind = Kind::kUnused;
  std::uint8_t size = 0;
  std::uint8_t target = 0;
  bool required = false;
};

struct TableType {
  std::string_view name;
  std::span<const Field> fields;  // by vtable slot
};

// The table type of each value of a union's type byte, from 1 on (0 is "none").
struct UnionType {
  std::string_view name;
  std::span<const std::uint8_t> members;
};

struct Schema {
  std::string_view what;  // names the buffer in messages, such as "the program"
  std::span<const TableType> tables;
  std::span<const UnionType> unions;
  std::uint8_t root = 0;
};

// Throws nocopy::Error(kProgram), naming the path to the fault, unless every offset, vtable,
// vector, string and union that `schema` describes lies inside `data`, is aligned (relative to
// data.data()) and is what it should be. Unknown fields of later versions are left alone. Work is
// bounded by the size of `data` also where tables are shared. Does not look at the contents of
// scalar vectors.
void verify(const Schema& schema, std::span<const std::byte> data);

template <typename T>
[[nodiscard]] T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// A vector in a verified buffer. Elements are copied out, so their alignment does not matter here.
template <typename T>
class Vector {
 public:
  Vector() = default;
  explicit Vector(const std::byte* at) noexcept
      : data_(at + sizeof(std::uint32_t)), size_(load<std::uint32_t>(at)) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T operator[](std::size_t i) const noexcept {
    return load<T>(data_ + i * sizeof(T));
  }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class Tables;

// A table in a verified buffer; null where the buffer has none. Borrows the buffer.
class Table {
 public:
  Table() = default;
  explicit Table(const std::byte* at) noexcept : at_(at) {}

  [[nodiscard]] static Table root(std::span<const std::byte> data) noexcept {
    return Table(data.data() + load<std::uint32_t>(data.data()));
  }

  [[nodiscard]] explicit operator bool() const noexcept { return at_ != nullptr; }
  [[nodiscard]] bool has(unsigned slot) const noexcept { return field(slot) != nullptr; }

  template <typename T>
  [[nodiscard]] T scalar(unsigned slot, T absent = T{}) const noexcept {
    const std::byte* at = field(slot);
    return at == nullptr ? absent : load<T>(at);
  }
  [[nodiscard]] Table table(unsigned slot) const noexcept { return Table(target(slot)); }
  [[nodiscard]] std::string_view string(unsigned slot) const noexcept {
    const std::byte* at = target(slot);
    if (at == nullptr) return {};
    return {reinterpret_cast<const char*>(at + sizeof(std::uint32_t)), load<std::uint32_t>(at)};
  }
  template <typename T>
  [[nodiscard]] Vector<T> scalars(unsigned slot) const noexcept {
    const std::byte* at = target(slot);
    return at == nullptr ? Vector<T>() : Vector<T>(at);
  }
  [[nodiscard]] Tables tables(unsigned slot) const noexcept;

 private:
  [[nodiscard]] const std::byte* field(unsigned slot) const noexcept {
    const std::byte* vtable = at_ - load<std::int32_t>(at_);
    const unsigned entry = 4 + 2 * slot;
    if (entry + 2 > load<std::uint16_t>(vtable)) return nullptr;
    const auto offset = load<std::uint16_t>(vtable + entry);
    return offset == 0 ? nullptr : at_ + offset;
  }
  [[nodiscard]] const std::byte* target(unsigned slot) const noexcept {
    const std::byte* at = field(slot);
    return at == nullptr ? nullptr : at + load<std::uint32_t>(at);
  }

  const std::byte* at_ = nullptr;
};

class Tables {
 public:
  explicit Tables(Vector<std::uint32_t> offsets) noexcept : offsets_(offsets) {}

  [[nodiscard]] std::size_t size() const noexcept { return offsets_.size(); }
  [[nodiscard]] Table operator[](std::size_t i) const noexcept {
    return Table(offsets_.data() + i * sizeof(std::uint32_t) + offsets_[i]);
  }

 private:
  Vector<std::uint32_t> offsets_;
};

inline Tables Table::tables(unsigned slot) const noexcept {
  return Tables(scalars<std::uint32_t>(slot));
}

}  // namespace nocopy::executorch::flatbuffer
