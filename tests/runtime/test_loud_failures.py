"""What a caller gets wrong is refused with an error that names the input and says what to do. None
of it may return numbers, and none may end the process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import children
import models
import numpy as np
import pytest
import torch
from dlpack_producer import Producer
from nocopy.errors import DeviceError, DTypeError, IncompleteInputsError, LayoutError, ShapeError
from nocopy.runtime import Method, Runtime

#: For children that import what lies beside the tests.
TESTS_ON_PATH = {
    "PYTHONPATH": os.pathsep.join(
        [str(Path(children.__file__).parent), os.environ.get("PYTHONPATH", "")]
    )
}
PLANNED = pytest.mark.parametrize("planned", [True, False])


def load(name: str) -> Method:
    return Runtime.get().load_program(models.ZOO[name]().path).load_method("forward", new=True)


def refused(method: Method, inputs: Any, error: type[Exception]) -> str:
    """Refused when set; then there is nothing to run and nothing to read."""
    with pytest.raises(error) as raised:
        method.set_inputs(inputs)
    with pytest.raises(IncompleteInputsError):
        method.execute()
    with pytest.raises(IncompleteInputsError):
        method.get_outputs()
    return str(raised.value)


def image(channels_last: bool) -> np.ndarray:
    x = models.image().arrays[0]
    return (
        np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) if channels_last else x
    )


@PLANNED
@pytest.mark.parametrize("as_torch", [False, True])
def test_layout_the_method_does_not_expect_is_refused(planned: bool, as_torch: bool) -> None:
    for exported, given, says in (
        ("image", image(channels_last=True), "contiguous"),
        ("channels_last", image(channels_last=False), "channels-last"),
    ):
        method = load(exported if planned else f"{exported}_unplanned")
        message = refused(method, [torch.from_numpy(given) if as_torch else given], LayoutError)
        assert "input 0" in message
        assert "expected strides" in message
        assert says in message


@PLANNED
@pytest.mark.parametrize("as_torch", [False, True])
def test_dtype_the_method_did_not_ask_for_names_both(planned: bool, as_torch: bool) -> None:
    method = load("add" if planned else "add_unplanned")
    a, b = models.add().arrays
    wrong: Any = b.astype(np.float64)
    message = refused(method, [a, torch.from_numpy(wrong) if as_torch else wrong], DTypeError)
    assert "input 1" in message
    assert "float64" in message
    assert "float32" in message


@pytest.mark.parametrize(
    "dtype", [np.int32, np.uint32, np.int64, np.float16, np.complex64, np.bool_]
)
def test_dtype_of_the_same_or_another_width_is_refused(dtype: type) -> None:
    a, b = models.add().arrays
    message = refused(load("add"), [a.astype(dtype), b], DTypeError)
    assert np.dtype(dtype).name in message


def test_big_endian_numbers_are_refused_by_name() -> None:
    a, b = models.add().arrays
    assert "byte order" in refused(load("add"), [a.astype(">f4"), b], DTypeError)


def test_objects_and_structures_are_refused_by_name() -> None:
    a, b = models.add().arrays
    assert "Python objects" in refused(load("add"), [a.astype(object), b], DTypeError)
    structure = np.zeros((2, 2), [("x", "f4")])
    assert "structure" in refused(load("add"), [structure, b], DTypeError)


@PLANNED
@pytest.mark.parametrize("as_torch", [False, True])
@pytest.mark.parametrize("kind", ["transposed", "sliced", "reversed", "broadcast"])
def test_layout_no_runtime_layout_describes_says_to_make_it_contiguous(
    planned: bool, as_torch: bool, kind: str
) -> None:
    a, b = models.add().arrays
    x = {
        "transposed": a.T,
        "sliced": np.repeat(a, 2, axis=1)[:, ::2],
        "reversed": a[::-1],
        "broadcast": np.broadcast_to(a[0], (2, 2)),
    }[kind]
    given: Any = x
    if as_torch:
        if kind == "reversed":
            pytest.skip("torch has no negative strides")
        given = torch.from_numpy(x.copy() if kind == "broadcast" else x)
        if kind == "broadcast":
            given = torch.from_numpy(a.copy())[0].expand(2, 2)
    message = refused(load("add" if planned else "add_unplanned"), [given, b], LayoutError)
    assert "contiguous" in message
    assert "input 0" in message


@pytest.mark.parametrize("rank", [3, 16, 17, 32, 64])
def test_rank_that_is_not_the_methods_or_beyond_the_runtime_is_refused(rank: int) -> None:
    x = np.ones((1,) * rank, np.float32)
    b = models.add().arrays[1]
    for given in (x, torch.from_numpy(x), Producer(x)):
        message = refused(load("add"), [given, b], ShapeError)
        assert str(rank) in message
        assert ("at most 16" in message) == (rank > 16)


def test_rank_beyond_what_a_dlpack_tensor_may_have_is_refused() -> None:
    a, b = models.add().arrays
    for ndim in (-1, 65, 2**31 - 1):
        refused(load("add"), [Producer(a, ndim=ndim), b], ShapeError)


@PLANNED
@pytest.mark.parametrize("size", [2**31, 2**32, 2**33 + 2])
def test_size_the_runtime_cannot_hold_is_refused(planned: bool, size: int) -> None:
    """A tensor without elements can have such a size without any memory."""
    method = load("empty" if planned else "empty_unplanned")
    for given in (
        torch.empty(0, size),
        Producer(np.empty(0, np.float32), shape=(0, size), strides=None),
    ):
        message = refused(method, [given], ShapeError)
        assert str(size) in message


def test_sizes_whose_product_overflows_are_refused() -> None:
    x = Producer(np.empty(0, np.float32), shape=(2**31 - 1,) * 3 + (0,), strides=None)
    refused(load("empty"), [x], ShapeError)


@pytest.mark.parametrize("shape", [(9, 5), (4, 6), (0, 6), (4, 5, 1)])
def test_shape_beyond_what_a_dynamic_method_takes_is_refused(shape: tuple[int, ...]) -> None:
    for name in ("dynamic", "dynamic_unplanned"):
        message = refused(load(name), [np.ones(shape, np.float32)], ShapeError)
        assert "at most (8, 5)" in message


@pytest.mark.parametrize("device", [(2, 0), (7, 1), (99, 0), (-1, 3)])
def test_device_the_method_is_not_on_is_refused(device: tuple[int, int]) -> None:
    a, b = models.add().arrays
    for name in ("add", "add_unplanned"):
        message = refused(load(name), [Producer(a, device=device), b], DeviceError)
        assert "input 0" in message
        assert "cpu" in message


def test_producer_that_declares_another_device_than_it_hands_over_is_refused() -> None:
    a, b = models.add().arrays
    producer = Producer(a, device=(2, 0), declared=(1, 0))
    assert "cuda:0" in refused(load("add"), [producer, b], DeviceError)
    assert producer.deleted == 1


def test_device_torch_names_and_the_runtime_does_not_is_refused() -> None:
    b = models.add().arrays[1]
    assert "meta" in refused(load("add"), [torch.empty(2, 2, device="meta"), b], DeviceError)


@PLANNED
def test_tensor_with_no_memory_is_refused(planned: bool) -> None:
    """In a child: the runtime would read from address zero."""
    code = """
