"""Tensors to arrays and back, beside onnx.numpy_helper."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import ml_dtypes
import nocopy.onnx
import numpy as np
import pytest
from nocopy.errors import DTypeError, ExternalDataError, ShapeError
from nocopy.onnx import TensorProto, compat, numpy_helper

import onnx

ALL_TYPES = [number for number in onnx.TensorProto.DataType.values() if number not in (0, 8)]
NAME = TensorProto.DataType.Name
FIELDS = {
    "FLOAT": "float_data",
    "COMPLEX64": "float_data",
    "DOUBLE": "double_data",
    "COMPLEX128": "double_data",
    "INT64": "int64_data",
    "UINT32": "uint64_data",
    "UINT64": "uint64_data",
}


def some_array(data_type: int, shape: tuple[int, ...]) -> Any:
    """Values that are all different where the type has so many."""
    dtype = onnx.helper.tensor_dtype_to_np_dtype(data_type)
    count = int(np.prod(shape))
    if NAME(data_type).startswith("COMPLEX"):
        values = np.arange(count) * (1 + 2j) - 3
    elif dtype.kind == "b":
        values = np.arange(count) % 3 == 0
    else:
        values = np.arange(count) % 7 - (2 if "U" not in NAME(data_type)[:1] else 0)
        if NAME(data_type).endswith("INT2"):
            values = np.arange(count) % (2 if NAME(data_type) == "INT2" else 4)
        if NAME(data_type) == "FLOAT8E8M0":
            values = 2.0 ** (np.arange(count) % 7)
    return values.astype(dtype).reshape(shape)


def assert_same_arrays(ours: Any, theirs: Any) -> None:
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("data_type", ALL_TYPES, ids=NAME)
def test_dtype_when_mapped_then_is_that_of_onnx_both_ways(data_type: int) -> None:
    dtype = numpy_helper.tensor_dtype_to_np_dtype(data_type)
    assert dtype == onnx.helper.tensor_dtype_to_np_dtype(data_type)
    assert numpy_helper.np_dtype_to_tensor_dtype(dtype) == data_type


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (5,), (2, 3, 4), (3, 0, 2)], ids=str)
@pytest.mark.parametrize("data_type", ALL_TYPES, ids=NAME)
def test_array_when_made_a_tensor_then_is_that_of_onnx_and_comes_back(
    data_type: int, shape: tuple[int, ...]
) -> None:
    array = some_array(data_type, shape)
    ours = numpy_helper.from_array(array, "weights")
    theirs = onnx.numpy_helper.from_array(array, "weights")
    assert ours.SerializeToString() == theirs.SerializeToString(deterministic=True)
    assert_same_arrays(numpy_helper.to_array(ours), array)
    assert_same_arrays(numpy_helper.to_array(ours), onnx.numpy_helper.to_array(theirs))


@pytest.mark.parametrize("data_type", ALL_TYPES, ids=NAME)
def test_to_array_when_values_are_in_typed_fields_then_is_that_of_onnx(data_type: int) -> None:
    array = some_array(data_type, (3, 5))
    theirs = onnx.helper.make_tensor("t", data_type, array.shape, array.reshape(-1))
    field = FIELDS.get(NAME(data_type), "int32_data")
    assert [f.name for f, _ in theirs.ListFields()] == sorted(
        ["dims", "data_type", field, "name"], key=["dims", "data_type", field, "name"].index
    ) or len(getattr(theirs, field)) > 0
    ours = compat.from_onnx(theirs)
    assert_same_arrays(numpy_helper.to_array(ours), onnx.numpy_helper.to_array(theirs))
    assert_same_arrays(numpy_helper.to_array(ours), array)


@pytest.mark.parametrize("data_type", ALL_TYPES, ids=NAME)
def test_to_array_when_raw_data_is_any_bits_then_is_that_of_onnx(data_type: int) -> None:
    random = np.random.default_rng(data_type)
    tensor = TensorProto(data_type=data_type, dims=[2, 12], name="bits")
    size = numpy_helper.from_array(some_array(data_type, (2, 12))).raw_data
    tensor.raw_data = random.integers(0, 256, len(size), dtype=np.uint8).tobytes()
    if NAME(data_type) == "BOOL":
        tensor.raw_data = bytes(byte & 1 for byte in tensor.raw_data)
    assert_same_arrays(
        numpy_helper.to_array(tensor), onnx.numpy_helper.to_array(compat.to_onnx(tensor))
    )


def test_strings_when_made_a_tensor_then_are_those_of_onnx_and_come_back() -> None:
    for array in (
        np.array([["a", "é中"], ["", "x" * 40]]),
        np.array(["text", b"bytes"], dtype=object),
    ):
        ours = numpy_helper.from_array(array, "s")
        theirs = onnx.numpy_helper.from_array(array, "s")
        assert ours.SerializeToString() == theirs.SerializeToString(deterministic=True)
        again = numpy_helper.to_array(ours)
        assert again.dtype == object
        np.testing.assert_array_equal(again, onnx.numpy_helper.to_array(theirs))


def test_from_array_when_array_is_not_packed_or_of_other_byte_order_then_values_stay() -> None:
    array = np.arange(24, dtype=np.int32).reshape(4, 6)
    for other in (array.T, array[::2, ::-1], array.astype(">i4"), np.asfortranarray(array)):
        tensor = numpy_helper.from_array(other)
        np.testing.assert_array_equal(numpy_helper.to_array(tensor), other)


def test_from_array_when_elements_share_bytes_and_array_is_not_packed_then_values_stay() -> None:
    array = np.arange(12).reshape(3, 4).astype(ml_dtypes.uint4).T
    np.testing.assert_array_equal(
        numpy_helper.to_array(numpy_helper.from_array(array)), np.asarray(array)
    )


def test_from_array_when_array_changes_then_tensor_does_not() -> None:
    array = np.array([1, 2, 3])
    tensor = numpy_helper.from_array(array)
    array[:] = 0
    assert numpy_helper.to_array(tensor).tolist() == [1, 2, 3]


@pytest.mark.parametrize("array", [np.zeros(2, "M8[s]"), np.zeros(2, "i4,i4")], ids=str)
def test_from_array_when_type_is_none_of_onnx_then_raises(array: Any) -> None:
    with pytest.raises(DTypeError, match="ONNX has no element type"):
        numpy_helper.from_array(array)


def test_from_array_when_objects_are_not_text_then_raises() -> None:
    with pytest.raises(DTypeError, match="found int"):
        numpy_helper.from_array(np.array(["a", 3], dtype=object))


def tensor_of(values: list[float]) -> TensorProto:
    return numpy_helper.from_array(np.array(values, dtype=np.float32), "t")


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def test_asarray_when_tensor_has_raw_data_then_reads_it_in_place() -> None:
    tensor = tensor_of([1.5, 2.5])
    first, second = np.asarray(tensor), np.asarray(tensor)
    assert address(first) == address(second)
    assert first.tolist() == [1.5, 2.5]


def test_asarray_when_tensor_owns_its_data_then_writes_to_it() -> None:
    tensor = tensor_of([1.5, 2.5])
    np.asarray(tensor)[1] = 7.0
    assert np.frombuffer(tensor.raw_data, np.float32).tolist() == [1.5, 7.0]
    assert np.frombuffer(tensor.SerializeToString()[-8:], np.float32).tolist() == [1.5, 7.0]


def test_asarray_when_tensor_goes_or_gets_other_data_then_array_keeps_the_old() -> None:
    tensor = tensor_of([1.5, 2.5] * 1000)
    array = np.asarray(tensor)
    tensor.raw_data = b"\0" * 8000
    copies = [tensor_of([3.0] * 2000) for _ in range(20)]
    assert array[:2].tolist() == [1.5, 2.5]
    later = np.asarray(tensor)
    del tensor, copies
    gc.collect()
    assert array[-2:].tolist() == [1.5, 2.5]
    assert later.tolist() == [0.0] * 2000


@pytest.mark.parametrize(
    "change", ["ClearField", "Clear", "ParseFromString", "CopyFrom"], ids=lambda name: str(name)
)
def test_asarray_when_tensor_is_cleared_or_replaced_then_array_keeps_the_old(change: str) -> None:
    tensor = tensor_of([1.5, 2.5] * 1000)
    array = np.asarray(tensor)
    arguments: dict[str, tuple[Any, ...]] = {
        "ClearField": ("raw_data",),
        "Clear": (),
        "ParseFromString": (tensor_of([9.0] * 2000).SerializeToString(),),
        "CopyFrom": (tensor_of([9.0] * 2000),),
    }
    getattr(tensor, change)(*arguments[change])
    keep = [tensor_of([3.0] * 2000) for _ in range(20)]
    assert array.tolist() == [1.5, 2.5] * 1000
    del keep


def test_asarray_when_tensor_is_copied_then_the_copy_has_bytes_of_its_own() -> None:
    tensor = tensor_of([1.5, 2.5])
    array = np.asarray(tensor)
    copy = TensorProto()
    copy.CopyFrom(tensor)
    array[0] = 9.0
    assert np.asarray(copy).tolist() == [1.5, 2.5]
    assert address(np.asarray(copy)) != address(array)
    np.asarray(copy)[1] = 8.0
    assert array.tolist() == [9.0, 2.5]


def test_asarray_when_dtype_or_copy_is_asked_for_then_follows() -> None:
    tensor = tensor_of([1.5, 2.5])
    assert np.asarray(tensor, dtype=np.int64).tolist() == [1, 2]
    copied = np.array(tensor, copy=True)
    assert address(copied) != address(np.asarray(tensor))
    assert address(np.array(tensor, copy=False)) == address(np.asarray(tensor))
    with pytest.raises(ValueError, match="without a copy"):
        np.array(tensor, dtype=np.int64, copy=False)
    typed = TensorProto(data_type=TensorProto.INT64, dims=[2], int64_data=[3, 4])
    assert np.asarray(typed).tolist() == [3, 4]
    with pytest.raises(ValueError, match="without a copy"):
        np.array(typed, copy=False)


@pytest.mark.parametrize("size", [0, 4, 7, 9, 16])
def test_to_array_when_raw_data_is_of_another_size_then_raises(size: int) -> None:
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=[2], raw_data=b"x" * size, name="w")
    with pytest.raises(ShapeError, match=rf"tensor 'w' has {size} bytes .* \[2\] of FLOAT takes 8"):
        numpy_helper.to_array(tensor)


def test_to_array_when_values_are_too_few_or_too_many_then_raises() -> None:
    for values in ([1.0], [1.0, 2.0, 3.0]):
        tensor = TensorProto(data_type=TensorProto.FLOAT, dims=[2], float_data=values)
        with pytest.raises(ShapeError, match=f"has {len(values)} values"):
            numpy_helper.to_array(tensor)
    tensor = TensorProto(data_type=TensorProto.INT4, dims=[5], int32_data=[1, 2])
    with pytest.raises(ShapeError, match="2 elements in int32_data"):
        numpy_helper.to_array(tensor)
    tensor = TensorProto(data_type=TensorProto.COMPLEX64, dims=[1], float_data=[1.0])
    with pytest.raises(ShapeError, match="half a complex number"):
        numpy_helper.to_array(tensor)


def test_to_array_when_shape_is_negative_or_huge_then_raises() -> None:
    with pytest.raises(ShapeError, match="negative"):
        numpy_helper.to_array(TensorProto(data_type=1, dims=[-1, -2], raw_data=b"x" * 8))
    with pytest.raises(ShapeError, match="takes"):
        numpy_helper.to_array(TensorProto(data_type=1, dims=[2**62, 2**62], raw_data=b"x" * 8))


def test_to_array_when_type_is_undefined_or_unknown_then_raises() -> None:
    for number in (0, 99):
        with pytest.raises(DTypeError, match=f"element type {number}"):
            numpy_helper.to_array(TensorProto(data_type=number, dims=[1], raw_data=b"x"))


def test_to_array_when_tensor_is_a_segment_then_raises() -> None:
    tensor = tensor_of([1.0])
    tensor.segment.begin = 3
    with pytest.raises(ValueError, match="segment"):
        numpy_helper.to_array(tensor)


def test_to_array_when_data_is_external_and_not_loaded_then_raises() -> None:
    tensor = TensorProto(data_type=1, dims=[1], name="w", data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="weights.bin")
    with pytest.raises(ExternalDataError, match=r"'w' are in the file 'weights\.bin'"):
        numpy_helper.to_array(tensor)


@pytest.mark.parametrize(
    "value",
    [
        [np.array([1, 2]), np.array([3.5])],
        [],
        [[np.array([1])], [np.array([2]), np.array([3])]],
        [{1: np.array([1.0])}, {2: np.array([2.0])}],
        {1: np.array([1.0]), 2: np.array([2.0])},
        np.array([[1, 2]]),
        None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_containers_when_made_messages_then_are_those_of_onnx_and_come_back(value: Any) -> None:
    names = ["optional"]
    if isinstance(value, list):
        names.append("list")
    if isinstance(value, dict):
        names.append("dict")
    for name in names:
        ours = getattr(numpy_helper, f"from_{name}")(value, "name")
        theirs = getattr(onnx.numpy_helper, f"from_{name}")(value, "name")
        assert ours.SerializeToString() == theirs.SerializeToString(deterministic=True)
        again = getattr(numpy_helper, f"to_{name}")(ours)
        np.testing.assert_equal(again, value)


def test_from_dict_when_keys_are_text_then_comes_back_with_bytes() -> None:
    # The other package takes a text for the name of an element type here.
    for keys in (["f4", "weight"], [b"f4", b"weight"]):
        mapping = numpy_helper.from_dict(
            dict(zip(keys, [np.array([1]), np.array([2])], strict=True))
        )
        assert mapping.key_type == TensorProto.STRING
        assert numpy_helper.to_dict(mapping) == {b"f4": np.array([1]), b"weight": np.array([2])}


def test_from_list_when_elements_are_of_different_types_then_raises() -> None:
    with pytest.raises(TypeError, match="different types"):
        numpy_helper.from_list([np.array([1]), [np.array([1])]])


def test_from_dict_when_it_is_empty_or_mixed_then_raises() -> None:
    with pytest.raises(ValueError, match="empty"):
        numpy_helper.from_dict({})
    with pytest.raises(TypeError, match="keys"):
        numpy_helper.from_dict({1: np.array([1.0]), 2.5: np.array([1.0])})


def test_numpy_helper_when_imported_then_does_not_import_numpy() -> None:
    code = "import sys, nocopy.onnx.numpy_helper; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_asarray_when_model_is_loaded_then_weights_are_writable_in_it() -> None:
    model = nocopy.onnx.ModelProto()
    model.graph.initializer.append(tensor_of([1.0, 2.0]))
    np.asarray(model.graph.initializer[0])[0] = 5.0
    assert np.asarray(model.graph.initializer[0]).tolist() == [5.0, 2.0]
