"""Write the C++ classes, their tables and the Python stubs from ``messages.schema``.

Run without arguments after a change to the schema, or with ``--check`` to learn whether what is
checked in is what would be written.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
STUBS = HERE.parent.parent / "python" / "nocopy" / "onnx" / "_messages.pyi"
NOTE = "Written by src/onnx/generate.py from messages.schema; change that instead."

NUMBERS = {
    "int32": ("kInt32", "std::int32_t", "int", 0),
    "int64": ("kInt64", "std::int64_t", "int", 0),
    "uint64": ("kUint64", "std::uint64_t", "int", 0),
    "float": ("kFloat", "float", "float", 5),
    "double": ("kDouble", "double", "float", 1),
}
TEXTS = {
    "string": ("kString", "String", "str"),
    "bytes": ("kBytes", "String", "bytes"),
    "payload": ("kPayload", "ByteSpan", "bytes"),
}


@dataclass
class Enum:
    name: str
    parent: Message | None
    values: list[tuple[int, str]] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"{self.parent.path}.{self.name}" if self.parent else self.name


@dataclass
class Field:
    number: int
    label: str
    type: str
    name: str
    index: int
    has_bit: int = 0

    @property
    def repeated(self) -> bool:
        return self.label in ("repeated", "packed")

    @property
    def oneof(self) -> str | None:
        return self.label.partition(":")[2] or None


@dataclass
class Message:
    name: str
    parent: Message | None
    file: str
    enums: list[Enum] = field(default_factory=list)
    nested: list[Message] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"{self.parent.path}.{self.name}" if self.parent else self.name

    @property
    def cpp(self) -> str:
        return self.path.replace(".", "::")

    @property
    def oneofs(self) -> list[str]:
        return list(dict.fromkeys(f.oneof for f in self.fields if f.oneof))

    def walk(self) -> list[Message]:
        return [self, *(m for n in self.nested for m in n.walk())]


class Schema:
    """The parsed description."""

    def __init__(self, text: str) -> None:
        self.enums: list[Enum] = []
        self.roots: list[Message] = []
        file = ""
        open_at: list[tuple[int, Message | Enum]] = []
        for line in text.splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            depth = len(line) - len(line.lstrip())
            while open_at and open_at[-1][0] >= depth:
                open_at.pop()
            inside = open_at[-1][1] if open_at else None
            words = line.split()
            if words[0] == "file":
                file = words[1]
            elif words[0] == "message":
                assert inside is None or isinstance(inside, Message)
                message = Message(words[1], inside, file)
                (inside.nested if inside else self.roots).append(message)
                open_at.append((depth, message))
            elif words[0] == "enum":
                assert inside is None or isinstance(inside, Message)
                enum = Enum(words[1], inside)
                (inside.enums if inside else self.enums).append(enum)
                open_at.append((depth, enum))
            elif isinstance(inside, Enum):
                inside.values.append((int(words[0]), words[1]))
            else:
                assert isinstance(inside, Message)
                number, label, kind, name = words
                inside.fields.append(Field(int(number), label, kind, name, len(inside.fields)))
        self.messages = [m for root in self.roots for m in root.walk()]
        self.by_path = {m.path: m for m in self.messages}
        self.enum_paths = {e.path: e for e in self.enums}
        for message in self.messages:
            self.enum_paths.update({e.path: e for e in message.enums})
            bits = [f for f in message.fields if not f.repeated and self.is_number(f)]
            for bit, one in enumerate(bits):
                one.has_bit = bit
            assert len(bits) <= 16
            for one in message.fields:
                known = one.type in NUMBERS or one.type in TEXTS
                assert known or one.type in self.by_path or one.type in self.enum_paths, one
                assert one.number <= 31, "kLargestNumber in schema.h must grow"

    def is_number(self, f: Field) -> bool:
        return f.type in NUMBERS or f.type in self.enum_paths

    def kind(self, f: Field) -> str:
        if f.type in NUMBERS:
            return NUMBERS[f.type][0]
        if f.type in TEXTS:
            return TEXTS[f.type][0]
        return "kMessage" if f.type in self.by_path else "kEnum"

    def cpp_value(self, f: Field) -> str:
        if f.type in NUMBERS:
            return NUMBERS[f.type][1]
        if f.type in TEXTS:
            return TEXTS[f.type][1]
        return f.type.replace(".", "::")

    def cpp_member(self, f: Field) -> str:
        value = self.cpp_value(f)
        if f.type in self.by_path:
            return f"RepeatedMessage<{value}>" if f.repeated else f"MessageRef<{value}>"
        if f.repeated:
            return f"Repeated<{value}>"
        return value

    def tag(self, f: Field) -> int:
        if f.label == "packed" or not self.is_number(f):
            wire = 2
        elif f.type in NUMBERS:
            wire = NUMBERS[f.type][3]
        else:
            wire = 0
        return f.number << 3 | wire


def cpp_identifier(name: str) -> str:
    # A leading underscore and capital is the compiler's.
    return name.lstrip("_") if name.startswith("_") else name


def cpp_enum(enum: Enum, indent: str) -> list[str]:
    lines = [f"{indent}enum {enum.name} : std::int32_t {{"]
    lines += [f"{indent}  {cpp_identifier(name)} = {number}," for number, name in enum.values]
    return [*lines, f"{indent}}};"]


def cpp_accessors(schema: Schema, message: Message, f: Field) -> tuple[list[str], list[str]]:
    """Return the declarations of a field's accessors, and the definitions that come after all."""
    name, value, member = f.name, schema.cpp_value(f), schema.cpp_member(f)
    here, later = [], []
    if f.repeated:
        here.append(f"[[nodiscard]] const {member}& {name}() const noexcept {{ return {name}_; }}")
        here.append(f"[[nodiscard]] {member}& ref_{name}() noexcept {{ return {name}_; }}")
        if f.type in schema.by_path:
            here.append(f"{value}& add_{name}();")
            later.append(f"inline {value}& {message.cpp}::add_{name}() {{ return {name}_.add(); }}")
        else:
            here.append(
                f"void add_{name}({value} value) {{ {name}_.push_back(std::move(value)); }}"
            )
        here.append(f"void clear_{name}() noexcept {{ {name}_.clear(); }}")
        return here, later
    position = sorted(message.fields, key=lambda o: o.number).index(f)
    alone = f"clear_other_members(kFields[{position}]); " if f.oneof else ""
    if schema.is_number(f):
        bit = f.has_bit
        here.append(f"[[nodiscard]] bool has_{name}() const noexcept {{ return has_bit({bit}); }}")
        here.append(f"[[nodiscard]] {value} {name}() const noexcept {{ return {name}_; }}")
        here.append(
            f"void set_{name}({value} value) noexcept"
            f" {{ {alone}set_has_bit({bit}); {name}_ = value; }}"
        )
        here.append(f"void clear_{name}() noexcept {{ clear_has_bit({bit}); {name}_ = {{}}; }}")
        return here, later
    here.append(f"[[nodiscard]] bool has_{name}() const noexcept {{ return {name}_.has_value(); }}")
    if f.type in schema.by_path:
        here.append(f"[[nodiscard]] const {value}& {name}() const;")
        here.append(f"[[nodiscard]] {value}& ref_{name}();")
        here.append(f"void clear_{name}() noexcept {{ {name}_.reset(); }}")
        later.append(
            f"inline const {value}& {message.cpp}::{name}() const"
            f" {{ return {name}_.value_or_default(); }}"
        )
        later.append(
            f"inline {value}& {message.cpp}::ref_{name}() {{ {alone}return {name}_.ensure(); }}"
        )
        return here, later
    here.append(f"[[nodiscard]] const {value}& {name}() const noexcept {{ return {name}_; }}")
    here.append(f"[[nodiscard]] {value}& ref_{name}() noexcept {{ {alone}return {name}_; }}")
    if f.type == "payload":
        here += [
            f"void set_{name}(std::string_view bytes)"
            f" {{ {name}_.assign(bytes.data(), bytes.size()); }}",
            "template <typename Deleter>",
            f"void set_{name}_with_deleter(const void* data, std::size_t size, Deleter&& deleter)"
            f" {{ {name}_.assign_with_deleter(data, size, std::forward<Deleter>(deleter)); }}",
            "template <typename Deleter>",
            f"void attach_{name}_deleter(Deleter&& deleter)"
            f" {{ {name}_.attach_deleter(std::forward<Deleter>(deleter)); }}",
        ]
    else:
        here.append(f"void set_{name}(std::string_view text) {{ {alone}{name}_.assign(text); }}")
    here.append(f"void clear_{name}() noexcept {{ {name}_.clear(); }}")
    return here, later


