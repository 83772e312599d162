"""A tensor's bytes in the hands of others: `TensorProto.view`, DLPack, methods of the runtime."""

from __future__ import annotations

import copy
import gc
import mmap
import os
import weakref
from pathlib import Path
from typing import Any

import models
import nocopy.onnx
import numpy as np
import pytest
import torch
from nocopy.dtypes import DType
from nocopy.errors import DTypeError, ExternalDataError, LayoutError, NocopyError, ShapeError
from nocopy.onnx import GraphProto, ModelProto, TensorProto, numpy_helper
from nocopy.runtime import Runtime, TensorBuffer

import onnx

NAME = TensorProto.DataType.Name
SHARE_BYTES = ("UINT4", "INT4", "FLOAT4E2M1", "UINT2", "INT2", "FLOAT6E2M3", "FLOAT6E3M2")
FIXED = [n for n in onnx.TensorProto.DataType.values() if NAME(n) not in ("UNDEFINED", "STRING", *SHARE_BYTES)]  # fmt: skip
VALUES = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)


def owned(values: Any = VALUES) -> TensorProto:
    return numpy_helper.from_array(values, "w")


def lent(values: Any = VALUES, deleter: Any = None) -> TensorProto:
    tensor = TensorProto(
        name="w",
        data_type=numpy_helper.np_dtype_to_tensor_dtype(values.dtype),
        dims=values.shape,
    )
    tensor.set_raw_data_with_deleter(values.tobytes(), deleter)
    return tensor


def misaligned(values: Any = VALUES) -> TensorProto:
    tensor = lent(values)
    tensor.set_raw_data_with_deleter(memoryview(b"\0" + b"\0" * 16 + values.tobytes())[17:])
    return tensor


def address(lender: Any) -> int:
    return int(np.frombuffer(memoryview(lender).cast("B"), np.uint8).ctypes.data)


@pytest.mark.parametrize("make", [owned, lent], ids=["owned", "lent"])
@pytest.mark.parametrize("data_type", FIXED, ids=NAME)
def test_view_when_taken_then_has_shape_dtype_and_bytes_of_the_tensor(
    data_type: int, make: Any
) -> None:
    dtype = onnx.helper.tensor_dtype_to_np_dtype(data_type)
    array = np.random.default_rng(1).integers(0, 2, (3, 5)).astype(dtype)
    tensor = make(array)
    view = tensor.view()
    assert isinstance(view, TensorBuffer)
    assert view.shape == (3, 5)
    assert view.dtype == DType[str(dtype)]
    assert view.nbytes == array.nbytes
    assert bytes(view) == array.tobytes()
    assert address(view) == np.asarray(tensor).__array_interface__["data"][0]
    assert view.readonly == (make is lent)


def test_view_when_the_tensor_owns_then_writing_to_one_writes_to_the_other() -> None:
    tensor = owned()
    view = tensor.view()
    np.asarray(view)[1, 2, 3] = 77
    assert np.asarray(tensor)[1, 2, 3] == 77
    assert np.frombuffer(tensor.raw_data, np.float32)[-1] == 77
    torch.from_dlpack(view)[0, 0, 0] = 55
    assert np.asarray(tensor)[0, 0, 0] == 55


CHANGES: dict[str, Any] = {
    "raw_data": lambda m: setattr(m.graph.initializer[0], "raw_data", bytes(96)),
    "borrowing": lambda m: m.graph.initializer[0].set_raw_data_with_deleter(bytes(96)),
    "ClearField": lambda m: m.graph.initializer[0].ClearField("raw_data"),
    "ParseFromString": lambda m: m.graph.initializer[0].ParseFromString(b""),
    "CopyFrom": lambda m: m.graph.initializer[0].CopyFrom(owned(VALUES * 0)),
    "MergeFrom": lambda m: m.graph.initializer[0].MergeFrom(owned(VALUES * 0)),
    "removing": lambda m: m.graph.initializer.pop(),
    "consolidating": nocopy.onnx.consolidate_tensors_to_buffer,
    "dropping": lambda m: m.Clear(),
}


@pytest.mark.parametrize("make", [owned, lent], ids=["owned", "lent"])
@pytest.mark.parametrize("how", CHANGES)
def test_view_when_tensor_gets_other_data_or_goes_then_stays_as_it_was(how: str, make: Any) -> None:
    model = ModelProto(graph=GraphProto(initializer=[make()]))
    view = model.graph.initializer[0].view()
    array = np.asarray(view)
    capsule_reader = np.from_dlpack(view)
    CHANGES[how](model)
    del model, view
    gc.collect()
    keep = [owned(VALUES * 0) for _ in range(200)]
    np.testing.assert_array_equal(array, VALUES)
    np.testing.assert_array_equal(capsule_reader, VALUES)
    del keep


