"""Every model of the zoo gives, however it is plainly called, what it gives in eager mode."""

from __future__ import annotations

from typing import Any

import models
import numpy as np
import pytest
import torch
from nocopy.runtime import Method, Runtime

CANNOT_RUN = {"missing_operator", "missing_delegate", "incompatible_version", "dynamic_int"}
RUNNABLE = sorted(set(models.ZOO) - CANNOT_RUN)


def load(exported: models.Exported, method: str = "forward") -> Method:
    program = Runtime.get().load_program(exported.path, data_path=exported.data_path)
    return program.load_method(method, new=True)


def assert_same(results: list[Any], expected: list[Any]) -> None:
    assert len(results) == len(expected)
    for result, wanted in zip(results, expected, strict=True):
        if isinstance(wanted, torch.Tensor):
            assert isinstance(result, torch.Tensor)
            assert result.dtype == wanted.dtype
            assert result.shape == wanted.shape
            torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-5)
        else:
            assert type(result) is type(wanted)
            assert result == wanted


@pytest.mark.parametrize("name", RUNNABLE)
def test_execute_given_torch_tensors_matches_eager(name: str) -> None:
    exported = models.ZOO[name]()
    if exported.recipe.module is None:
        pytest.skip("has no forward")
    assert_same(load(exported).execute(list(exported.inputs)), exported.eager())


@pytest.mark.parametrize("name", RUNNABLE)
def test_set_execute_get_given_arrays_in_steps_matches_eager(name: str) -> None:
    exported = models.ZOO[name]()
    if exported.recipe.module is None:
        pytest.skip("has no forward")
    if any(isinstance(x, torch.Tensor) and x.dtype == torch.bfloat16 for x in exported.inputs):
        pytest.skip("numpy has no bfloat16; see test_ways_in")
    method = load(exported)
    method.set_inputs(exported.arrays)
    assert method.execute() is None
    assert_same(method.get_outputs(), exported.eager())


@pytest.mark.parametrize("name", RUNNABLE)
def test_other_methods_match_eager(name: str) -> None:
    exported = models.ZOO[name]()
    for method in exported.recipe.methods:
        inputs = list(exported.method_inputs(method))
        assert_same(load(exported, method).execute(inputs), exported.eager(method=method))


def test_execute_given_one_bare_array_counts_it_as_one_input() -> None:
    exported = models.scalar_tensor()
    (array,) = exported.arrays
    assert_same(load(exported).execute(array), exported.eager())


def test_execute_given_a_previous_result_runs_on_it() -> None:
    exported = models.add()
    method = load(exported)
    first = method.execute(exported.arrays)[0]
    second = method.execute([first, exported.arrays[1]])[0]
    a, b = exported.inputs
    torch.testing.assert_close(second, exported.eager(a + b, b)[0])


def test_asarray_reads_a_result_without_a_copy() -> None:
    out = load(models.add()).execute(models.add().arrays)[0]
    values = np.asarray(out)
    assert values.ctypes.data == out.data_ptr()