def cpp_class(schema: Schema, message: Message) -> tuple[list[str], list[str]]:
    name = message.name
    lines = [f"class {message.cpp} final : public Message {{", " public:"]
    for enum in message.enums:
        lines += cpp_enum(enum, "  ")
    lines += [f"  class {n.name};" for n in message.nested]
    lines += [
        "  static const MessageSchema kSchema;",
        "",
        f"  {name}() noexcept : Message(kSchema) {{}}",
        f"  {name}(const {name}& other) : {name}() {{ CopyFrom(other); }}",
        f"  {name}({name}&& other) noexcept : {name}() {{ swap(other); }}",
        f"  {name}& operator=(const {name}& other) {{ CopyFrom(other); return *this; }}",
        f"  {name}& operator=({name}&& other) noexcept {{ swap(other); return *this; }}",
        f"  ~{name}() = default;",
        f"  void swap({name}& other) noexcept {{ Message::swap(other); }}",
        f"  friend bool operator==(const {name}& a, const {name}& b) {{ return a.Equals(b); }}",
    ]
    later: list[str] = []
    for oneof in message.oneofs:
        members = [f for f in message.fields if f.oneof == oneof]
        case = "".join(part.capitalize() for part in oneof.split("_")) + "Case"
        names = ["k" + "".join(p.capitalize() for p in f.name.split("_")) for f in members]
        lines += ["", f"  enum class {case} : std::uint8_t {{ kNotSet, {', '.join(names)} }};"]
        lines.append(f"  [[nodiscard]] {case} {oneof}_case() const noexcept {{")
        for f, constant in zip(members, names, strict=True):
            lines.append(f"    if (has_{f.name}()) {{ return {case}::{constant}; }}")
        lines += [f"    return {case}::kNotSet;", "  }"]
    for f in message.fields:
        here, after = cpp_accessors(schema, message, f)
        lines += ["", *("  " + line for line in here)]
        later += after
    lines += ["", " private:", f"  static const FieldSchema kFields[{len(message.fields)}];"]
    # Members of eight bytes first, so that there is no padding between them.
    small = {"int32", "float"}
    for f in sorted(
        message.fields,
        key=lambda f: not f.repeated and (f.type in small or f.type in schema.enum_paths),
    ):
        init = "{}" if schema.is_number(f) and not f.repeated else ""
        lines.append(f"  {schema.cpp_member(f)} {f.name}_{init};")
    return [*lines, "};", ""], later