def test_view_when_last_to_hold_the_bytes_then_its_end_runs_the_deleter() -> None:
    calls: list[int] = []
    tensor = lent(VALUES, lambda: calls.append(1))
    array = np.asarray(tensor.view())
    del tensor
    gc.collect()
    assert calls == []
    np.testing.assert_array_equal(array, VALUES)
    del array
    assert calls == [1]


def test_view_when_another_tensor_borrows_it_then_the_chain_keeps_the_bytes() -> None:
    first = owned()
    second = copy.copy(first)
    second.set_raw_data_with_deleter(first.view(), None)
    where = address(first.view())
    del first
    keep = [owned(VALUES * 0) for _ in range(200)]
    assert address(second.view()) == where
    assert second.view().readonly
    np.testing.assert_array_equal(np.asarray(second), VALUES)
    del keep


@pytest.mark.parametrize("make", [owned, lent], ids=["owned", "lent"])
def test_dlpack_when_numpy_takes_it_then_has_the_memory_itself(make: Any) -> None:
    tensor = make()
    for lender in (tensor, tensor.view()):
        array = np.from_dlpack(lender)
        assert array.ctypes.data == address(tensor.view())
        assert array.flags.writeable == (make is owned)
        np.testing.assert_array_equal(array, VALUES)
    assert tensor.__dlpack_device__() == (1, 0)


def test_dlpack_when_torch_takes_it_then_has_owned_memory_itself_and_a_copy_of_borrowed() -> None:
    tensor = owned()
    assert torch.from_dlpack(tensor).data_ptr() == address(tensor.view())
    tensor = lent()
    taken = torch.from_dlpack(tensor)
    np.testing.assert_array_equal(taken.numpy(), VALUES)
    taken.zero_()
    np.testing.assert_array_equal(np.asarray(tensor), VALUES)
    there = torch.from_dlpack(tensor.view(), copy=False)
    assert there.data_ptr() == address(tensor.view())


@pytest.mark.parametrize("make", [owned, lent, misaligned], ids=["owned", "lent", "misaligned"])
def test_dlpack_when_jax_takes_it_then_gives_the_values(make: Any) -> None:
    jax = pytest.importorskip("jax")
    taken = jax.numpy.from_dlpack(make().view())
    np.testing.assert_array_equal(np.asarray(taken), VALUES)


def test_dlpack_when_bfloat16_then_torch_reads_the_values() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    tensor = owned(VALUES.astype(ml_dtypes.bfloat16))
    taken = torch.from_dlpack(tensor)
    assert taken.dtype == torch.bfloat16
    np.testing.assert_array_equal(taken.float().numpy(), VALUES)


def test_alignment_when_bytes_start_anywhere_then_is_told() -> None:
    memory = bytearray(96 + 16)
    start = -np.frombuffer(memory, np.uint8).ctypes.data % 16
    for offset in range(9):
        tensor = TensorProto()
        tensor.set_raw_data_with_deleter(memoryview(memory)[start + offset :][:80])
        for name, alignment in {
            "FLOAT": 4, "DOUBLE": 8, "FLOAT16": 2, "INT8": 1, "COMPLEX64": 4, "COMPLEX128": 8,
            "UINT4": 1, "BFLOAT16": 2, "UNDEFINED": 1,
        }.items():  # fmt: skip
            tensor.data_type = TensorProto.DataType.Value(name)
            assert tensor.is_aligned == (offset % alignment == 0), (name, offset)
    assert TensorProto(data_type=TensorProto.DOUBLE, double_data=[1.0]).is_aligned
    with pytest.raises(AttributeError):
        tensor.is_aligned = True  # type: ignore[misc]


def test_misaligned_when_lent_then_numpy_reads_it_in_place() -> None:
    tensor = misaligned()
    assert not tensor.is_aligned
    for array in (np.asarray(tensor), np.asarray(tensor.view())):
        assert not array.flags.aligned
        np.testing.assert_array_equal(array, VALUES)
    assert np.asarray(tensor).ctypes.data == address(tensor.view())


