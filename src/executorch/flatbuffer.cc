#include "executorch/flatbuffer.h"

#include <bit>

#include "memory/error.h"

namespace nocopy::executorch::flatbuffer {
namespace {

static_assert(std::endian::native == std::endian::little, "flatbuffers are little-endian");

// Where the walk is, as a list that lives on the stack: only a fault ever turns it into text.
struct Path {
  const Path* parent = nullptr;
  std::string_view field;
  std::size_t index = 0;
  bool indexed = false;

  [[nodiscard]] std::string text() const {
    std::string out = parent == nullptr ? std::string() : parent->text();
    if (!out.empty() && !field.empty()) out += '.';
    out += field;
    if (indexed) out.append("[").append(std::to_string(index)).append("]");
    return out;
  }
};

class Verifier {
 public:
  Verifier(const Schema& schema, std::span<const std::byte> data)
      : schema_(schema), data_(data), budget_(4 * data.size() + 1024) {}

  void run() {
    const Path top;
    if (data_.size() < 8) fail(top, "is shorter than a flatbuffer's header");
    if (data_.size() > 0x7fffffffU)
      fail(top, "is larger than the 2 GiB that a flatbuffer can hold");
    table(schema_.root, follow(top, 0), top);
  }

 private:
  [[noreturn]] void fail(const Path& path, std::string_view fault) const {
    std::string message(schema_.what);
    message += " is malformed: ";
    const std::string where = path.text();
    message += where.empty() ? "it" : where;
    message += ' ';
    message += fault;
    message += "; the file is damaged or cut short, export or fetch it again";
    throw Error(ErrorKind::kProgram, message);
  }

  void require(bool holds, const Path& path, std::string_view fault) const {
    if (!holds) [[unlikely]] {
      fail(path, fault);
    }
  }

  // Every byte is paid for as often as something refers to it. Builders refer to each object once,
  // so a file that runs out shares objects in order to be enormous when it is unfolded.
  void spend(std::size_t bytes, const Path& path) {
    require(bytes <= budget_, path, "refers to the same data too many times");
    budget_ -= bytes;
  }

  [[nodiscard]] bool inside(std::size_t at, std::size_t bytes) const noexcept {
    return at <= data_.size() && bytes <= data_.size() - at;
  }

  template <typename T>
  [[nodiscard]] T read(std::size_t at) const noexcept {
    return load<T>(data_.data() + at);
  }

  [[nodiscard]] bool aligned(std::size_t at, std::size_t alignment) const noexcept {
    return at % alignment == 0;
  }

  // Where the offset stored at `at` leads. The place itself was checked by the caller.
  [[nodiscard]] std::size_t follow(const Path& path, std::size_t at) const {
    const std::size_t to = at + read<std::uint32_t>(at);
    require(to != at && inside(to, 4), path, "points outside the buffer");
    require(aligned(to, 4), path, "points to a misaligned address");
    return to;
  }

  void table(std::uint8_t type, std::size_t at, const Path& path) {
    const TableType& layout = schema_.tables[type];
    // The vtable lies at a signed distance before the table.
    const auto vtable_at = static_cast<std::int64_t>(at) - read<std::int32_t>(at);
    require(vtable_at >= 0 && inside(static_cast<std::size_t>(vtable_at), 4), path,
            "has its vtable outside the buffer");
    const auto vtable = static_cast<std::size_t>(vtable_at);
    require(aligned(vtable, 2), path, "has a misaligned vtable");
    const std::size_t vtable_size = read<std::uint16_t>(vtable);
    const std::size_t table_size = read<std::uint16_t>(vtable + 2);
    require(vtable_size >= 4 && vtable_size % 2 == 0 && inside(vtable, vtable_size), path,
            "has a vtable of an impossible size");
    require(table_size >= 4 && inside(at, table_size), path, "reaches past the end of the buffer");
    spend(table_size, path);

    const std::size_t known = (vtable_size - 4) / 2;
    std::uint8_t union_type = 0;
    for (std::size_t slot = 0; slot < layout.fields.size(); ++slot) {
      const Field& field = layout.fields[slot];
      const std::size_t offset =
          slot < known ? read<std::uint16_t>(vtable + 4 + 2 * slot) : std::size_t{0};
      const Path here{&path, field.name};
      if (offset == 0) {
        require(!field.required, here, "is missing");
        if (field.kind == Kind::kUnionType) union_type = 0;
        require(field.kind != Kind::kUnion || union_type == 0, here, "is missing");
        continue;
      }
      if (field.kind == Kind::kUnused) continue;
      const std::size_t width = inline_size(field);
      require(offset >= 4 && offset + width <= table_size, here, "lies outside its table");
      require(aligned(at + offset, width), here, "is misaligned");
      if (field.kind == Kind::kUnionType) union_type = read<std::uint8_t>(at + offset);
      this->field(field, at + offset, union_type, here);
    }
  }

  [[nodiscard]] static std::size_t inline_size(const Field& field) noexcept {
    if (field.kind == Kind::kScalar) return field.size;
    return field.kind == Kind::kUnionType ? 1 : 4;
  }

  void field(const Field& field, std::size_t at, std::uint8_t union_type, const Path& path) {
    switch (field.kind) {
      case Kind::kUnused:
      case Kind::kScalar:
      case Kind::kUnionType:
        return;
      case Kind::kString: {
        const std::size_t to = follow(path, at);
        const std::size_t size = vector(to, 1, path);
        require(inside(to + 4, size + 1) && read<char>(to + 4 + size) == 0, path,
                "does not end in a zero byte");
        return;
      }
      case Kind::kScalars:
        vector(follow(path, at), field.size, path);
        return;
      case Kind::kTable:
        table(field.target, follow(path, at), path);
        return;
      case Kind::kTables: {
        const std::size_t to = follow(path, at);
        const std::size_t count = vector(to, 4, path);
        for (std::size_t i = 0; i < count; ++i) {
          const Path element{path.parent, path.field, i, true};
          table(field.target, follow(element, to + 4 + 4 * i), element);
        }
        return;
      }
      case Kind::kUnion: {
        const UnionType& members = schema_.unions[field.target];
        require(union_type != 0, path, "has no type");
        require(union_type <= members.members.size(), path, "is of an unknown type");
        table(members.members[union_type - 1U], follow(path, at), path);
        return;
      }
    }
  }

  // The number of elements of the vector at `at`.
  [[nodiscard]] std::size_t vector_size(std::size_t at) const noexcept {
    return read<std::uint32_t>(at);
  }
  std::size_t vector(std::size_t at, std::size_t element, const Path& path) {
    const std::size_t count = vector_size(at);
    require(count <= data_.size() / element && inside(at + 4, count * element), path,
            "is longer than the buffer");
    require(element == 1 || count == 0 || aligned(at + 4, element), path, "is misaligned");
    spend(4 + count * element, path);
    return count;
  }

  const Schema& schema_;
  std::span<const std::byte> data_;
  std::size_t budget_;
};

}  // namespace

void verify(const Schema& schema, std::span<const std::byte> data) { Verifier(schema, data).run(); }

}  // namespace nocopy::executorch::flatbuffer
