"""Messages of the onnx package with any fields, and bytes that are nearly such messages."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import nocopy.onnx
from google.protobuf.descriptor import Descriptor, FieldDescriptor

import onnx

TEXTS = ["", "a", "weight_0", 'quo"te\n\\', "\u00e9\u4e2d\U0001f600", "0123456789abcdef" * 3, "\0"]
INTEGERS = [0, 1, -1, 127, 128, 2**31 - 1, -(2**31), 300, 2**21]
LONGS = [*INTEGERS, 2**63 - 1, -(2**63), 2**35, 2**62 + 3]
FLOATS = [0.0, -0.0, 1.5, -2.25, math.inf, -math.inf, math.nan, 1e-40, 3.4028234663852886e38, 0.1]


def roots() -> list[Descriptor]:
    """Return the descriptors of all messages, nested ones after what contains them."""
    found: list[Descriptor] = []

    def add(descriptor: Descriptor) -> None:
        found.append(descriptor)
        for nested in descriptor.nested_types:
            add(nested)

    for module in (onnx.onnx_ml_pb2, onnx.onnx_data_pb2):
        for descriptor in module.DESCRIPTOR.message_types_by_name.values():
            add(descriptor)
    return found


def class_of(package: Any, descriptor: Descriptor) -> Any:
    """Return a package's class for a message: ``onnx`` or ``nocopy.onnx``."""
    found = package
    for name in descriptor.full_name.split(".")[1:]:
        found = getattr(found, name)
    return found


def ours_and_theirs(descriptor: Descriptor) -> tuple[Any, Any]:
    """Return our class and the onnx package's."""
    return class_of(nocopy.onnx, descriptor), class_of(onnx, descriptor)


def value(field: FieldDescriptor, chance: random.Random) -> Any:
    """Return any value that a field which is not a message may have."""
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return chance.choice(field.enum_type.values).number
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        text = chance.choice(TEXTS)
        if field.type == FieldDescriptor.TYPE_STRING:
            return text
        return chance.choice([text.encode(), bytes(range(256)), b"\xff\xfe" * chance.randrange(9)])
    if field.cpp_type == FieldDescriptor.CPPTYPE_INT32:
        return chance.choice(INTEGERS)
    if field.cpp_type == FieldDescriptor.CPPTYPE_INT64:
        return chance.choice(LONGS)
    if field.cpp_type == FieldDescriptor.CPPTYPE_UINT64:
        return chance.choice([abs(number) for number in LONGS] + [2**64 - 1])
    if field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT:
        number: float = struct.unpack("<f", struct.pack("<f", chance.choice(FLOATS)))[0]
        return number
    return chance.choice([*FLOATS, 1e300, 5e-324])


def fill(message: Any, chance: random.Random, depth: int, share: float = 0.4) -> Any:
    """Set a share of the fields, and those of submessages down to a depth; return the message."""
    for field in message.DESCRIPTOR.fields:
        is_message = field.type == FieldDescriptor.TYPE_MESSAGE
        if chance.random() > share or (is_message and depth == 0):
            continue
        if field.is_repeated:
            held = getattr(message, field.name)
            for _ in range(chance.randrange(1, 4)):
                if is_message:
                    fill(held.add(), chance, depth - 1, share)
                else:
                    held.append(value(field, chance))
        elif is_message:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), chance, depth - 1, share)
        else:
            setattr(message, field.name, value(field, chance))
    return message


def varint(number: int, extra: int = 0) -> bytes:
    """Return a number as it is written, with bytes that it does not need at its end."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    for _ in range(extra):
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def some_field(chance: random.Random) -> bytes:
    """Return a field of any number and wire type, sometimes not written as it should be."""
    number = chance.choice([*range(1, 32), 32, 100, 2**29 - 1, 0, 2**29])
    wire = chance.randrange(8)
    tag = varint(number << 3 | wire, chance.choice([0, 0, 0, 0, 1, 5, 9]))
    if wire == 0:
        return tag + varint(chance.choice(LONGS) & (2**64 - 1), chance.choice([0, 0, 0, 1, 9]))
    if wire == 1:
        return tag + chance.randbytes(8)
    if wire == 2:
        body = (
            some_field(chance) if chance.random() < 0.5 else chance.randbytes(chance.randrange(9))
        )
        size = len(body) + chance.choice([0, 0, 0, 0, 1, -1, 2**31, 2**63])
        return tag + varint(max(size, 0), chance.choice([0, 0, 0, 1, 5, 9])) + body
    if wire == 3:
        end = number if chance.random() < 0.8 else number + 1
        return tag + some_field(chance) + varint(end << 3 | 4)
    if wire == 5:
        return tag + chance.randbytes(4)
    return tag


PARTS = [
    *"{}<>[]:,;'\"\\#-+._ \n\t019xXaefinu",
    *("inf", "nan", "0x1F", "010", "'a'", '"b"', "[1,2]", "1e5", "-1", "1.5f", "dims", "name"),
    *("true", r"\377", r"\u00e9", r"\x4", "# c\n", ": "),
]


def mutated_text(text: str, chance: random.Random) -> str:
    """Return a text with a few changes."""
    for _ in range(chance.randrange(1, 3)):
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(3)
        part = chance.choice(PARTS) if kind < 2 else ""
        dropped = (0, 1, chance.randrange(4))[kind]
        text = text[:at] + part + text[at + dropped :]
    return text


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with a few changes."""
    out = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(out) + 1)
        kind = chance.randrange(7)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and at < len(out):
            out[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif kind == 2:
            out[at:at] = some_field(chance)
        elif kind == 3:
            del out[at : at + chance.randrange(9)]
        elif kind == 4:
            del out[at:]
        elif kind == 5:
            out[at:at] = b"\x80" * chance.randrange(12)
        else:
            out += some_field(chance)
    return bytes(out)