def test_misaligned_when_asked_for_by_dlpack_then_is_copied_unless_that_is_forbidden() -> None:
    view = misaligned().view()
    for taken in (np.from_dlpack(view), torch.from_dlpack(view).numpy()):
        assert taken.flags.aligned
        assert taken.ctypes.data % 4 == 0
        np.testing.assert_array_equal(taken, VALUES)
    for refuse in (lambda: np.from_dlpack(view, copy=False), lambda: view.__dlpack__(copy=False)):
        with pytest.raises(BufferError, match="does not start at a multiple"):
            refuse()


@pytest.mark.parametrize("program", ["add", "add_unplanned"])
@pytest.mark.parametrize("make", [owned, lent, misaligned], ids=["owned", "lent", "misaligned"])
@pytest.mark.parametrize("as_view", [True, False], ids=["view", "tensor"])
def test_view_when_given_to_a_method_then_result_is_that_of_eager_mode(
    program: str, make: Any, as_view: bool
) -> None:
    exported = getattr(models, program)()
    method = Runtime.get().load_program(exported.path).load_method("forward")
    first = np.array([[1.5, -2.25], [3.0, 4.75]], np.float32)
    second = np.array([[10, 20], [30, 40]], np.float32)
    given = [make(first), make(second)]
    if as_view:
        given = [tensor.view() for tensor in given]
    (out,) = method.execute(given)
    eager = exported.module(torch.from_numpy(first), torch.from_numpy(second))
    np.testing.assert_array_equal(np.asarray(out), eager.numpy())
    np.testing.assert_array_equal(np.asarray(given[0]), first)


