"""What is not a message: one error that says where, no crash, and no memory out of proportion."""

from __future__ import annotations

import subprocess
import sys

import pytest
from google.protobuf.message import DecodeError as ProtobufDecodeError
from nocopy.errors import DecodeError
from nocopy.onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto

import onnx


def message_of_error(data: bytes, made: type = ModelProto) -> str:
    with pytest.raises(DecodeError) as caught:
        made.FromString(data)
    return str(caught.value)


def nested(levels: int) -> bytes:
    """Return a TypeProto with that many messages in it, each in the one before."""
    data = b""
    for level in range(levels):
        tag = b"\x0a" if level % 2 == 0 else b"\x22"  # elem_type in sequence_type in TypeProto
        size = len(data)
        length = bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])
        data = tag + length + data
    return data


def accepted_by_protobuf(data: bytes, name: str) -> bool:
    try:
        getattr(onnx, name).FromString(data)
    except ProtobufDecodeError:
        return False
    return True


def test_error_when_deep_inside_then_names_path_and_byte() -> None:
    good = ModelProto(graph={"node": [{"name": "a"}, {"name": "bcd"}]}).SerializeToString()
    bad = good[:-4] + b"\x7f" + good[-3:]  # the length of the second node's name
    text = message_of_error(bad)
    assert text.startswith("ModelProto.graph.node[1].name: byte ")
    assert f"byte {len(good) - 4}:" in text
    assert "127 bytes, where 3 are left" in text


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"\x08", "cut off"),
        (b"\x08\xff\xff", "cut off"),
        (b"\x08" + b"\xff" * 10, "longer than 64 bits"),
        (b"\x12\x05ab", "5 bytes, where 2 are left"),
        (b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "are left"),
        (b"\x00\x00", "number 0"),
        (b"\x0e", "wire type 6"),
        (b"\x0c", "not begun"),
        (b"\xf3\x07\x08\x01", "does not end"),
        (b"\xf3\x07\xfc\x08", "not begun"),
        (b"\xff\xff\xff\xff\xff\x01", "32 bits"),
        (b"\x12\x02\xc3\x28", "not UTF-8"),
        (b"\x12\x03\xed\xa0\x80", "not UTF-8"),
    ],
)
def test_bytes_when_malformed_then_the_error_says_how(data: bytes, part: str) -> None:
    assert part in message_of_error(data)


def test_string_when_not_utf8_then_rejected_where_protobuf_would_give_bytes() -> None:
    assert accepted_by_protobuf(b"\x22\x02\xff\xfe", "NodeProto")
    assert "NodeProto.op_type" in message_of_error(b"\x22\x02\xff\xfe", NodeProto)


def test_packed_floats_when_not_whole_then_rejected() -> None:
    text = message_of_error(b"\x22\x05abcde", TensorProto)
    assert "TensorProto.float_data" in text
    assert "multiple of 4" in text


@pytest.mark.parametrize("levels", range(97, 105))
def test_messages_when_nested_then_the_limit_is_protobufs(levels: int) -> None:
    data = nested(levels if levels % 2 == 0 else levels - 1)
    if accepted_by_protobuf(data, "TypeProto"):
        TypeProto.FromString(data)
    else:
        assert "levels deep" in message_of_error(data, TypeProto)


def test_groups_when_nested_without_end_then_rejected() -> None:
    assert "levels deep" in message_of_error(b"\xf3\x07" * 100_000)


@pytest.mark.parametrize("cut", range(60))
def test_model_when_cut_off_then_accepted_only_where_protobuf_does(cut: int) -> None:
    whole = ModelProto(
        ir_version=300,
        domain="some.domain.of.mine",
        graph={"node": [{"name": "a", "input": ["b", "c"]}], "initializer": [{"dims": [1, 300]}]},
    ).SerializeToString()
    data = whole[: min(cut, len(whole))]
    try:
        ours = ModelProto.FromString(data).SerializeToString()
    except DecodeError:
        assert not accepted_by_protobuf(data, "ModelProto")
    else:
        assert ours == onnx.ModelProto.FromString(data).SerializeToString(deterministic=True)


def test_parse_when_it_fails_then_message_can_still_be_used() -> None:
    model = ModelProto(domain="before")
    with pytest.raises(DecodeError):
        model.ParseFromString(b"\x08\xff")
    model.domain = "after"
    assert model.domain == "after"


def test_messages_when_nearly_all_empty_then_memory_is_bounded() -> None:
    # Two bytes each; protobuf takes more than a hundred times as much. In a child, which measures.
    code = """
import resource
from nocopy.errors import DecodeError
from nocopy.onnx import GraphProto, NodeProto
data = b"\\x0a\\x00" * 5_000_000
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    GraphProto.FromString(data)
except DecodeError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(data))
"""
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    error, ratio = asked.stdout.splitlines()
    assert "nearly all of them empty" in error
    assert float(ratio) <= 64 + 16 * 1024 * 1024 / 10_000_000


def test_strings_when_all_empty_then_memory_is_bounded() -> None:
    code = """
import resource
from nocopy.onnx import NodeProto
data = b"\\x0a\\x00" * 5_000_000
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(NodeProto.FromString(data).input) == 5_000_000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(data))
"""
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(asked.stdout) <= 64


def test_chain_of_submessages_when_very_long_then_nothing_overflows() -> None:
    code = """
import copy
from nocopy.errors import NocopyError
from nocopy.onnx import TypeProto
root = at = TypeProto()
for _ in range(200_000):
    at = at.sequence_type.elem_type
unset = at
at.denotation = "end"
for job in (root.SerializeToString, root.ByteSize, lambda: copy.copy(root), lambda: root == root2):
    root2 = TypeProto()
    try:
        job()
    except NocopyError as error:
        print("refused")
del at, unset, root
at = TypeProto()
for _ in range(200_000):
    at = at.sequence_type.elem_type
del at
print("done")
"""
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert asked.stdout.splitlines() == ["refused"] * 3 + ["done"]


def test_graph_when_parsed_into_a_held_list_then_both_stay_whole() -> None:
    graph = GraphProto(node=[{"name": "old"}])
    nodes = graph.node
    graph.ParseFromString(GraphProto(node=[{"name": "new"}]).SerializeToString())
    assert ([n.name for n in nodes], [n.name for n in graph.node]) == (["old"], ["new"])
