"""Files and models of more than 2 GiB, which protobuf neither reads nor writes.

The files here are mostly holes, so that they take little of the disk, and are mapped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from children import run_python

SIZE = (1 << 30) + (1 << 21)  # of each of two tensors
MARKS = (0, 1 << 20, SIZE - 9)


def varint(value: int) -> bytes:
    encoded = b""
    while value >= 0x80:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def mark(tensor: int, place: int) -> bytes:
    return b"mark %d %d " % (tensor, MARKS.index(place))


def write_tensor(file: int, at: int, tensor: int) -> None:
    """Write a tensor's bytes: zeros that take no space, with marks in them."""
    for place in MARKS:
        os.pwrite(file, mark(tensor, place), at + place)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    if shutil.disk_usage(tmp_path).free < 4 << 30:
        pytest.skip("writes a file of 2.5 GiB, for which there is no room")
    yield tmp_path
    shutil.rmtree(tmp_path)


def write_inline(path: Path) -> None:
    """Write a model of two large tensors by hand: protobuf could not."""
    heads = []
    for i in range(2):
        fields = b"\x08" + varint(SIZE) + b"\x10\x02" + b"\x42\x02w%d" % i
        head = fields + b"\x4a" + varint(SIZE)
        heads.append(b"\x2a" + varint(len(head) + SIZE) + head)
    graph = sum(map(len, heads)) + 2 * SIZE
    start = b"\x08\x0a" + b"\x3a" + varint(graph)
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(file, start)
    at = len(start)
    for i, head in enumerate(heads):
        os.pwrite(file, head, at)
        write_tensor(file, at + len(head), i)
        at += len(head) + SIZE
    os.close(file)
    assert path.stat().st_size == at > 1 << 31


CHECK = """
import nocopy.onnx
from nocopy.onnx import numpy_helper
def check(model, size, marks):
    for i, tensor in enumerate(model.graph.initializer):
        array = numpy_helper.to_array(tensor)
        assert array.shape == (size,) and array.nbytes == size
        for n, place in enumerate(marks):
            assert array[place : place + 9].tobytes() == b"mark %d %d " % (i, n)
        assert not array[place - 1000 : place].any()
    assert i == 1
size, *marks = map(int, argv[:4])
"""
ROUND = (
    CHECK
    + """
model = nocopy.onnx.load(argv[4], no_copy=True)
check(model, size, marks)
assert model.ByteSize() > 2**31
nocopy.onnx.save(model, argv[5])
check(model, size, marks)
del model
check(nocopy.onnx.load(argv[5], no_copy=True), size, marks)
import os
assert os.path.getsize(argv[5]) == os.path.getsize(argv[4])
check(nocopy.onnx.load(argv[5]), size, marks)  # copies
"""
)


def test_model_of_more_than_2_gib_when_loaded_and_saved_in_one_file_then_is_the_same(
    folder: Path,
) -> None:
    write_inline(folder / "large.onnx")
    run_python(ROUND, SIZE, *MARKS, folder / "large.onnx", folder / "again.onnx").check()


EXTERNAL = (
    CHECK
    + """
model = nocopy.onnx.load(argv[4], no_copy=True)
options = nocopy.onnx.SerializeOptions(location="data", alignment=4096)
nocopy.onnx.save(model, argv[5], options=options)
del model
saved = nocopy.onnx.load(argv[5], no_copy=True)
check(saved, size, marks)
nocopy.onnx.save(saved, argv[5], options=options)  # compares, and finds the same
check(nocopy.onnx.load(argv[5], no_copy=True), size, marks)
"""
)


def test_model_of_more_than_2_gib_when_saved_with_external_data_then_is_the_same(
    folder: Path,
) -> None:
    write_inline(folder / "large.onnx")
    (folder / "saved").mkdir()
    target = folder / "saved" / "model.onnx"
    run_python(EXTERNAL, SIZE, *MARKS, folder / "large.onnx", target).check()
    assert (folder / "saved" / "data").stat().st_size == 2 * SIZE
    assert target.stat().st_size < 1000


def test_tensor_when_its_offset_is_beyond_4_gib_then_is_found(folder: Path) -> None:
    import nocopy.onnx

    data = folder / "data"
    with data.open("wb") as file:
        file.seek(5 << 30)
        file.write(b"beyond 4 GiB")
    model = nocopy.onnx.ModelProto(ir_version=10)
    tensor = model.graph.initializer.add(name="w", data_type=2, dims=[12], data_location=1)
    for key, value in (("location", "data"), ("offset", str(5 << 30)), ("length", "12")):
        tensor.external_data.add(key=key, value=value)
    nocopy.onnx.save(model, folder / "m.onnx")
    for no_copy in (True, False):
        loaded = nocopy.onnx.load(folder / "m.onnx", no_copy=no_copy)
        assert loaded.graph.initializer[0].raw_data == b"beyond 4 GiB"
