"""Sizes that a method computes from its inputs' shapes, when the division in them fails."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from children import run_python


class Shares(torch.nn.Module):
    """Twelve in as many shares as there are rows beyond the second."""

    def forward(self, x):
        return torch.full((12 // (x.shape[0] - 2),), 0.25) + x[0, 0]


@pytest.fixture(scope="module")
def shares(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from executorch.exir import EdgeCompileConfig, to_edge

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(
            Shares(),
            (torch.ones(5, 2),),
            dynamic_shapes={"x": {0: torch.export.Dim("rows", min=3, max=8)}},
            strict=True,
        )
        edge = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    path = tmp_path_factory.mktemp("shares") / "shares.pte"
    path.write_bytes(edge.to_executorch().buffer)
    return path


def rows(path: Path, count: int) -> object:
    code = """
import numpy
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
x = numpy.arange(2 * int(argv[1]), dtype=numpy.float32).reshape(-1, 2) / 4 + 1
try:
    report(numpy.asarray(method.execute([x])[0]).tolist())
except Exception as error:
    report([type(error).__name__, str(error)])
"""
    return run_python(code, path, count).check().reports[0]


@pytest.mark.parametrize("count", [3, 5, 8])
def test_size_when_divided_by_a_number_of_rows_then_as_in_eager_mode(
    shares: Path, count: int
) -> None:
    x = torch.arange(2 * count, dtype=torch.float32).reshape(-1, 2) / 4 + 1
    assert rows(shares, count) == Shares()(x).tolist()


def test_size_when_divided_by_zero_then_raises(shares: Path) -> None:
    # Fewer rows than the export allowed for: the program's file does not say so.
    kind, text = rows(shares, 2)
    assert kind == "NocopyError"
    assert "cannot divide 12 by 0" in text
