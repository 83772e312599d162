"""Messages as text, beside protobuf's two printers and its parser."""

from __future__ import annotations

import math
import struct
from typing import Any

import nocopy.onnx
import pytest
from google.protobuf import text_format as their_format
from nocopy.errors import DecodeError, NocopyError
from nocopy.onnx import text_format

import onnx

VALUES = [
    0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 2 / 3, 123456.0, 1234567.0, 16777216.0, 123456789.0,
    1e-4, 1e-5, 0.000012345, 1e15, 1e16, 1e17, 1e22, 1e23, 3.4028234663852886e38, 1e-45, 1.1754944e-38,
    5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 4.35, 0.3, 2.675, 9007199254740993.0,
    math.inf, -math.inf, math.nan,
]  # fmt: skip


def pair(theirs: Any) -> tuple[Any, Any]:
    ours = getattr(nocopy.onnx, type(theirs).__name__).FromString(theirs.SerializeToString())
    return theirs, ours


def many_kinds() -> Any:
    tensor = onnx.TensorProto(
        dims=[2, -3],
        data_type=999,
        segment=onnx.TensorProto.Segment(begin=3),
        int32_data=[-(2**31), 2**31 - 1],
        int64_data=[-(2**63), 2**63 - 1],
        uint64_data=[2**64 - 1],
        string_data=[b"", b"\xc3\xa9", b"\x001", bytes(range(256))],
        raw_data=bytes(range(255, -1, -1)),
        name="a\n\t\r\"'\\\u00e9\u4e2d\x01\x7f\U0001f600\x80",
        data_location=onnx.TensorProto.EXTERNAL,
    )
    tensor.float_data.extend(value for value in VALUES if not 3.41e38 < abs(value) < math.inf)
    tensor.double_data.extend(VALUES)
    tensor.external_data.add(key="k")
    tensor.external_data.add()
    unknown = (
        b"\xa0\x06\x05\xaa\x06\x03abc\xaa\x06\x02\x08\x01\xad\x06\1\2\3\4\xa9\x06\1\2\3\4\5\6\7\x08"
    )
    return onnx.TensorProto.FromString(
        tensor.SerializeToString() + unknown + b"\xab\x06\x08\x01\xac\x06"
    )


OPTIONS: list[dict[str, Any]] = [
    {},
    {"as_utf8": False},
    {"as_one_line": True},
    {"use_short_repeated_primitives": True},
    {"pointy_brackets": True},
    {"use_index_order": True},
    {"use_field_number": True},
    {"indent": 3},
    {"print_unknown_fields": True},
    {"print_unknown_fields": True, "as_one_line": True, "force_colon": True},
    {"force_colon": True, "pointy_brackets": True, "as_one_line": True},
]


def test_str_when_fields_of_every_kind_are_set_then_is_protobufs() -> None:
    theirs, ours = pair(many_kinds())
    assert str(ours) == str(theirs)
    assert repr(ours) == str(theirs)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_message_to_string_when_given_options_then_is_protobufs(options: dict[str, Any]) -> None:
    theirs, ours = pair(many_kinds())
    assert text_format.MessageToString(ours, **options) == their_format.MessageToString(
        theirs, **options
    )


def test_numbers_when_their_bits_are_random_then_both_printers_are_protobufs() -> None:
    import numpy as np

    random = np.random.default_rng(7)
    bits = random.integers(0, 2**32, 5000, dtype=np.uint32).tobytes()
    more = random.integers(0, 2**63, 5000, dtype=np.int64).tobytes()
    theirs = onnx.TensorProto()
    theirs.float_data.extend(struct.unpack("<5000f", bits))
    theirs.double_data.extend(struct.unpack("<5000d", more))
    theirs, ours = pair(theirs)
    assert str(ours) == str(theirs)
    assert text_format.MessageToString(ours) == their_format.MessageToString(theirs)
    again = text_format.Parse(str(ours), nocopy.onnx.TensorProto())
    assert str(again) == str(ours)


def test_empty_messages_when_printed_then_are_protobufs() -> None:
    theirs, ours = pair(onnx.ModelProto(graph=onnx.GraphProto(node=[onnx.NodeProto()])))
    assert str(ours) == str(theirs) == "graph {\n  node {\n  }\n}\n"
    assert str(nocopy.onnx.ModelProto()) == ""


