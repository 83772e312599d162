"""What the input fuzzer passes as an input: arrays in every carrier and layout, and liars.

A generator gives an object and the array of the values that it stands for, or None where it stands
for none and must be refused.
"""

from __future__ import annotations

import array as array_module
import ctypes
import random
from collections.abc import Callable
from typing import Any

import inputs_capsules
import numpy as np
from inputs_models import BFLOAT16, Input

Value = tuple[Any, np.ndarray | None]
DTYPES = [np.dtype(code) for code in "?bBhHiIqQefdFDg"] + [
    np.dtype("S3"),
    np.dtype("U2"),
    np.dtype("V5"),
    np.dtype([("a", "f4"), ("b", "i2")]),
    np.dtype("M8[s]"),
    np.dtype(object),
    BFLOAT16,
]


def numbers(rng: random.Random, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Different small values, exact in every dtype."""
    count = int(np.prod(shape, dtype=np.int64))
    steps = np.arange(count) + rng.randrange(20)
    if dtype.kind == "b":
        return (steps * rng.randrange(1, 4) % 3 == 1).reshape(shape)
    if dtype.kind in "iu":
        return (steps % 50).astype(dtype).reshape(shape)
    return ((steps % 60) / 4).astype(np.float64).astype(dtype).reshape(shape)


def shape_for(rng: random.Random, spec: Input) -> tuple[int, ...]:
    """The shape of `spec`, or a smaller one where it takes those."""
    if not spec.dynamic or rng.random() < 0.3:
        return spec.shape
    return (rng.randrange(1, spec.shape[0] + 1), *spec.shape[1:])


def good(rng: random.Random, spec: Input) -> Value:
    """A plain array that has to run."""
    values = spec.laid_out(numbers(rng, spec.dtype, shape_for(rng, spec)))
    return values, values.copy("K")


class Sub(np.ndarray):
    """A subclass that does nothing."""


#: What `Hooked` runs. Not an attribute of the class: CPython's cache of those may still give a
#: function that is being freed.
hooks: list[Callable[[], None]] = []


def run_hook() -> None:
    if hooks:
        hooks[-1]()


class Hooked(np.ndarray):
    """A subclass whose attributes and end run code."""

    @property
    def base(self) -> Any:
        run_hook()
        return 3

    @property
    def __array_interface__(self) -> Any:
        run_hook()
        return {"data": (8, False)}

    def __del__(self) -> None:
        run_hook()


def carrier(rng: random.Random, values: np.ndarray) -> Value:
    """Another object over the same values, or a layout of them that is not packed."""
    copy = values.copy("K")
    kind = rng.randrange(22)
    packed = bool(values.flags.c_contiguous)
    raw = values.dtype == BFLOAT16
    if kind == 0:
        return values.view(Sub), copy
    if kind == 1:
        values.flags.writeable = False
        return values, copy
    if kind == 2 and not raw:
        return memoryview(values), copy
    if kind == 3 and not raw and packed and values.size and values.dtype.char in "bBhHiIfdqQ?":
        data = rng.choice([bytes, bytearray])(values.tobytes())
        return memoryview(data).cast("B").cast(values.dtype.char, values.shape), copy
    if kind == 4:
        return np.asfortranarray(values), copy
    if kind == 5 and values.ndim:
        padded = np.zeros([2 * n + 1 for n in values.shape], values.dtype)
        part = padded[tuple(slice(1, None, 2) for _ in values.shape)]
        part[...] = values
        return part, copy
    if kind == 6 and values.ndim:
        return values[::-1], copy[::-1]
    if kind == 7 and values.ndim:
        return np.broadcast_to(values[:1], values.shape), np.broadcast_to(copy[:1], copy.shape)
    if kind == 8 and not raw:
        return inputs_capsules.Producer(values, rng, 0), copy
    if kind == 9:
        return values.T, copy.T
    if kind == 10:
        swapped = values.astype(values.dtype.newbyteorder())
        return swapped, copy if swapped.dtype == values.dtype else None
    if kind == 11 and values.size:
        spaced = np.zeros(values.nbytes + 1, np.uint8)[1:]
        moved = spaced.view(values.dtype).reshape(values.shape)
        moved[...] = values
        return moved, copy
    if kind == 12 and not raw:
        return inputs_capsules.Exporter([values], rng, False), copy
    if kind == 13 and values.ndim == 0 and not raw:
        return values[()], copy
    if kind == 14 and not raw:
        return np.ma.masked_array(values), copy
    if kind == 15 and values.ndim:
        extra = values[..., None] if rng.random() < 0.5 else values[None]
        return extra, extra.copy()
    if kind == 16 and raw:
        flat = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
        return rng.choice([flat, flat.tobytes(), bytearray(flat), memoryview(flat)]), copy
    if kind == 17 and values.dtype.char in "fdhiq" and values.ndim == 1:
        return array_module.array(values.dtype.char, values.tolist()), copy
    if kind == 18 and values.dtype == np.float32 and values.ndim == 2 and packed:
        rows, columns = values.shape
        return ((ctypes.c_float * columns) * rows).from_buffer(values), copy
    if kind == 19:
        values.setflags(align=values.flags.aligned)
        return np.lib.stride_tricks.as_strided(values, values.shape, values.strides), copy
    if kind == 20 and values.ndim:
        rows = rng.randrange(values.shape[0] + 1)
        return values[:rows], copy[:rows]
    return values, copy


def other_array(rng: random.Random) -> Value:
    """An array of any dtype and shape; it runs only where it happens to be what is expected."""
    dtype = rng.choice(DTYPES)
    kind = rng.randrange(6)
    if kind == 0:
        rank = rng.choice([1, 2, 3, 8, 15, 16, 17, 18, 31, 32, 33, 63, 64])
        shape: tuple[int, ...] = (1,) * rank
    elif kind == 1:
        huge = rng.choice([2**31 - 1, 2**31, 2**32, 2**33, 2**40, 2**50])
        shape = rng.choice([(0, huge), (huge, 0), (0, huge, 3), (0, 5), (2, 0, huge)])
    else:
        shape = tuple(rng.choice([0, 1, 2, 2, 3, 4, 5, 8]) for _ in range(rng.randrange(5)))
    try:
        values = np.zeros(shape, dtype)
    except ValueError:  # more bytes than there are addresses
        values = np.zeros((0, 2**31), np.float32)
    if values.size and dtype.kind in "biufc":
        values[...] = numbers(rng, np.dtype(np.int8), shape).astype(dtype)
    if values.ndim > 1 and rng.random() < 0.3:
        values = values.transpose(rng.sample(range(values.ndim), values.ndim))
    return values, values.copy("K")


class Liar:
    """An object that has what tensors have, and all of it is wrong."""

    def __init__(self, rng: random.Random, klass: Any) -> None:
        self.klass = klass
        names = [
            "__dlpack__",
            "__dlpack_device__",
            "shape",
            "stride",
            "data_ptr",
            "dtype",
            "nbytes",
        ]
        names += ["__array_interface__", "device", "is_neg", "element_size", "base", "__len__"]
        answers: list[Any] = [
            None, 0, -1, 2**70, "x", (), (1, 0), (1, 2, 3), b"", {}, object(), float("nan"),
            {"data": (8, False), "shape": (2, 2), "typestr": "<f4", "version": 3},
        ]  # fmt: skip
        for name in rng.sample(names, rng.randrange(1, len(names))):
            answer = rng.choice(answers)
            if rng.random() < 0.5:
                self.__dict__[name] = answer
            elif rng.random() < 0.5:
                self.__dict__[name] = lambda *_, answer=answer, **__: answer
            else:
                self.__dict__[name] = _raiser(rng)

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        return self.klass


def _raiser(rng: random.Random) -> Callable[..., Any]:
    error = rng.choice([ValueError("no"), TypeError("no"), KeyError(3), AttributeError("x")])

    def function(*_: Any, **__: Any) -> Any:
        raise error

    return function


def _method_liar(rng: random.Random) -> Any:
    """Like `Liar`, with what it says on its class."""
    result = rng.choice([None, 5, "capsule", (1, 0), [], object(), NotImplemented])
    namespace: dict[str, Any] = {
        "__dlpack__": lambda self, **_: result,
        "__module__": rng.choice(["torch", "numpy", 3, "\udc80", "a" * 500]),
    }
    if rng.random() < 0.5:
        namespace["__dlpack_device__"] = lambda self: rng.choice([(1, 0), (1, 0), None, (2, 5), 3])
    if rng.random() < 0.3:
        namespace["__dlpack__"] = _raiser(rng)
    if rng.random() < 0.2:
        namespace["__getattr__"] = lambda self, name: self
    return type(rng.choice(["Tensor", "ndarray", "x y", "é"]), (), namespace)()


def odd(rng: random.Random, something: Any) -> Value:
    """Things that are no memory at all."""
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = 1
    for _ in range(rng.choice([1, 2, 50])):
        deep = [deep]
    choice: Any = rng.choice([
        None, True, 3, 2.5, -1, 2**63, -(2**63) - 1, 2**80, float("nan"), float("inf"), 1j,
        "", "mean", "\udcff", "x" * 1000, "\0", {}, {"x": something}, set(), {1, 2}, frozenset(),
        range(4), iter([1, 2]), (i for i in range(3)), loop, deep, [], (), [[1.0, 2.0], [3.0, 4.0]],
        (something, something), print, np, np.float32, type, object(), Ellipsis, slice(3),
        np.float32(1.5), np.int64(3), np.bool_(True), np.str_("mean"), np.datetime64(5, "s"),
        something is None, Exception("x"), zip([], [], strict=True), map(str, []), memoryview(b"xx")[::2],
    ])  # fmt: skip
    return choice, choice.copy() if isinstance(choice, np.generic) else None


def liar(rng: random.Random, spec: Input) -> Value:
    """Objects that say what is not so; see `inputs_capsules` for those written in C."""
    values = spec.laid_out(numbers(rng, spec.dtype, shape_for(rng, spec)))
    copy = values.copy()
    kind = rng.randrange(7)
    if kind == 0:
        return Liar(rng, rng.choice([np.ndarray, list, int, Liar, str, None])), None
    if kind == 1:
        return _method_liar(rng), None
    if kind in (2, 3) and spec.dtype != BFLOAT16:
        return inputs_capsules.Producer(values, rng, rng.choice([1, 1, 1, 2, 3])), copy
    if kind == 4 and spec.dtype != BFLOAT16:
        return inputs_capsules.Exporter([values], rng, True), copy
    if kind == 5 and spec.dtype != BFLOAT16:
        # Another shape, dtype or place at each request. It must be read as it was at the first.
        others = [other_array(rng)[0] for _ in range(rng.randrange(1, 4))]
        others = [x for x in others if x.dtype.char in "bBhHiIqQefd?"]
        changes = [values, *others]
        if rng.random() < 0.5:
            rng.shuffle(changes)
        first = changes[0]
        return inputs_capsules.Exporter(changes, rng, False), first.copy("K")
    return values.view(Hooked), copy


class Container:
    """A sequence that may count wrongly, change while it is read, or raise."""

    def __init__(self, rng: random.Random, items: list[Any]) -> None:
        self.items = items
        self.rng = rng
        self.kind = rng.randrange(7)
        self.reads = 0

    def __len__(self) -> int:
        self.reads += 1
        if self.kind == 1:
            return self.rng.choice([0, 1, 2, 10**8, 2**31, 2**62])
        if self.kind == 2 and self.reads > 1:
            return len(self.items) + 1
        if self.kind == 3:
            raise ValueError("no length")
        if self.kind == 4:
            return -1
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        if self.kind == 5:
            raise IndexError("no item")
        return self.items[index] if 0 <= index < len(self.items) else None