def header(schema: Schema) -> str:
    lines = [
        "#pragma once",
        "",
        f"// {NOTE}",
        "//",
        "// For each field `x` of a message: x() reads it (its default where it is not set), ref_x()",
        "// is for changing it in place, set_x() and clear_x() do what they say, has_x() tells whether",
        "// it is set, and add_x() appends to a repeated one. ref_x() makes a submessage that is not",
        "// there; it does not make a string or raw data set, but assigning through it does.",
        "",
        "#include <cstdint>",
        "#include <string_view>",
        "#include <utility>",
        "",
        '#include "onnx/message.h"',
        "",
        "namespace nocopy::onnx {",
        "",
    ]
    lines += [f"class {m.name};" for m in schema.roots] + [""]
    for enum in schema.enums:
        lines += [*cpp_enum(enum, ""), ""]
    later: list[str] = []
    for message in schema.messages:
        body, after = cpp_class(schema, message)
        lines += body
        later += after
    return "\n".join([*lines, *later, "", "}  // namespace nocopy::onnx", ""])


def reference(path: str) -> str:
    """Return the name of the table of an enum."""
    return "k" + path.replace(".", "") + "Enum"


def tables(schema: Schema) -> str:
    lines = [
        f"// {NOTE}",
        "",
        "#include <cstddef>",
        "",
        '#include "onnx/messages.h"',
        "",
        "// The classes have a base with members, for which offsetof is conditionally supported; the",
        "// compilers that this is built with support it.",
        '#pragma GCC diagnostic ignored "-Winvalid-offsetof"',
        "",
        "namespace nocopy::onnx {",
        "namespace {",
        "",
    ]
    for path, enum in schema.enum_paths.items():
        name = reference(path)
        lines.append(f"constexpr EnumValue {name}Values[] = {{")
        lines += [f'    {{"{value}", {number}}},' for number, value in enum.values]
        containing = f"&{enum.parent.cpp}::kSchema" if enum.parent else "nullptr"
        lines += [
            "};",
            f'constexpr EnumSchema {name}{{"{enum.name}", "onnx.{path}", {containing},'
            f" {name}Values}};",
            "",
        ]
    for message in schema.messages:
        base = "k" + message.path.replace(".", "")
        if message.oneofs:
            names = ", ".join(f'"{o}"' for o in message.oneofs)
            lines.append(f"constexpr std::string_view {base}Oneofs[] = {{{names}}};")
        if message.enums:
            names = ", ".join("&" + reference(e.path) for e in message.enums)
            lines.append(f"constexpr const EnumSchema* {base}Enums[] = {{{names}}};")
        if message.nested:
            names = ", ".join(f"&{n.cpp}::kSchema" for n in message.nested)
            lines.append(f"constexpr const MessageSchema* {base}Nested[] = {{{names}}};")
    lines += ["", "}  // namespace", ""]
    for index, message in enumerate(schema.messages):
        base = "k" + message.path.replace(".", "")
        ordered = sorted(message.fields, key=lambda f: f.number)
        lines.append(f"constexpr FieldSchema {message.cpp}::kFields[] = {{")
        for f in ordered:
            kind = schema.kind(f)
            label = {"repeated": "kRepeated", "packed": "kPacked"}.get(f.label, "kOptional")
            oneof = message.oneofs.index(f.oneof) if f.oneof else -1
            sub = f"&{f.type.replace('.', '::')}::kSchema" if kind == "kMessage" else "nullptr"
            enum_table = f"&{reference(f.type)}" if kind == "kEnum" else "nullptr"
            lines.append(
                f'    {{"{f.name}", {f.number}, Kind::{kind}, Label::{label}, {f.index},'
                f" {f.has_bit}, {oneof}, {schema.tag(f)}, offsetof({message.cpp}, {f.name}_),"
                f" {sub}, {enum_table}}},"
            )
        by_number = [0] * 32
        for position, f in enumerate(ordered):
            by_number[f.number] = position + 1
        containing = f"&{message.parent.cpp}::kSchema" if message.parent else "nullptr"
        none = "{}"
        lines += [
            "};",
            f"constexpr MessageSchema {message.cpp}::kSchema{{",
            f'    "{message.name}", "onnx.{message.path}", "{message.file}", {index},',
            f"    sizeof({message.cpp}), {containing}, kFields,",
            f"    {base + 'Oneofs' if message.oneofs else none},"
            f" {base + 'Enums' if message.enums else none},"
            f" {base + 'Nested' if message.nested else none},",
            f"    &create_message<{message.cpp}>, &destroy_message<{message.cpp}>,",
            f"    {{{', '.join(map(str, by_number))}}}}};",
            "",
        ]
    everything = ", ".join(f"&{m.cpp}::kSchema" for m in schema.messages)
    enums = ", ".join("&" + reference(e.path) for e in schema.enums)
    lines += [
        "std::span<const MessageSchema* const> all_messages() noexcept {",
        f"  static constexpr const MessageSchema* kAll[] = {{{everything}}};",
        "  return kAll;",
        "}",
        "",
        "std::span<const EnumSchema* const> all_enums() noexcept {",
        f"  static constexpr const EnumSchema* kAll[] = {{{enums}}};",
        "  return kAll;",
        "}",
        "",
        "}  // namespace nocopy::onnx",
        "",
    ]
    return "\n".join(lines)


