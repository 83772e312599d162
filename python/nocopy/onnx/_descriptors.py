"""What describes messages, fields and enums: the readable part of protobuf's descriptors.

Made from the same tables that the core parses by, at the first look at any ``DESCRIPTOR``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from nocopy import _core

__all__ = [
    "Descriptor",
    "EnumDescriptor",
    "EnumValueDescriptor",
    "FieldDescriptor",
    "FileDescriptor",
    "OneofDescriptor",
    "enum_descriptor",
    "message_descriptor",
]

# By the core's numbering of kinds: protobuf's TYPE_ and CPPTYPE_ numbers and the default value.
_KINDS: tuple[tuple[int, int, Any], ...] = (
    (5, 1, 0),  # int32
    (3, 2, 0),  # int64
    (4, 4, 0),  # uint64
    (2, 6, 0.0),  # float
    (1, 5, 0.0),  # double
    (14, 8, 0),  # enum
    (9, 9, ""),  # string
    (12, 9, b""),  # bytes
    (12, 9, b""),  # bytes, as payload
    (11, 10, None),  # message
)


class FileDescriptor:
    """The file that a message was defined in."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.package = "onnx"
        self.message_types_by_name: dict[str, Descriptor] = {}
        self.enum_types_by_name: dict[str, EnumDescriptor] = {}


class EnumValueDescriptor:
    """A name and number of an enum."""

    def __init__(self, name: str, number: int, index: int, enum: EnumDescriptor) -> None:
        self.name = name
        self.number = number
        self.index = index
        self.type = enum


class EnumDescriptor:
    """An enum."""

    def __init__(
        self,
        name: str,
        full_name: str,
        values: tuple[tuple[str, int], ...],
        containing_type: Descriptor | None,
    ) -> None:
        self.name = name
        self.full_name = full_name
        self.containing_type = containing_type
        self.is_closed = True
        self.values = [EnumValueDescriptor(n, v, i, self) for i, (n, v) in enumerate(values)]
        self.values_by_name = {v.name: v for v in self.values}
        self.values_by_number = {v.number: v for v in self.values}


class OneofDescriptor:
    """A group of fields of which at most one is set."""

    def __init__(self, name: str, index: int, containing_type: Descriptor) -> None:
        self.name = name
        self.full_name = f"{containing_type.full_name}.{name}"
        self.index = index
        self.containing_type = containing_type
        self.fields: list[FieldDescriptor] = []


class FieldDescriptor:
    """A field of a message."""

    TYPE_DOUBLE = 1
    TYPE_FLOAT = 2
    TYPE_INT64 = 3
    TYPE_UINT64 = 4
    TYPE_INT32 = 5
    TYPE_BOOL = 8
    TYPE_STRING = 9
    TYPE_GROUP = 10
    TYPE_MESSAGE = 11
    TYPE_BYTES = 12
    TYPE_UINT32 = 13
    TYPE_ENUM = 14

    CPPTYPE_INT32 = 1
    CPPTYPE_INT64 = 2
    CPPTYPE_UINT32 = 3
    CPPTYPE_UINT64 = 4
    CPPTYPE_DOUBLE = 5
    CPPTYPE_FLOAT = 6
    CPPTYPE_BOOL = 7
    CPPTYPE_ENUM = 8
    CPPTYPE_STRING = 9
    CPPTYPE_MESSAGE = 10

    LABEL_OPTIONAL = 1
    LABEL_REQUIRED = 2
    LABEL_REPEATED = 3

    def __init__(
        self, name: str, number: int, kind: int, label: int, index: int, containing_type: Descriptor
    ) -> None:
        self.name = name
        self.full_name = f"{containing_type.full_name}.{name}"
        self.number = number
        self.index = index
        self.type, self.cpp_type, default = _KINDS[kind]
        self.is_repeated = label != 0
        self.is_packed = label == 2
        self.is_required = False
        self.is_extension = False
        self.has_presence = not self.is_repeated
        self.label = self.LABEL_REPEATED if self.is_repeated else self.LABEL_OPTIONAL
        self.has_default_value = False
        self.default_value: Any = [] if self.is_repeated else default
        self.containing_type = containing_type
        self.containing_oneof: OneofDescriptor | None = None
        self.message_type: Descriptor | None = None
        self.enum_type: EnumDescriptor | None = None
        head, *rest = name.split("_")
        self.camelcase_name = head + "".join(part.capitalize() for part in rest)
        self.json_name = self.camelcase_name

    def __repr__(self) -> str:
        return f"<FieldDescriptor {self.full_name}>"


