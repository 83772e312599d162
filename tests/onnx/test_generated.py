"""What is written from the schema is what the schema says, and the schema is what onnx ships."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nocopy.onnx import _messages

import onnx

GENERATOR = Path(__file__).parents[2] / "src" / "onnx" / "generate.py"


@pytest.mark.skipif(shutil.which("clang-format") is None, reason="clang-format formats the output")
def test_generated_files_when_checked_then_are_current() -> None:
    asked = subprocess.run(
        [sys.executable, GENERATOR, "--check"], capture_output=True, text=True, check=False
    )
    assert asked.returncode == 0, asked.stdout + asked.stderr


def all_messages(descriptors: object) -> list[object]:
    return [m for d in descriptors for m in (d, *all_messages(d.nested_types))]


def test_schema_when_compared_with_onnx_then_has_every_message_field_and_enum() -> None:
    compared = 0
    for module in (onnx.onnx_ml_pb2, onnx.onnx_data_pb2):
        for theirs in all_messages(module.DESCRIPTOR.message_types_by_name.values()):
            made: object = _messages
            for part in theirs.full_name.split(".")[1:]:
                made = getattr(made, part)
            ours = made.DESCRIPTOR
            assert [(f.name, f.number, f.type, f.is_repeated) for f in ours.fields] == [
                (f.name, f.number, f.type, f.is_repeated) for f in theirs.fields
            ], theirs.full_name
            assert [(e.name, [(v.name, v.number) for v in e.values]) for e in ours.enum_types] == [
                (e.name, [(v.name, v.number) for v in e.values]) for e in theirs.enum_types
            ]
            compared += 1
        for name, theirs in module.DESCRIPTOR.enum_types_by_name.items():
            assert getattr(_messages, name).items() == [(v.name, v.number) for v in theirs.values]
    assert compared == 31
