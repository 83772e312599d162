"""Names of files that are none, and names of functions as the onnx package has them."""

from __future__ import annotations

from pathlib import Path

import nocopy.onnx
import pytest

import onnx


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with a model in it."""
    monkeypatch.chdir(tmp_path)
    nocopy.onnx.save(nocopy.onnx.ModelProto(ir_version=3), "model")
    return tmp_path


@pytest.mark.parametrize("package", [onnx, nocopy.onnx])
@pytest.mark.parametrize("name", ["model\0", "model\0.onnx"])
def test_path_when_it_has_a_zero_byte_then_no_other_file_is_taken(
    folder: Path,
    package: object,
    name: str,
) -> None:
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(ValueError, match="null byte"):
        package.load(name)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="null byte"):
        package.save(package.ModelProto(), name)  # type: ignore[attr-defined]
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("target", [None, b"model", 5])
def test_save_when_target_is_neither_path_nor_file_then_type_error(
    folder: Path, target: object
) -> None:
    with pytest.raises(TypeError, match="expected a path or a file open for writing"):
        nocopy.onnx.save(nocopy.onnx.ModelProto(), target)  # type: ignore[arg-type]


def test_functions_when_called_as_in_the_onnx_package_then_are_the_same() -> None:
    for one, other in (("load", "load_model"), ("load_from_string", "load_model_from_string")):
        for package in (onnx, nocopy.onnx):
            assert getattr(package, one) is getattr(package, other)
