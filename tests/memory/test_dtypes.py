from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch
from nocopy import _core
from nocopy.dtypes import DType

import onnx

ROWS = {
    name: (bits, scalar, onnx_type, torch_name)
    for name, bits, scalar, onnx_type, torch_name in _core.dtype_table()
}


def test_dtype_members_are_the_rows_of_the_table() -> None:
    assert {dtype.name for dtype in DType} == set(ROWS)
    for dtype in DType:
        scalar = ROWS[dtype.name][1]
        assert int(dtype) == scalar if scalar >= 0 else int(dtype) >= 100


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name][3]])
def test_torch_name_is_a_torch_dtype_of_the_same_width(name: str) -> None:
    bits, _, _, torch_name = ROWS[name]
    assert torch.empty(0, dtype=getattr(torch, torch_name)).element_size() * 8 == bits


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name][2] >= 0])
def test_onnx_number_is_the_data_type_of_that_name(name: str) -> None:
    onnx_name = onnx.TensorProto.DataType.Name(ROWS[name][2])
    spelled = {
        "FLOAT": "float32",
        "DOUBLE": "float64",
        "FLOAT4E2M1": "float4_e2m1fn",
        "FLOAT8E8M0": "float8_e8m0fnu",
    }
    spelling = spelled.get(onnx_name, onnx_name.lower())
    assert spelling.replace("_", "") == name.replace("_", "")


@pytest.mark.parametrize("name", [name for name in ROWS if hasattr(ml_dtypes, name)])
def test_ml_dtypes_name_has_the_same_width(name: str) -> None:
    bits = ROWS[name][0]
    assert np.dtype(getattr(ml_dtypes, name)).itemsize * 8 == max(bits, 8)
