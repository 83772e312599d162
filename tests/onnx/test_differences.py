"""Where protobuf and we do not do the same: only where docs/onnx-differences.md says so."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import google.protobuf.message
import nocopy.onnx
import onnx_messages as generated
import pytest
from google.protobuf import text_format as their_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nocopy.errors import DecodeError, NocopyError
from nocopy.onnx import text_format

import onnx

ROOTS = generated.roots()
IDS = [descriptor.full_name for descriptor in ROOTS]
TABLE = Path(__file__).parents[2] / "docs" / "onnx-differences.md"


def read(message_class: Any, data: bytes) -> tuple[Any, str]:
    try:
        return message_class.FromString(data), ""
    except (DecodeError, google.protobuf.message.DecodeError) as error:
        return None, str(error)


def name_of_difference(theirs: Any, ours: Any, error: str) -> str | None:
    """Return the row of the table for what both made of the same bytes; None for no difference."""
    if (theirs is None) != (ours is None):
        reasons = {
            "not UTF-8": "not-utf8",
            "longer than 64 bits": "long-varint",
            "a field with the number 0": "number-0",
            "nearly all of them empty": "empty-messages",
        }
        return next((row for part, row in reasons.items() if error.endswith(part)), f"? {error}")
    if theirs is None:
        return None
    if theirs.SerializeToString(deterministic=True) != ours.SerializeToString():
        return "? bytes"
    if str(theirs) != str(ours):
        return "? text"
    return None


def assert_same(theirs: Any, ours: Any) -> None:
    data = theirs.SerializeToString(deterministic=True)
    assert ours.SerializeToString() == data
    assert ours.ByteSize() == theirs.ByteSize()
    assert str(ours) == str(theirs)
    assert text_format.MessageToString(ours) == their_format.MessageToString(theirs)
    assert (
        type(theirs).FromString(ours.SerializeToString()).SerializeToString(deterministic=True)
        == data
    )
    assert_same_fields(theirs, ours)


def assert_same_fields(theirs: Any, ours: Any) -> None:
    assert [f.name for f, _ in ours.ListFields()] == [f.name for f, _ in theirs.ListFields()]
    for field, expected in theirs.ListFields():
        held = getattr(ours, field.name)
        if field.type == field.TYPE_MESSAGE:
            pairs = zip(expected, held, strict=True) if field.is_repeated else [(expected, held)]
            for one, other in pairs:
                assert_same_fields(one, other)
        else:
            assert repr(list(held) if field.is_repeated else held) == repr(
                list(expected) if field.is_repeated else expected
            )


@pytest.mark.parametrize("descriptor", ROOTS, ids=IDS)
def test_message_when_every_field_is_set_then_is_the_same_in_both(descriptor: Any) -> None:
    ours, theirs = generated.ours_and_theirs(descriptor)
    message = generated.fill(theirs(), random.Random(descriptor.full_name), 2, share=1.0)
    # A oneof keeps its last member: the others one by one.
    for field in descriptor.fields:
        alone = theirs()
        if field.type == field.TYPE_MESSAGE and not field.is_repeated:
            getattr(alone, field.name).SetInParent()
        elif field.is_repeated:
            getattr(alone, field.name).extend(getattr(message, field.name))
        else:
            setattr(alone, field.name, generated.value(field, random.Random(field.name)))
        assert_same(alone, ours.FromString(alone.SerializeToString()))
    assert_same(message, ours.FromString(message.SerializeToString()))


@settings(
    max_examples=200,
    deadline=None,
    # Messages are large, and filled by a program.
    suppress_health_check=[
        HealthCheck.large_base_example,
        HealthCheck.data_too_large,
        HealthCheck.too_slow,
    ],
)
@given(st.sampled_from(ROOTS), st.randoms(use_true_random=False))
def test_message_when_made_by_hypothesis_then_is_the_same_in_both(
    descriptor: Any, chance: random.Random
) -> None:
    ours, theirs = generated.ours_and_theirs(descriptor)
    message = generated.fill(theirs(), chance, 3)
    read_by_us = ours.FromString(message.SerializeToString())
    assert_same(message, read_by_us)
    set_by_us = generated.fill(ours(), random.Random(5), 2)
    set_by_them = generated.fill(theirs(), random.Random(5), 2)
    assert_same(set_by_them, set_by_us)
    set_by_us.MergeFrom(read_by_us)
    set_by_them.MergeFrom(message)
    assert_same(set_by_them, set_by_us)
    set_by_us.MergeFromString(message.SerializeToString())
    set_by_them.MergeFromString(message.SerializeToString())
    assert_same(set_by_them, set_by_us)


@pytest.mark.parametrize("seed", range(31))
def test_bytes_when_nearly_a_message_then_both_make_the_same_of_them(seed: int) -> None:
    chance = random.Random(seed)
    descriptor = ROOTS[seed % len(ROOTS)]
    ours_class, theirs_class = generated.ours_and_theirs(descriptor)
    listed = rows()
    accepted = 0
    for _ in range(1500):
        base = generated.fill(theirs_class(), chance, 2) if chance.random() < 0.8 else None
        data = generated.mutated(base.SerializeToString() if base is not None else b"", chance)
        theirs, _ = read(theirs_class, data)
        ours, error = read(ours_class, data)
        name = name_of_difference(theirs, ours, error)
        assert name is None or name in listed, (name, descriptor.full_name, data)
        accepted += ours is not None
    assert 150 < accepted < 1350


@pytest.mark.parametrize("seed", range(31))
def test_text_when_nearly_a_message_then_both_make_the_same_of_it(seed: int) -> None:
    chance = random.Random(seed)
    ours, theirs = generated.ours_and_theirs(ROOTS[seed % len(ROOTS)])
    accepted = 0
    for _ in range(300):
        printed = their_format.MessageToString(
            generated.fill(theirs(), chance, 1, 0.3),
            as_one_line=chance.random() < 0.3,
            use_short_repeated_primitives=chance.random() < 0.5,
        )
        text = generated.mutated_text(printed[:600], chance)
        if re.search(r"\\[^abfnrtvxuU0-7'\"\\]", text):
            continue  # unknown-escape, c-escape and named-escape in the table
        results = texts(text, theirs, ours)
        assert results[0] == results[1], text
        accepted += results[0] is not None
    assert 20 < accepted < 280


def rows() -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", TABLE.read_text(), re.MULTILINE)


def raises(kind: type[Exception], body: Callable[[], object]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body()
    except kind:
        return True
    return False


def bytes_differ(message: str, data: bytes) -> bool:
    theirs, _ = read(getattr(onnx, message), data)
    ours, _ = read(getattr(nocopy.onnx, message), data)
    return theirs is not None and ours is None


def texts(
    text: str, theirs: Any = onnx.TensorProto, ours: Any = nocopy.onnx.TensorProto
) -> tuple[bytes | None, bytes | None]:
    results: list[bytes | None] = []
    for parser, message_class in ((their_format, theirs), (text_format, ours)):
        results.append(None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                message = parser.Parse(text, message_class())
                results[-1] = message.SerializeToString(deterministic=True)
            except parser.ParseError:
                pass
    return results[0], results[1]


def nested(levels: int) -> str:
    return "sequence_type { elem_type { " * levels + "} } " * levels


def deep(package: Any, levels: int) -> Any:
    message = inner = package.TypeProto()
    for _ in range(levels // 2):
        inner = inner.sequence_type.elem_type
    inner.denotation = "end"
    return message


def merged_with_itself() -> int:
    graph = nocopy.onnx.GraphProto(node=[nocopy.onnx.NodeProto(name="a")])
    graph.node.MergeFrom(graph.node)  # protobuf's is not tried: it would not come back
    return len(graph.node)


WITNESSES: dict[str, Callable[[], bool]] = {
    "not-utf8": lambda: bytes_differ("NodeProto", b"\x0a\x01\xff"),
    "long-varint": lambda: bytes_differ("ModelProto", b"\x08" + b"\xff" * 9 + b"\x07"),
    "number-0": lambda: bytes_differ("NodeProto", b"\xa3\x06\x00\x01\xa4\x06"),
    "empty-messages": lambda: bytes_differ("GraphProto", b"\x0a\x00" * 400_000),
    "depth-text": lambda: (
        not raises(Exception, lambda: their_format.Parse(nested(60), onnx.TypeProto()))
        and raises(
            text_format.ParseError, lambda: text_format.Parse(nested(60), nocopy.onnx.TypeProto())
        )
    ),
    "depth-str": lambda: (
        len(str(deep(onnx, 1100))) > 1100
        and raises(NocopyError, lambda: str(deep(nocopy.onnx, 1100)))
    ),
    "unknown-escape": lambda: texts(r"name: '\q'") == (b"B\x02\\q", None),
    "named-escape": lambda: texts(r"name: '\N{DIGIT ONE}'") == (b"B\x011", None),
    "c-escape": lambda: (
        texts(r"name: '\?'") == (b"B\x02\\?", b"B\x01?")
        and texts(r"name: '\X41'") == (b"B\x04\\X41", b"B\x01A")
    ),
    "unicode-space": lambda: texts("name:\u00a0'x'") == (b"B\x01x", None),
    "unicode-digits": lambda: texts("dims: \u0663") == (b"\x08\x03", None),
    "plus-inff": lambda: texts("double_data: +inff") == (None, b"R\x08\0\0\0\0\0\0\xf0\x7f"),
    "merge-itself": lambda: merged_with_itself() == 2,
    "pop-past-end": lambda: (
        not raises(Exception, lambda: onnx.NodeProto(input=["a"]).input.pop(3))
        and raises(IndexError, lambda: nocopy.onnx.NodeProto(input=["a"]).input.pop(3))
    ),
    "repr-model": lambda: (
        repr(onnx.ModelProto(ir_version=3)) != "ir_version: 3\n"
        and repr(nocopy.onnx.ModelProto(ir_version=3)) == "ir_version: 3\n"
    ),
}


def test_table_when_read_then_has_a_row_for_each_difference_that_is_shown() -> None:
    assert sorted(rows()) == sorted(WITNESSES)


@pytest.mark.parametrize("name", WITNESSES)
def test_difference_when_tried_then_is_as_the_table_says(name: str) -> None:
    assert WITNESSES[name]()
