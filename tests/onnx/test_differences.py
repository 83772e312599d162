"""Where protobuf and we do not do the same: only where docs/onnx-differences.md says so."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import google.protobuf.message
import nocopy.onnx
import numpy as np
import onnx_messages as generated
import pytest
from google.protobuf import text_format as their_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nocopy.errors import DecodeError, NocopyError
from nocopy.onnx import numpy_helper as our_helper
from nocopy.onnx import text_format

import onnx
from onnx import numpy_helper as their_helper

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


def appended_to_itself(package: Any) -> bytes:
    message = package.SequenceProto(name="a")
    message.sequence_values.append(message)
    return data_of(message)


def data_of(message: Any) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def run_in_child(package: str, statements: str) -> str:
    """Return what a process that may crash printed."""
    code = f"from {package} import AttributeProto, GraphProto, NodeProto\n{statements}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


DELETE_NOTHING = """
graph = GraphProto(node=[NodeProto(name=name) for name in "abc"])
del graph.node[-1:2:2]
print(*[node.name for node in graph.node])
"""


def reversed_by_itself(package: Any) -> list[int]:
    tensor = package.TensorProto(dims=[4, 2, 3, 1])
    tensor.dims[::-1] = tensor.dims
    return list(tensor.dims)


def cleared_while_held(package: Any) -> str | None:
    message = package.TypeProto()
    held = message.tensor_type
    message.map_type.SetInParent()
    message.ClearField("tensor_type")
    assert not held.elem_type
    which: str | None = message.WhichOneof("value")
    return which


def still_parts_when_cleared(package: Any) -> int:
    tensor = package.TensorProto()
    names = [field.name for field in tensor.DESCRIPTOR.fields if field.is_repeated]
    held = {name: getattr(tensor, name) for name in names}
    tensor.Clear()
    return sum(getattr(tensor, name) is held[name] for name in names)


def refused(package: Any) -> bytes:
    message = package.AttributeProto()
    assert raises(TypeError, lambda: message.graphs.append(package.TensorProto()))
    assert raises(TypeError, lambda: message.t.dims.append("x"))
    return data_of(message)


def takes_more(package: Any, numpy_helper: Any) -> bool:
    graph, node = package.GraphProto(), package.NodeProto()
    return not (
        raises(TypeError, lambda: graph.node.extend([{"name": "a"}]))
        or raises(TypeError, lambda: node.ParseFromString(np.zeros(0, np.uint8)))
        or raises(ValueError, lambda: numpy_helper.from_array(np.zeros(2, ">f4")))
        or raises(ValueError, lambda: numpy_helper.from_array(np.array([b"a"])))
    )


def takes_nothing_of_these(package: Any, numpy_helper: Any) -> bool:
    graph, node = package.GraphProto(), package.NodeProto()
    return (
        raises(TypeError, lambda: graph.node.extend([{"name": "a"}]))
        and raises(TypeError, lambda: node.ParseFromString(np.zeros(0, np.uint8)))
        and raises(ValueError, lambda: numpy_helper.from_array(np.zeros(2, ">f4")))
        and raises(ValueError, lambda: numpy_helper.from_array(np.array([b"a"])))
    )


def read_with_gaps(package: Any) -> bool:
    gaps = memoryview(b"\x1a\x1a\x01\x01aa")[::2]
    return not raises(BufferError, lambda: package.NodeProto.FromString(gaps))


def equal_in_other_order(package: Any) -> bool:
    one, other = b"\xf8\x07\x01\xf0\x07\x02", b"\xf0\x07\x02\xf8\x07\x01"
    node = package.NodeProto
    return bool(node.FromString(one) == node.FromString(other))


def strings_with_nul(package: Any, numpy_helper: Any) -> object:
    tensor = package.TensorProto(dims=[1], data_type=8, string_data=[b"a\0"])
    return numpy_helper.to_array(tensor).tolist()


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
    "append-itself": lambda: (
        appended_to_itself(onnx) == b"\x0a\x01a*\x05\x0a\x01a*\x00"
        and appended_to_itself(nocopy.onnx) == b"\x0a\x01a*\x03\x0a\x01a"
    ),
    "delete-nothing": lambda: (
        run_in_child("onnx", DELETE_NOTHING) != "a b c"
        and run_in_child("nocopy.onnx", DELETE_NOTHING) == "a b c"
    ),
    "slice-itself": lambda: (
        reversed_by_itself(onnx) == [4, 2, 3, 4] and reversed_by_itself(nocopy.onnx) == [1, 3, 2, 4]
    ),
    "clear-held": lambda: (
        cleared_while_held(onnx) is None and cleared_while_held(nocopy.onnx) == "map_type"
    ),
    "clear-several": lambda: (
        still_parts_when_cleared(onnx) > 0 and still_parts_when_cleared(nocopy.onnx) == 0
    ),
    "after-error": lambda: refused(onnx) != b"" and refused(nocopy.onnx) == b"",
    "takes-more": lambda: (
        takes_nothing_of_these(onnx, their_helper) and takes_more(nocopy.onnx, our_helper)
    ),
    "strided-bytes": lambda: read_with_gaps(onnx) and not read_with_gaps(nocopy.onnx),
    "unknown-order": lambda: equal_in_other_order(onnx) and not equal_in_other_order(nocopy.onnx),
    "nul-at-end": lambda: (
        strings_with_nul(onnx, their_helper) == ["a"]
        and strings_with_nul(nocopy.onnx, our_helper) == ["a\0"]
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