class Descriptor:
    """A message."""

    def __init__(
        self, name: str, full_name: str, file: FileDescriptor, containing_type: Descriptor | None
    ) -> None:
        self.name = name
        self.full_name = full_name
        self.file = file
        self.containing_type = containing_type
        self.is_extendable = False
        self.extensions: list[FieldDescriptor] = []
        self.fields: list[FieldDescriptor] = []
        self.fields_by_name: dict[str, FieldDescriptor] = {}
        self.fields_by_number: dict[int, FieldDescriptor] = {}
        self.nested_types: list[Descriptor] = []
        self.nested_types_by_name: dict[str, Descriptor] = {}
        self.enum_types: list[EnumDescriptor] = []
        self.enum_types_by_name: dict[str, EnumDescriptor] = {}
        self.enum_values_by_name: dict[str, EnumValueDescriptor] = {}
        self.oneofs: list[OneofDescriptor] = []
        self.oneofs_by_name: dict[str, OneofDescriptor] = {}

    @property
    def _concrete_class(self) -> type:
        from nocopy.onnx import _messages

        found: Any = _messages
        for part in self.full_name.split(".")[1:]:
            found = getattr(found, part)
        return found  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<Descriptor {self.full_name}>"


@cache
def _all() -> tuple[dict[str, Descriptor], dict[str, EnumDescriptor]]:
    files: dict[str, FileDescriptor] = {}
    messages: list[Descriptor] = []
    enums: dict[str, EnumDescriptor] = {}
    rows = _core.onnx_messages()
    for name, full_name, file_name, outer, _, oneofs, enum_rows in rows:
        file = files.setdefault(file_name, FileDescriptor(file_name))
        parent = messages[outer] if outer is not None else None
        message = Descriptor(name, full_name, file, parent)
        messages.append(message)
        if parent is None:
            file.message_types_by_name[name] = message
        else:
            parent.nested_types.append(message)
            parent.nested_types_by_name[name] = message
        message.oneofs = [OneofDescriptor(one, i, message) for i, one in enumerate(oneofs)]
        message.oneofs_by_name = {one.name: one for one in message.oneofs}
        for enum_name, enum_full_name, _, values in enum_rows:
            enum = EnumDescriptor(enum_name, enum_full_name, values, message)
            enums[enum_full_name] = enum
            message.enum_types.append(enum)
            message.enum_types_by_name[enum_name] = enum
            message.enum_values_by_name.update(enum.values_by_name)
    for name, full_name, _, values in _core.onnx_enums():
        enums[full_name] = EnumDescriptor(name, full_name, values, None)
        files["onnx/onnx-ml.proto"].enum_types_by_name[name] = enums[full_name]
    by_name = {message.full_name: message for message in messages}
    for message, row in zip(messages, rows, strict=True):
        fields = []
        for name, number, kind, label, index, oneof, message_name, enum_name in row[4]:
            one = FieldDescriptor(name, number, kind, label, index, message)
            one.message_type = by_name.get(message_name)
            one.enum_type = enums.get(enum_name)
            if oneof >= 0:
                one.containing_oneof = message.oneofs[oneof]
                message.oneofs[oneof].fields.append(one)
            fields.append(one)
        message.fields = sorted(fields, key=lambda one: one.index)
        message.fields_by_name = {one.name: one for one in message.fields}
        message.fields_by_number = {one.number: one for one in message.fields}
    return by_name, enums


def message_descriptor(full_name: str) -> Descriptor:
    """Return the descriptor of a message, such as ``"onnx.TensorProto.Segment"``."""
    return _all()[0][full_name]


def enum_descriptor(full_name: str) -> EnumDescriptor:
    """Return the descriptor of an enum, such as ``"onnx.TensorProto.DataType"``."""
    return _all()[1][full_name]