def python_type(schema: Schema, f: Field) -> str:
    """Return the Python type of one value of a field."""
    if f.type in NUMBERS:
        return NUMBERS[f.type][2]
    if f.type in TEXTS:
        return TEXTS[f.type][2]
    return f.type if f.type in schema.by_path else "int"


def stub_class(schema: Schema, message: Message, indent: str) -> list[str]:
    inner = indent + "    "
    lines = [f"{indent}class {message.name}(Message):", f"{inner}DESCRIPTOR: ClassVar[Descriptor]"]
    for enum in message.enums:
        lines.append(f"{inner}{enum.name}: ClassVar[EnumTypeWrapper]")
        lines += [f"{inner}{name}: ClassVar[int]" for _, name in enum.values]
    for nested in message.nested:
        lines += stub_class(schema, nested, inner)
    lines += [f"{inner}{f.name.upper()}_FIELD_NUMBER: ClassVar[int]" for f in message.fields]
    arguments = []
    for f in message.fields:
        value = python_type(schema, f)
        if f.type in schema.by_path:
            given = f"{value} | dict[str, Any]"
        elif f.type in schema.enum_paths:
            given = "int | str"
        else:
            given = "str | bytes" if value == "str" else value
        arguments.append(
            f"{f.name}: " + (f"Iterable[{given}]" if f.repeated else given) + " | None = ..."
        )
        if f.type in schema.by_path or f.repeated:
            kind = "Composite" if f.type in schema.by_path else "Scalar"
            kept = f"Repeated{kind}Container[{value}]" if f.repeated else value
            lines += [f"{inner}@property", f"{inner}def {f.name}(self) -> {kept}: ..."]
        else:
            lines.append(f"{inner}{f.name}: {value}")
    lines += [f"{inner}def __init__(", f"{inner}    self,", f"{inner}    *,"]
    lines += [f"{inner}    {argument}," for argument in arguments]
    lines.append(f"{inner}) -> None: ...")
    if message.name == "TensorProto":
        lines += [
            f"{inner}def __array__(",
            f"{inner}    self, dtype: Any = None, copy: bool | None = None",
            f"{inner}) -> Any: ...",
            f"{inner}@property",
            f"{inner}def is_aligned(self) -> bool: ...",
            f"{inner}def view(self) -> TensorBuffer: ...",
            f"{inner}def set_raw_data_with_deleter(",
            f"{inner}    self, buffer: Any, deleter: Callable[[], object] | None = None",
            f"{inner}) -> None: ...",
            f"{inner}def attach_raw_data_deleter(",
            f"{inner}    self, deleter: Callable[[], object] | None, /",
            f"{inner}) -> None: ...",
            f"{inner}def __dlpack__(",
            f"{inner}    self,",
            f"{inner}    *,",
            f"{inner}    stream: Any = None,",
            f"{inner}    max_version: tuple[int, int] | None = None,",
            f"{inner}    dl_device: tuple[int, int] | None = None,",
            f"{inner}    copy: bool | None = None,",
            f"{inner}) -> Any: ...",
            f"{inner}def __dlpack_device__(self) -> tuple[int, int]: ...",
        ]
    return lines


def stubs(schema: Schema) -> str:
    lines = ["# " + NOTE, (HERE / "messages_head.pyi").read_text().rstrip(), ""]
    for enum in schema.enums:
        lines.append(f"{enum.name}: EnumTypeWrapper")
        lines += [f"{name}: int" for _, name in enum.values]
    for message in schema.roots:
        lines += ["", *stub_class(schema, message, "")]
    command = [sys.executable, "-m", "ruff", "format", "--line-length=100", "-"]
    command.append("--stdin-filename=_messages.pyi")
    text = "\n".join([*lines, ""])
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def formatted(name: str, text: str) -> str:
    command = ["clang-format", f"--assume-filename={HERE / name}"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def outputs() -> dict[Path, str]:
    schema = Schema((HERE / "messages.schema").read_text())
    return {
        HERE / "messages.h": formatted("messages.h", header(schema)),
        HERE / "messages.cc": formatted("messages.cc", tables(schema)),
        STUBS: stubs(schema),
    }


def main() -> int:
    made = outputs()
    stale = [p for p, text in made.items() if not p.exists() or p.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path} is not what messages.schema says; run {Path(__file__).name}")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