ACCEPTED = [
    "",
    "dims: 1 dims: 2",
    "dims: [1, 2,3] dims: []",
    "dims:[0x1F, 010, -0x80, 0b101, 1_000, -017]",
    "segment { begin: 1 } # comment",
    "segment < begin: 1 >; name: 'x',",
    "segment: { begin: 1 end: 2 }",
    "external_data { key: 'a' } external_data: [{ key: 'b' }, < key: 'c' >]",
    "name: 'a' \"b\" 'c'",
    r"name: '\a\b\f\n\r\t\v\\\'\"\101\x41\x4\u00e9\U0001F600'",
    r"raw_data: '\377\xff\0'",
    "data_location: EXTERNAL",
    "data_location: 0x1",
    "data_type: -2147483648",
    "uint64_data: 18446744073709551615",
    "int64_data: -9223372036854775808",
    "double_data: [1, 1., .5, -1e5, 1e400, 1e-400, inf, -Infinity, nan, 1.5f, 2F, -0.0, +1, 1_0.5]",
    "float_data: [1e39, -1e39, 1e-50, 16777217, 0.1]",
    "\tname\n:\r\n'x'\v\f",
    "metadata_props { key: 'k' value: 'é中' }",
]
REJECTED = [
    "dims",
    "dims:",
    "dims: 'x'",
    "dims 1",
    "dims: 1 1",
    "dims: 08",
    "dims: 0x",
    "dims: 1__0",
    "dims: +010",
    "dims: [1 2]",
    "dims: [1,",
    "dims: 9223372036854775808",
    "uint64_data: -1",
    "uint64_data: 18446744073709551616",
    "data_type: 2147483648",
    "data_type: 1.0",
    "data_type: 1 data_type: 1",
    "data_location: 2",
    "data_location: SOMEWHERE",
    "data_location: 010",
    "double_data: 01.5",
    "double_data: 0x10",
    "double_data: 1e",
    "double_data: 1.5ff1",
    "double_data: infinit",
    "segment { begin: 1",
    "segment { begin: 1 >",
    "segment < begin: 1 }",
    "segment { nothing: 1 }",
    "segment: 1",
    "segment {} segment {}",
    "name: 'x",
    "name: 'x\n'",
    "name: \"x'",
    r"name: '\377'",
    r"name: '\x'",
    r"name: '\400'",
    r"name: '\uD800'",
    r"name: '\U00110000'",
    r"name: '\u12'",
    "name: x",
    "[extension]: 1",
    "}",
    "?",
    ": 1",
    "nothing: 1",
    "8: 'name'",
    "name: 'a' name: 'b'",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_parse_when_protobuf_accepts_then_gives_the_same_message(text: str) -> None:
    theirs = their_format.Parse(text, onnx.TensorProto())
    ours = text_format.Parse(text, nocopy.onnx.TensorProto())
    assert ours.SerializeToString() == theirs.SerializeToString(deterministic=True)
    assert text_format.Parse(text.encode(), nocopy.onnx.TensorProto()) == ours


@pytest.mark.parametrize("text", REJECTED)
def test_parse_when_protobuf_rejects_then_raises(text: str) -> None:
    with pytest.raises(their_format.ParseError):
        their_format.Parse(text, onnx.TensorProto())
    with pytest.raises(text_format.ParseError, match=r"^\d+:\d+ : ") as caught:
        text_format.Parse(text, nocopy.onnx.TensorProto())
    assert isinstance(caught.value, DecodeError)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("dims: 1\n  dims: x", 2, 9),
        ("name: 'é' data_type: x", 1, 22),
        ("segment {\n\n  begin: z\n}", 3, 10),
        ("name: 'abc", 1, 7),
    ],
)
def test_parse_when_a_value_is_wrong_then_points_where_protobuf_does(
    text: str, line: int, column: int
) -> None:
    with pytest.raises(their_format.ParseError) as theirs:
        their_format.Parse(text, onnx.TensorProto())
    with pytest.raises(text_format.ParseError) as ours:
        text_format.Parse(text, nocopy.onnx.TensorProto())
    assert (ours.value.GetLine(), ours.value.GetColumn()) == (line, column)
    assert (theirs.value.GetLine(), theirs.value.GetColumn()) == (line, column)


def test_parse_when_fields_are_set_then_adds_to_lists_and_refuses_others() -> None:
    message = nocopy.onnx.TensorProto(dims=[1], name="a")
    assert text_format.Parse("dims: 2", message) is message
    assert list(message.dims) == [1, 2]
    with pytest.raises(text_format.ParseError, match='should not have multiple "name"'):
        text_format.Parse("name: 'b'", message)
    assert text_format.Merge("name: 'b' name: 'c'", message).name == "c"


