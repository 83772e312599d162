"""What docs/onnx-ownership.md shows runs as it is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from children import run_python

TEXT = (Path(__file__).parents[2] / "docs" / "onnx-ownership.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[-1][:30])
def test_ownership_doc_when_a_block_is_run_then_prints_what_it_says(block: str) -> None:
    printed = run_python(block).check().stdout
    said = re.findall(r'print\("(.*?)"\)', block) + re.findall(r"print\(\w+\)  # (.*)", block)
    assert said
    assert printed.splitlines() == said