import numpy as np
from dlpack_producer import Producer
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
a = np.ones((2, 2), np.float32)
try:
    method.execute([Producer(a, null=True), a])
    report("ran")
except Exception as error:
    report([type(error).__name__, str(error)])
"""
    exported = models.add() if planned else models.add_unplanned()
    ((name, message),) = children.run_python(code, exported.path, env=TESTS_ON_PATH).check().reports
    assert name == "LayoutError"
    assert "no memory" in message


@PLANNED
def test_empty_tensor_with_no_memory_runs(planned: bool) -> None:
    method = load("empty" if planned else "empty_unplanned")
    x = np.empty((0, 3), np.float32)
    assert tuple(method.execute([Producer(x, null=True)])[0].shape) == (0, 3)


def test_negated_view_is_refused_and_its_resolved_form_runs() -> None:
    exported = models.add()
    z = torch.complex(torch.zeros(2, 2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    negated = torch.conj(z).imag
    assert negated.is_neg()
    b = exported.inputs[1]
    method = load("add")
    assert "resolve_neg" in refused(method, [negated, b], LayoutError)
    packed = torch._neg_view(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert packed.is_neg()
    assert "resolve_neg" in refused(method, [packed, b], LayoutError)
    result = method.execute([packed.resolve_neg(), b])[0]
    torch.testing.assert_close(result, exported.eager(packed.resolve_neg(), b)[0])


def test_conjugated_view_is_refused_and_its_resolved_form_runs() -> None:
    exported = models.dtype_add("complex64")
    a, b = exported.inputs
    method = load("add_complex64")
    assert "resolve_conj" in refused(method, [a.conj(), b], LayoutError)
    result = method.execute([a.conj().resolve_conj(), b])[0]
    torch.testing.assert_close(result, exported.eager(a.conj().resolve_conj(), b)[0])


def test_object_that_only_claims_to_be_a_tensor_is_refused() -> None:
    a, b = models.add().arrays

    class Tensor:
        shape, dtype, device = (2, 2), torch.float32, torch.device("cpu")

        def stride(self) -> tuple[int, ...]:
            return (2, 1)

        def data_ptr(self) -> int:
            return a.ctypes.data

    Tensor.__module__ = "torch"
    assert "torch's own class" in refused(load("add"), [Tensor(), b], DTypeError)

    class Liar:
        __class__ = torch.Tensor  # type: ignore[assignment]

    assert isinstance(Liar(), torch.Tensor)
    refused(load("add"), [Liar(), b], DTypeError)


def test_subclass_of_tensor_is_refused_with_the_way_out() -> None:
    class Sub(torch.Tensor):
        pass

    a, b = models.add().inputs
    method = load("add")
    assert "as_subclass" in refused(method, [a.as_subclass(Sub), b], DTypeError)
    again = a.as_subclass(Sub).as_subclass(torch.Tensor)
    torch.testing.assert_close(method.execute([again, b])[0], a + b)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda a: a.to_sparse(), LayoutError, "to_dense"),
        (
            lambda a: torch.quantize_per_tensor(a, 0.1, 0, torch.qint8),
            DTypeError,
            "int_repr",
        ),
        (lambda a: torch.nested.nested_tensor([a, a]), LayoutError, "to_padded_tensor"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_tensor_that_is_not_one_block_of_its_values_is_refused(
    make: Any, error: type[Exception], says: str
) -> None:
    a, b = models.add().inputs
    assert says in refused(load("add"), [make(a), b], error)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], "Nested lists"),
        (None, "asarray"),
        ("text", "asarray"),
        (1.5, "asarray"),
        ({"a": 1}, "no memory"),
        (object(), "no memory"),
        (iter([1]), "no memory"),
    ],
)
def test_input_that_is_no_tensor_is_refused_with_a_hint(value: Any, says: str) -> None:
    b = models.add().arrays[1]
    message = refused(load("add"), [value, b], DTypeError)
    assert "input 0" in message
    assert says in message


@pytest.mark.parametrize("inputs", [{}, {1, 2}, iter([1, 2]), object()])
def test_inputs_that_are_no_sequence_are_refused(inputs: Any) -> None:
    assert "'forward'" in refused(load("add"), inputs, DTypeError)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_wrong_number_of_inputs_lists_what_is_expected(count: int) -> None:
    a = models.add().arrays[0]
    message = refused(load("add"), [a] * count, ShapeError)
    assert "takes 2 inputs" in message
    assert "input 1" in message


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**64 + 3])
def test_int_beyond_64_bits_is_refused(value: int) -> None:
    """The last is 3, the exported value, to whoever looks at its low bits."""
    inputs: list[Any] = list(models.scalars().inputs)
    inputs[1] = value
    assert "64 bits" in refused(load("scalars"), inputs, DTypeError)


@pytest.mark.parametrize("position", [1, 2, 3, 5])
def test_value_other_than_the_exported_one_is_refused(position: int) -> None:
    exported = models.scalars()
    inputs: list[Any] = list(exported.inputs)
    inputs[position] = {1: 4, 2: 7.5, 3: False, 5: "sum"}[position]
    message = refused(load("scalars"), inputs, ShapeError)
    assert f"input {position}" in message
    assert "exported with" in message


@PLANNED
@pytest.mark.parametrize(
    "case", ["short", "long", "strided", "two-dimensional", "column", "wide elements"]
)
def test_raw_bytes_that_do_not_fill_the_input_exactly_are_refused(planned: bool, case: str) -> None:
    """Raw bytes stand for a dtype that has no format code, and under narrow conditions."""
    name = "add_bfloat16" if planned else "add_bfloat16_unplanned"
    raw = np.arange(12, dtype=np.uint8)
    given: Any = {
        "short": raw[:10].copy(),
        "long": np.arange(14, dtype=np.uint8),
        "strided": np.arange(24, dtype=np.uint8)[::2],
        "two-dimensional": raw.reshape(6, 2),
        "column": raw.reshape(12, 1),
        "wide elements": raw.view(np.uint16),
    }[case]
    message = refused(load(name), [given, given], DTypeError)
    assert "12 raw bytes" in message
    assert load(name).execute([raw, raw])[0].dtype == torch.bfloat16


def test_raw_bytes_for_a_dtype_with_a_format_code_are_refused() -> None:
    """A byte-typed image of the right size is not float data."""
    a, b = models.add().arrays
    refused(load("add"), [a.view(np.uint8).reshape(-1), b], DTypeError)
    refused(load("add"), [a.tobytes(), b], DTypeError)


def test_raw_bytes_through_dlpack_are_refused() -> None:
    raw = np.arange(12, dtype=np.uint8)
    refused(load("add_bfloat16"), [Producer(raw, code=1), raw], DTypeError)


def test_result_on_a_device_asked_for_as_host_memory_says_how_to_take_it() -> None:
    """No delegate of this build has device memory, so the result is a stand-in made from fake
    device memory."""
    core = pytest.importorskip("nocopy._core")
    a = models.add().arrays[0]
    producer = Producer(a, device=(2, 3))
    buffer = core._borrow(producer)
    assert buffer.device == "cuda:3"
    assert buffer.__dlpack_device__() == (2, 3)
    with pytest.raises(BufferError, match="DLPack") as raised:
        memoryview(buffer)
    assert "copy it to the host" in str(raised.value)
    with pytest.raises(BufferError):
        buffer.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError):
        buffer.__dlpack__(copy=True)
    del buffer
    assert producer.deleted == 1


@pytest.mark.parametrize(
    ("arguments", "keywords", "says"),
    [
        ([], {"clone": True}, "unexpected keyword argument 'clone'"),
        ([[]], {"inputs": []}, "multiple values for argument 'inputs'"),
        ([[], True, 0], {}, "at most 2 arguments"),
        ([[], 1], {}, "clone_outputs must be a bool, not int"),
        ([[]], {"clone_outputs": None}, "clone_outputs must be a bool, not NoneType"),
    ],
)
def test_arguments_that_execute_does_not_take_are_refused(
    arguments: list[Any], keywords: dict[str, Any], says: str
) -> None:
    with pytest.raises(TypeError, match=says):
        load("add").execute(*arguments, **keywords)


def test_execute_takes_its_arguments_by_position_and_by_name() -> None:
    exported = models.add()
    (expected,) = exported.expected()
    method = load("add")
    for call in (
        lambda: method.execute(exported.arrays, False),
        lambda: method.execute(inputs=exported.arrays),
        lambda: method.execute(clone_outputs=False, inputs=exported.arrays),
        lambda: Method.execute(method, exported.arrays, clone_outputs=True),
    ):
        np.testing.assert_array_equal(np.asarray(call()[0]), expected)


@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({"max_version": 1}, BufferError),
        ({"max_version": (1, "0")}, TypeError),
        ({"dl_device": (1,)}, BufferError),
        ({"dl_device": (1 << 70, 0)}, OverflowError),
        ({"dl_device": (2, 0)}, BufferError),
        ({"copy": 1}, TypeError),
        ({"stream": 1}, BufferError),
        ({"unknown": 1}, TypeError),
    ],
)
def test_dlpack_arguments_that_mean_nothing_here_are_refused(
    keywords: dict[str, Any], error: type[Exception]
) -> None:
    buffer = pytest.importorskip("nocopy._core")._borrow(np.arange(3, dtype=np.float32))
    with pytest.raises(error):
        buffer.__dlpack__(**keywords)