REFUSED: dict[str, tuple[TensorProto, type[NocopyError], str]] = {
    **{
        name: (
            TensorProto(name="w", data_type=TensorProto.DataType.Value(name), dims=[4], raw_data=bytes(3)),
            DTypeError,
            f"tensor 'w' has elements of type {name}, .*numpy_helper.to_array",
        )
        for name in SHARE_BYTES
    },
    "strings": (
        TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"a"]),
        DTypeError,
        "the tensor holds strings.*numpy_helper.to_array",
    ),
    "no type": (TensorProto(raw_data=b"1234"), DTypeError, "element type 0"),
    "unknown type": (TensorProto(data_type=99, raw_data=b"1"), DTypeError, "element type 99"),
    "float_data": (
        TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1], float_data=[1.0]),
        LayoutError,
        "tensor 'w' has its values in float_data.*numpy_helper.to_array",
    ),
    "int32_data": (
        TensorProto(data_type=TensorProto.FLOAT16, dims=[1], int32_data=[1]),
        LayoutError,
        "values in int32_data",
    ),
    "external": (
        TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1], data_location="EXTERNAL"),
        ExternalDataError,
        "'w' has its values in another file",
    ),
    "segment": (
        TensorProto(data_type=TensorProto.FLOAT, dims=[1], raw_data=b"1234", segment={"begin": 1}),
        LayoutError,
        "segment",
    ),
    "too few bytes": (
        TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3], raw_data=bytes(23)),
        ShapeError,
        r"'w' has 23 bytes of raw data, where its shape \(2, 3\) of float32 takes 24",
    ),
    "too many bytes": (
        TensorProto(data_type=TensorProto.FLOAT, dims=[], raw_data=bytes(5)),
        ShapeError,
        "has 5 bytes",
    ),
    "nothing": (TensorProto(data_type=TensorProto.FLOAT, dims=[2]), ShapeError, "has 0 bytes"),
    "negative": (
        TensorProto(data_type=TensorProto.FLOAT, dims=[-1, -2], raw_data=bytes(8)),
        ShapeError,
        "negative size",
    ),
    "overflow": (
        TensorProto(data_type=TensorProto.FLOAT, dims=[2**62, 2**62], raw_data=b""),
        ShapeError,
        "more than can be counted",
    ),
    "rank": (
        TensorProto(data_type=TensorProto.FLOAT, dims=[1] * 65, raw_data=bytes(4)),
        ShapeError,
        "65 dimensions",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_view_when_the_values_are_no_array_in_memory_then_raises(what: str) -> None:
    tensor, error, message = REFUSED[what]
    with pytest.raises(error, match=message):
        tensor.view()
    with pytest.raises(error, match=message):
        tensor.__dlpack__()


@pytest.mark.parametrize("fields", [{}, {"raw_data": b""}], ids=["unset", "empty"])
def test_view_when_there_are_no_elements_then_is_empty(fields: Any) -> None:
    view = TensorProto(data_type=TensorProto.FLOAT, dims=[2, 0, 3], **fields).view()
    assert view.shape == (2, 0, 3)
    assert np.asarray(view).shape == (2, 0, 3)
    assert np.from_dlpack(view).shape == (2, 0, 3)
    assert tuple(torch.from_dlpack(view).shape) == (2, 0, 3)


def test_view_when_shape_is_a_scalar_or_has_most_dimensions_then_is_given() -> None:
    for dims in ([], [1] * 64):
        view = TensorProto(
            data_type=TensorProto.FLOAT, dims=dims, raw_data=VALUES.tobytes()[:4]
        ).view()
        assert view.shape == tuple(dims)
        assert bytes(view) == VALUES.tobytes()[:4]


# Files.


def loaded(folder: Path, values: Any = VALUES) -> tuple[ModelProto, Path]:
    """Return a model whose one weight borrows from a mapped file, and the file."""
    model = onnx.ModelProto(ir_version=10)
    model.graph.initializer.append(onnx.numpy_helper.from_array(values, "w"))
    onnx.save(
        model,
        folder / "m.onnx",
        save_as_external_data=True,
        location="weights",
        size_threshold=0,
    )
    return nocopy.onnx.load(folder / "m.onnx", no_copy=True), folder / "weights"


BIG = np.arange(1, 20001, dtype=np.float32)


def test_view_when_file_is_mapped_then_is_read_only_and_never_writes_to_it(tmp_path: Path) -> None:
    model, file = loaded(tmp_path, BIG)
    before = file.read_bytes()
    tensor = model.graph.initializer[0]
    view = tensor.view()
    assert view.readonly
    for array in (np.asarray(view), np.asarray(tensor), np.from_dlpack(view)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    with pytest.raises(BufferError, match="read-only"):
        view.__dlpack__(copy=False)
    torch.from_dlpack(view).zero_()
    copy.deepcopy(tensor).raw_data = b"other"
    tensor.raw_data = bytes(80000)
    np.asarray(tensor)[:] = 3
    np.testing.assert_array_equal(np.asarray(view), BIG)
    del view, model, tensor
    assert file.read_bytes() == before


def test_view_when_model_goes_then_mapping_stays_until_the_view_goes(tmp_path: Path) -> None:
    model, file = loaded(tmp_path, BIG)
    array = np.asarray(model.graph.initializer[0].view())
    del model
    gc.collect()
    maps = Path("/proc/self/maps")
    assert str(file) in maps.read_text()
    np.testing.assert_array_equal(array, BIG)
    del array
    assert str(file) not in maps.read_text()


@pytest.mark.parametrize("layers", ["plain", "with a deleter", "copied", "a view of it"])
def test_view_when_mapped_file_was_cut_off_then_raises(tmp_path: Path, layers: str) -> None:
    model, file = loaded(tmp_path, BIG)
    tensor = model.graph.initializer[0]
    if layers == "with a deleter":
        tensor.attach_raw_data_deleter(lambda: None)
    elif layers == "copied":
        tensor = copy.deepcopy(tensor)
    elif layers == "a view of it":
        view, tensor = tensor.view(), copy.copy(tensor)
        tensor.set_raw_data_with_deleter(view)
    tensor.view()
    os.truncate(file, 4096)
    for read in (
        tensor.view,
        tensor.__dlpack__,
        lambda: np.asarray(tensor),
        lambda: numpy_helper.to_array(tensor),
        lambda: tensor.raw_data,
    ):
        with pytest.raises(ExternalDataError, match=r"'w' borrows .* cut off .* has 4096 bytes"):
            read()
    os.truncate(file, len(BIG) * 4)  # nothing reads past its end below


def test_array_over_a_mapping_of_the_callers_when_borrowed_then_mapping_cannot_be_closed(
    tmp_path: Path,
) -> None:
    (tmp_path / "f").write_bytes(VALUES.tobytes())
    with (tmp_path / "f").open("r+b") as file:
        mapping = mmap.mmap(file.fileno(), 0)
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=VALUES.shape)
    tensor.set_raw_data_with_deleter(mapping)
    view = tensor.view()
    del tensor
    with pytest.raises(BufferError):
        mapping.close()
    np.testing.assert_array_equal(np.asarray(view), VALUES)
    del view
    mapping.close()


def test_view_when_buffers_owner_counts_references_then_is_let_go_with_the_view() -> None:
    class Array(np.ndarray[Any, Any]):
        pass

    array = VALUES.copy().view(Array)
    alive = weakref.ref(array)
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=VALUES.shape)
    tensor.set_raw_data_with_deleter(array)
    view = tensor.view()
    del array, tensor
    assert alive() is not None
    del view
    assert alive() is None
