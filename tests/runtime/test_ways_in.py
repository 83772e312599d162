"""Every way in, with every layout and dtype, against what the model computes in eager mode.

Not against another call of the same binding: that agrees with itself whether or not the layout was
read correctly. All values differ, so a wrong order cannot pass.
"""

from __future__ import annotations

import array
import gc
import mmap
from collections.abc import Callable
from typing import Any

import dlpack_producer
import ml_dtypes
import models
import numpy as np
import pytest
import torch
from dlpack_producer import BFLOAT, BOOL, COMPLEX, FLOAT, INT, UINT, Producer
from nocopy import _core
from nocopy.errors import DTypeError, LayoutError, ShapeError
from nocopy.runtime import Method, Runtime

BOTH = (True, False)  # whether the program plans memory for its inputs and outputs

#: DLPack's code of each dtype there is a model of.
CODES = {
    "float32": FLOAT,
    "float64": FLOAT,
    "float16": FLOAT,
    "bfloat16": BFLOAT,
    "int64": INT,
    "int32": INT,
    "int16": INT,
    "int8": INT,
    "uint8": UINT,
    "bool": BOOL,
    "complex64": COMPLEX,
    "complex128": COMPLEX,
}
DTYPES = list(CODES)


class Only:
    """Offers nothing but the DLPack of an array."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **asked: Any) -> Any:
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def named(name: str, x: np.ndarray) -> np.ndarray:
    """The array in its own dtype; bfloat16 comes as its bits."""
    return x.view(ml_dtypes.bfloat16) if name == "bfloat16" else x


def produced(name: str, x: np.ndarray, **how: Any) -> Producer:
    return Producer(x, code=CODES[name], **how)


def read_only(x: np.ndarray) -> np.ndarray:
    frozen = x.view()
    frozen.flags.writeable = False
    return frozen


def mapped(x: np.ndarray) -> np.ndarray:
    memory = mmap.mmap(-1, x.nbytes)
    memory[:] = x.tobytes()
    return np.frombuffer(memory, x.dtype).reshape(x.shape)


def as_ctypes(x: np.ndarray) -> Any:
    return np.ctypeslib.as_ctypes(x.copy())


def as_array_array(x: np.ndarray) -> memoryview:
    code = x.dtype.char
    flat = array.array(code, x.reshape(-1).tolist())
    return memoryview(flat).cast("B").cast(code, x.shape)


Way = Callable[[str, np.ndarray], Any]

#: How memory of any layout is passed.
STRIDED: dict[str, Way] = {
    "array": named,
    "read-only array": lambda name, x: read_only(named(name, x)),
    "memoryview": lambda name, x: memoryview(x),
    "torch": lambda name, x: torch.from_numpy(x).view(getattr(torch, name)),
    "DLPack": produced,
    "DLPack versioned": lambda name, x: produced(name, x, versioned=True),
    "DLPack read-only": lambda name, x: produced(
        name, x, versioned=True, flags=dlpack_producer.READ_ONLY
    ),
    "DLPack at an offset": lambda name, x: produced(name, x, byte_offset=192),
    "DLPack of numpy": lambda name, x: Only(x),
    "TensorBuffer": lambda name, x: _core._borrow(produced(name, x)),
}
#: How contiguous memory is passed, besides.
PACKED: dict[str, Way] = {
    "DLPack without strides": lambda name, x: produced(name, x, strides=None),
    "mmap": lambda name, x: named(name, mapped(x)),
    "ctypes": lambda name, x: as_ctypes(x),
    "array.array": lambda name, x: as_array_array(x),
    "raw bytes": lambda name, x: x.tobytes(),
    "raw bytearray": lambda name, x: bytearray(x.tobytes()),
    "raw array": lambda name, x: np.frombuffer(x.tobytes(), np.uint8),
}


def has(way: str, name: str) -> bool:
    """Whether there is such memory of that dtype."""
    if way in ("memoryview", "DLPack of numpy"):
        return name != "bfloat16"  # numpy lends none
    if way in ("ctypes", "array.array"):
        codes = "fdqihbB" + ("?" if way == "ctypes" else "")
        return name != "bfloat16" and np.dtype(name).char in codes.replace("q", "ql")
    return not way.startswith("raw") or name == "bfloat16"


def add_model(name: str, planned: bool) -> models.Exported:
    if name != "float32":
        return models.dtype_add(name, planned)
    return models.add() if planned else models.add_unplanned()


def load(exported: models.Exported) -> Method:
    return Runtime.get().load_program(exported.path).load_method("forward", new=True)


def run(exported: models.Exported, inputs: list[Any]) -> Any:
    """Set, run and read in three calls, with what was given gone in between."""
    method = load(exported)
    method.set_inputs(inputs)
    inputs.clear()
    gc.collect(0)
    method.execute()
    return method.get_outputs()[0]


def assert_equal(result: Any, wanted: torch.Tensor) -> None:
    assert result.dtype == wanted.dtype
    assert result.shape == wanted.shape
    assert torch.equal(result, wanted)


@pytest.mark.parametrize(
    ("way", "name"), [(way, name) for way in STRIDED | PACKED for name in DTYPES if has(way, name)]
)
def test_way_in_of_a_dtype_when_contiguous_matches_eager(way: str, name: str) -> None:
    make = (STRIDED | PACKED)[way]
    for planned in BOTH:
        exported = add_model(name, planned)
        given = [make(name, x) for x in exported.arrays]
        assert_equal(run(exported, given), exported.eager()[0])


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "contiguous": lambda x: x,
    "rows of more": lambda x: np.concatenate([x + x, x, x + x])[2:4],
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "sliced": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "rows apart": lambda x: np.repeat(x, 2, axis=0)[::2],
    "reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "broadcast": lambda x: np.broadcast_to(x[0], x.shape),
}


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
@pytest.mark.parametrize(
    ("way", "layout", "name"),
    [
        (way, layout, name)
        for way in STRIDED
        for layout in LAYOUTS
        for name in DTYPES
        # torch has no negative strides
        if has(way, name) and (way, layout) != ("torch", "reversed")
    ],
)
def test_way_in_of_a_layout_and_dtype_then_matches_eager_or_is_refused(
    way: str, layout: str, name: str
) -> None:
    for planned in BOTH:
        exported = add_model(name, planned)
        arrays = [LAYOUTS[layout](x) for x in exported.arrays]
        given = [STRIDED[way](name, x) for x in arrays]
        if layout in ("contiguous", "rows of more"):
            for x, wanted in zip(arrays, exported.arrays, strict=True):
                np.testing.assert_array_equal(x, wanted)
            assert_equal(run(exported, given), exported.eager()[0])
        else:
            with pytest.raises(LayoutError, match=r"input 0 .*contiguous"):
                load(exported).set_inputs(given)


def channels_last(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


#: A model of one float32 input, how the input is laid out, and whether the method reads that.
SHAPES: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray], bool]] = {
    "contiguous": ("image", np.ascontiguousarray, True),
    "channels-last": ("channels_last", channels_last, True),
    "channels-last into contiguous": ("image", channels_last, False),
    "contiguous into channels-last": ("channels_last", np.ascontiguousarray, False),
    "size-one dimensions, channels-last": ("channels_last_size_one", channels_last, True),
    "size-one dimensions, contiguous": ("channels_last_size_one", np.ascontiguousarray, False),
    "one channel, either": ("channels_last_one_channel", np.ascontiguousarray, True),
    "size-one dimensions of any stride": (
        "rank8_unplanned",
        lambda x: np.lib.stride_tricks.as_strided(
            x, x.shape, [4 * (7 + i) if n == 1 else s for i, (n, s) in enumerate(zip(x.shape, x.strides, strict=True))]
        ),
        True,
    ),
    "0-d": ("scalar_tensor", lambda x: x, True),
    "empty": ("empty", lambda x: x, True),
    "empty, transposed": ("empty", lambda x: np.empty(x.shape[::-1], x.dtype).T, True),
    "rank 5": ("rank5", lambda x: x, True),
    "rank 5, transposed": ("rank5", lambda x: np.ascontiguousarray(x.T).T, False),
}  # fmt: skip


@pytest.mark.parametrize("case", SHAPES)
@pytest.mark.parametrize("way", STRIDED)
def test_way_in_of_a_shape_then_matches_eager_or_is_refused(way: str, case: str) -> None:
    name, lay_out, fits = SHAPES[case]
    for model in {name, f"{name}_unplanned"} & models.ZOO.keys():
        exported = models.ZOO[model]()
        x = lay_out(exported.arrays[0])
        given = [STRIDED[way]("float32", x)]
        if fits:
            wanted = exported.eager(np.array(x))[0]
            torch.testing.assert_close(run(exported, given), wanted)
        else:
            with pytest.raises(LayoutError, match=r"contiguous|channels-last"):
                load(exported).set_inputs(given)


def test_format_code_that_varies_by_platform_is_read_by_its_width() -> None:
    exported = models.dtype_add("int64")
    for code in "lqn":
        given = [memoryview(x.tobytes()).cast(code, x.shape) for x in exported.arrays]
        assert_equal(run(exported, given), exported.eager()[0])
    exported = models.dtype_add("int32")
    x, y = exported.arrays
    assert_equal(run(exported, [x.view(np.intc), y.view("<i4")]), exported.eager()[0])


@pytest.mark.parametrize("name", [name for name in DTYPES if name != "bfloat16"])
@pytest.mark.parametrize("way", ["raw bytes", "raw bytearray", "raw array"])
def test_raw_bytes_of_a_dtype_with_a_format_code_are_refused(way: str, name: str) -> None:
    for planned in BOTH:
        exported = add_model(name, planned)
        # For an input of bytes they are elements, of the wrong shape.
        with pytest.raises(ShapeError if name == "uint8" else DTypeError, match="input 0"):
            load(exported).set_inputs([PACKED[way](name, x) for x in exported.arrays])


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2"])
def test_float8_is_read_and_refused_by_name_where_another_dtype_is_expected(kind: str) -> None:
    """No portable kernel computes in float8, so it is the naming that is tested."""
    for planned in BOTH:
        exported = models.dtype_add("int8", planned)
        x, y = exported.arrays
        for given in (
            x.view(getattr(ml_dtypes, kind)),
            torch.from_numpy(x).view(getattr(torch, kind)),
            Producer(x, code=getattr(dlpack_producer, kind.upper())),
        ):
            with pytest.raises(DTypeError, match=f"{kind}.*int8"):
                load(exported).set_inputs([given, y])


@pytest.mark.parametrize("planned", BOTH)
def test_numpy_scalar_for_a_zero_dimensional_input_matches_eager(planned: bool) -> None:
    exported = models.scalar_tensor() if planned else models.scalar_tensor_unplanned()
    for given in (np.float32(7.25), np.array(7.25, np.float32), np.full((3,), 7.25, "f4")[1]):
        wanted = exported.eager(np.array(given))[0]
        assert_equal(run(exported, [given]), wanted)
        assert_equal(load(exported).execute(given)[0], wanted)


def test_numpy_scalars_for_plain_values_count_as_those() -> None:
    exported = models.scalars()
    tensor, *_ = exported.inputs
    for given in (
        [tensor, np.int64(3), np.float64(2.5), np.bool_(True), None, "mean"],
        [tensor, np.int8(3), np.float32(2.5), np.array(True), None, np.str_("mean")],
        [tensor, np.array(3), 2.5, True, None, "mean"],
    ):
        assert_equal(run(exported, given), exported.eager()[0])


@pytest.mark.parametrize("planned", BOTH)
def test_torch_tensor_of_every_other_kind_matches_eager(planned: bool) -> None:
    """One that requires grad, a parameter, and a view that begins inside its storage."""
    exported = models.add() if planned else models.add_unplanned()
    a, b = exported.inputs
    view = torch.cat([b, a, b])[2:4]
    assert view.storage_offset() == 4
    for given in (a.clone().requires_grad_(True), torch.nn.Parameter(a.clone()), view):
        assert_equal(run(exported, [given, b]), exported.eager()[0])


def test_mixed_ways_in_one_call_match_eager() -> None:
    exported = models.add()
    a, b = exported.inputs
    for given in ([a, b.numpy()], [a.numpy(), Producer(b.numpy())], [memoryview(a.numpy()), b]):
        assert_equal(run(exported, given), exported.eager()[0])
