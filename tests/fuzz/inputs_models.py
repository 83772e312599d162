"""The methods that the input fuzzer calls, each with a formula in numpy for what it must give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
CHANNELS_LAST = (0, 2, 3, 1)


@dataclass(frozen=True)
class Input:
    """A tensor input: its dtype, its (largest) shape and the order of its dimensions in memory."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    dynamic: bool = False
    order: tuple[int, ...] | None = None

    def accepts(self, array: np.ndarray) -> bool:
        """Whether an array of these values, in whatever layout, may run at all."""
        if array.dtype != self.dtype or array.ndim != len(self.shape):
            return False
        if self.dynamic:
            return all(a <= b for a, b in zip(array.shape, self.shape, strict=True))
        return array.shape == self.shape

    def laid_out(self, array: np.ndarray) -> np.ndarray:
        """A copy in the layout that the method reads."""
        if self.order is None:
            return np.array(array, order="C")
        inverse = np.argsort(self.order)
        return np.ascontiguousarray(array.transpose(self.order)).transpose(inverse)


@dataclass(frozen=True)
class Case:
    """One method: its inputs (`Input`, or a plain value that was fixed at export) and formula."""

    name: str
    inputs: tuple[Any, ...]
    formula: Callable[..., list[Any]]
    exact: bool = True


def _f32(*shape: int, **kind: Any) -> Input:
    return Input(np.dtype(np.float32), shape, **kind)


def _add(a: Any, b: Any) -> list[Any]:
    return [np.logical_or(a, b) if a.dtype == bool else a + b]


def table(weights: dict[str, np.ndarray]) -> list[Case]:
    """Every method, given the linear layer's ``weight`` and ``bias``."""

    def linear(x: np.ndarray) -> list[Any]:
        return [x @ weights["weight"].T + weights["bias"]]

    two = (_f32(2, 2), _f32(2, 2))
    batch = _f32(8, 5, dynamic=True)
    cases = [
        Case(name, two, _add)
        for name in (
            "add",
            "add_unplanned",
            "add_unplanned_inputs",
            "add_unplanned_outputs",
            "add_xnnpack",
        )
    ]
    for dtype in ("float64", "float16", "bfloat16", "int64", "int16", "uint8", "bool"):
        kind = BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)
        pair = (Input(kind, (2, 3)), Input(kind, (2, 3)))
        cases += [Case(f"add_{dtype}{suffix}", pair, _add) for suffix in ("", "_unplanned")]
    for name, shape, order in (
        ("image", (2, 3, 5, 4), None),
        ("image_unplanned", (2, 3, 5, 4), None),
        ("channels_last", (2, 3, 5, 4), CHANNELS_LAST),
        ("channels_last_unplanned", (2, 3, 5, 4), CHANNELS_LAST),
        ("channels_last_size_one", (1, 3, 1, 4), CHANNELS_LAST),
    ):
        cases.append(Case(name, (_f32(*shape, order=order),), lambda x: [x * x]))
    for name, shape in (
        ("scalar_tensor", ()),
        ("scalar_tensor_unplanned", ()),
        ("empty", (0, 3)),
        ("empty_unplanned", (0, 3)),
        ("rank5", (2, 3, 2, 2, 3)),
        ("rank8_unplanned", (1, 2, 1, 3, 2, 1, 2, 2)),
    ):
        cases.append(Case(name, (_f32(*shape),), lambda x: [x + 1]))
    for name in ("dynamic", "dynamic_unplanned", "dynamic_xnnpack"):
        cases.append(Case(name, (batch,), linear, exact=False))
    bf16_batch = Input(BFLOAT16, (8, 5), dynamic=True)
    one = np.asarray(1, BFLOAT16)
    cases += [
        Case("dynamic_bfloat16_unplanned", (bf16_batch,), lambda x: [x + one]),
        Case("identity", (_f32(2, 3),), lambda x: [x]),
        Case("identity_unplanned", (_f32(2, 3),), lambda x: [x]),
        Case("identity_and_sum_unplanned", two, lambda a, b: [a + b, a]),
        Case("mutates_input", (_f32(2, 3),), lambda x: [x + 1, (x + 1) * 2]),
        Case("mutates_input_unplanned", (_f32(2, 3),), lambda x: [x + 1, (x + 1) * 2]),
        Case(
            "scalars",
            (_f32(2, 2), 3, 2.5, True, None, "mean"),
            lambda x, i, f, b, n, s: [x * i + np.float32(f), i, f, b, n],
        ),
    ]
    for name in ("same_output_twice", "same_output_twice_unplanned"):
        cases.append(Case(name, (_f32(2, 3),), lambda x: [x + 1, x * 2, x + 1]))
    return cases
