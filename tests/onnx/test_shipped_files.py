"""The model and tensor files inside the onnx package, read and written by both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nocopy.onnx
import pytest

import onnx

FILES = sorted(
    path for path in Path(onnx.__file__).parent.rglob("*") if path.suffix in (".onnx", ".pb")
)


def classes(path: Path) -> tuple[Any, Any]:
    name = "ModelProto" if path.suffix == ".onnx" else "TensorProto"
    return getattr(onnx, name), getattr(nocopy.onnx, name)


def assert_same_fields(theirs: Any, ours: Any, at: str) -> None:
    assert [f.name for f, _ in theirs.ListFields()] == [f.name for f, _ in ours.ListFields()], at
    for descriptor, value in theirs.ListFields():
        mine = getattr(ours, descriptor.name)
        where = f"{at}.{descriptor.name}"
        if descriptor.type != descriptor.TYPE_MESSAGE:
            assert (list(mine) if descriptor.is_repeated else mine) == value, where
        elif descriptor.is_repeated:
            assert len(mine) == len(value), where
            for index, (a, b) in enumerate(zip(value, mine, strict=True)):
                assert_same_fields(a, b, f"{where}[{index}]")
        else:
            assert_same_fields(value, mine, where)


def test_files_when_looked_for_then_there_are_hundreds() -> None:
    assert len(FILES) > 400


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.parent.name}/{p.parent.name}")
def test_file_when_read_by_both_then_fields_and_bytes_are_equal(path: Path) -> None:
    data = path.read_bytes()
    theirs, ours = (made.FromString(data) for made in classes(path))
    assert_same_fields(theirs, ours, path.name)
    assert ours.SerializeToString() == theirs.SerializeToString(deterministic=True)
    assert ours.ByteSize() == theirs.ByteSize()


@pytest.mark.parametrize(
    "path", FILES[::25], ids=lambda p: f"{p.parent.parent.name}/{p.parent.name}"
)
def test_file_when_loaded_and_saved_then_is_the_same_file(path: Path, tmp_path: Path) -> None:
    if path.suffix == ".onnx":
        nocopy.onnx.save(nocopy.onnx.load(path), tmp_path / "again.onnx")
        expected = onnx.load(path).SerializeToString(deterministic=True)
        assert (tmp_path / "again.onnx").read_bytes() == expected
