"""Operators whose tensors are not contiguous: eager mode's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from exporting import Recipe, export, values
from models import Call
from nocopy.runtime import Runtime


def image(*shape: int, **options: Any) -> torch.Tensor:
    """Values in no order, none of them twice."""
    flat = values(*shape, **options).flatten()
    step = next(n for n in (7, 11, 13, 17) if flat.numel() % n)
    return flat[torch.arange(flat.numel()) * step % flat.numel()].reshape(shape)


NONZERO = {
    "rank_1": image(11, dtype=torch.int64) % 3,
    "rank_2": image(4, 5, dtype=torch.int64) % 3,
    "rank_3": image(2, 3, 5, dtype=torch.int64) % 3,
}


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("name", NONZERO)
def test_nonzero_when_run_twice_then_lists_what_eager_mode_does(
    name: str, planned: bool, tmp_path: Path
) -> None:
    x = NONZERO[name]
    recipe = Recipe(Call(torch.nonzero), (x,), planned_inputs=planned, planned_outputs=planned)
    exported = export(name, recipe, tmp_path)
    method = Runtime.get().load_program(exported.path).load_method("forward")
    one = torch.zeros_like(x)
    one.view(-1)[-2] = 5
    for given in (x, (x + 1) % 3, torch.zeros_like(x), torch.ones_like(x), one, x):
        result = method.execute([given])[0]
        assert result.shape == exported.eager(given)[0].shape
        assert result.tolist() == exported.eager(given)[0].tolist()


def test_nonzero_when_an_operator_reads_it_then_as_in_eager_mode(tmp_path: Path) -> None:
    model = Call(lambda x: torch.nonzero(x).contiguous() * torch.tensor([100, 1]))
    exported = export("read", Recipe(model, (NONZERO["rank_2"],)), tmp_path)
    method = Runtime.get().load_program(exported.path).load_method("forward")
    for _ in range(2):
        assert method.execute(list(exported.inputs))[0].tolist() == exported.eager()[0].tolist()