def test_parse_when_a_oneof_has_two_members_then_raises_and_merge_takes_the_last() -> None:
    text = "dim { dim_value: 1 dim_param: 'n' }"
    with pytest.raises(text_format.ParseError, match="another member of oneof"):
        text_format.Parse(text, nocopy.onnx.TensorShapeProto())
    shape = text_format.Merge(text, nocopy.onnx.TensorShapeProto())
    assert shape.dim[0].WhichOneof("value") == "dim_param"


def test_parse_when_text_is_wrong_in_the_middle_then_keeps_what_came_before() -> None:
    message = nocopy.onnx.ModelProto()
    graph = message.graph
    with pytest.raises(text_format.ParseError):
        text_format.Parse("graph { name: 'g' node: 3 }", message)
    assert message.graph is graph
    assert graph.name == "g"


def test_parse_when_unknown_fields_or_numbers_are_allowed_then_skips_and_finds() -> None:
    text = "a: 1 b { c: 'x' d: [1, { e: 2 }] } f: -1.5 name: 'n'"
    options = {"allow_unknown_field": True}
    theirs = their_format.Parse(text, onnx.TensorProto(), **options)
    ours = text_format.Parse(text, nocopy.onnx.TensorProto(), allow_unknown_field=True)
    assert ours.SerializeToString() == theirs.SerializeToString()
    numbered = text_format.Parse("8: 'n' 1: 3", nocopy.onnx.TensorProto(), allow_field_number=True)
    assert (numbered.name, list(numbered.dims)) == ("n", [3])


def test_parse_when_messages_are_deeper_than_the_limit_then_raises() -> None:
    def nested(levels: int) -> str:
        return "sequence_type { elem_type { " * levels + "} } " * levels

    text_format.Parse(nested(49), nocopy.onnx.TypeProto())
    for levels in (50, 100_000):
        with pytest.raises(text_format.ParseError, match="too deep"):
            text_format.Parse(nested(levels), nocopy.onnx.TypeProto())
    deep = text_format.Parse(nested(400), nocopy.onnx.TypeProto(), max_recursion_depth=1000)
    assert str(deep).count("{") == 800
    with pytest.raises(NocopyError, match="expected 1 to 1000"):
        text_format.Parse("", deep, max_recursion_depth=1001)


def test_str_when_messages_are_very_deep_then_raises() -> None:
    message = inner = nocopy.onnx.TypeProto()
    for _ in range(600):
        inner = inner.sequence_type.elem_type
    inner.denotation = "end"
    with pytest.raises(NocopyError, match="1000 levels deep"):
        str(message)


def test_parse_when_text_is_not_text_then_raises() -> None:
    with pytest.raises(TypeError, match="must be str or bytes"):
        text_format.Parse(3, nocopy.onnx.TensorProto())  # type: ignore[arg-type]
    with pytest.raises(text_format.ParseError, match="not UTF-8"):
        text_format.Parse(b"name: '\xff'", nocopy.onnx.TensorProto())
    with pytest.raises(TypeError, match=r"message of nocopy\.onnx"):
        text_format.Parse("", onnx.TensorProto())


def test_lines_and_bytes_and_files_when_used_then_are_the_same_text() -> None:
    import io

    _, ours = pair(many_kinds())
    ours.DiscardUnknownFields()
    text = text_format.MessageToString(ours)
    again = text_format.ParseLines(io.StringIO(text), nocopy.onnx.TensorProto())
    assert str(again) == str(ours)
    assert str(text_format.MergeLines(text.split("\n"), again).name) == ours.name
    out = io.StringIO()
    text_format.PrintMessage(ours, out)
    assert out.getvalue() == text
    assert text_format.MessageToBytes(ours) == text.encode()


def test_shipped_files_when_printed_then_are_protobufs_text_and_read_back() -> None:
    from pathlib import Path

    files = sorted(Path(onnx.__file__).parent.rglob("*.onnx"))
    assert len(files) > 100
    for path in files:
        theirs = onnx.ModelProto.FromString(path.read_bytes())
        if theirs.ByteSize() > 100_000:
            continue
        theirs, ours = pair(theirs)
        assert str(ours) == str(theirs), path
        text = text_format.MessageToString(ours)
        assert text == their_format.MessageToString(theirs), path
        assert text_format.Parse(text, nocopy.onnx.ModelProto()) == ours, path
