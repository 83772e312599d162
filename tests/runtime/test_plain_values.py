"""Inputs that are no tensors: which objects count as a number, and how one is named."""

from __future__ import annotations

import enum
from typing import Any

import models
import numpy as np
import pytest
from nocopy.errors import ShapeError
from nocopy.runtime import Method, Runtime


class Three(enum.IntEnum):
    THREE = 3


class Number(float):
    pass


def scalars() -> tuple[Method, list[Any]]:
    exported = models.scalars()
    method = Runtime.get().load_program(exported.path).load_method("forward")
    return method, exported.arrays


@pytest.mark.parametrize(("position", "value"), [(1, Three.THREE), (2, Number(2.5))])
def test_number_of_a_derived_class_is_the_number(position: int, value: Any) -> None:
    method, inputs = scalars()
    inputs[position] = value
    result = method.execute(inputs)
    np.testing.assert_array_equal(np.asarray(result[0]), models.scalars().expected()[0])


@pytest.mark.parametrize("value", [2.500001, 1e-9, 1e300])
def test_float_that_is_refused_is_told_from_the_exported_one(value: float) -> None:
    method, inputs = scalars()
    inputs[2] = value
    with pytest.raises(ShapeError) as raised:
        method.set_inputs(inputs)
    words = str(raised.value)
    assert str(float(words.partition("the float ")[2].split(",")[0])) == str(value)
    assert "the float 2.5 " in words
