"""Liars at the level of C: DLPack capsules and buffer exporters made by hand with ctypes.

What they say may be anything, but memory that they say is there is there: nobody can tell a pointer
that is valid from one that is not.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from typing import Any

import numpy as np

_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_get_name = ctypes.pythonapi.PyCapsule_GetName
_get_name.restype = ctypes.c_char_p
_get_name.argtypes = [ctypes.py_object]

_CODES = {"i": 0, "u": 1, "f": 2, "V": 4, "c": 5, "b": 6}

#: Everything that a capsule that may still be read points to, by the address of its structure.
_alive: dict[int, tuple[Any, ...]] = {}
#: How often each structure's deleter ran; more than once is a failure.
deleted_twice = 0
#: Called by deleters, with the lock held: code that comes back into the method.
on_delete: Callable[[], None] | None = None


@_DELETER
def _delete(address: int) -> None:
    global deleted_twice
    if _alive.pop(address, None) is None:
        deleted_twice += 1
    if on_delete is not None:
        on_delete()


@_DELETER
def _delete_and_raise(address: int) -> None:
    _delete(address)
    raise ValueError("from a deleter")


_POINTERS = [ctypes.cast(f, ctypes.c_void_p).value for f in (_delete, _delete_and_raise)]
#: Capsule names have to outlive their capsules.
_NAMES = [b"dltensor", b"dltensor_versioned", b"used_dltensor", b"", b"\xff\xfe", b"arrow_array"]


class Producer:
    """Speaks DLPack with a capsule over ``array``, described rightly apart from ``lies``."""

    def __init__(self, array: np.ndarray, rng: random.Random, lies: int) -> None:
        self.array = array
        self.versioned = rng.random() < 0.5
        self.lies = rng.sample(sorted(_LIES), lies)
        self.rng = rng
        self.before: Callable[[], None] | None = None

    def __dlpack__(self, **_: Any) -> Any:
        if self.before is not None:
            self.before()
        array = self.array
        shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        elements = [s // max(array.itemsize, 1) for s in array.strides]
        strides = (ctypes.c_int64 * max(array.ndim, 1))(*elements)
        managed: Any = _Versioned() if self.versioned else _Managed()
        tensor = managed.tensor
        tensor.data = array.ctypes.data or None
        tensor.device_type, tensor.ndim, tensor.lanes = 1, array.ndim, 1
        tensor.code, tensor.bits = _CODES.get(array.dtype.kind, 3), array.itemsize * 8
        tensor.shape, tensor.strides = ctypes.addressof(shape), ctypes.addressof(strides)
        if array.flags.c_contiguous and self.rng.random() < 0.3:
            tensor.strides = None
        managed.deleter = self.rng.choice(_POINTERS)
        if self.versioned:
            managed.major, managed.minor = 1, self.rng.choice([0, 1, 7])
            managed.flags = self.rng.choice([0, 1, 2, 3]) if array.flags.writeable else 1
        name = _NAMES[1] if self.versioned else _NAMES[0]
        for lie in self.lies:
            name = _LIES[lie](self.rng, managed, tensor, shape, strides, array) or name
        if self.versioned and name == _NAMES[0]:
            name = _NAMES[1]  # never a structure under the other one's name
        address = ctypes.addressof(managed)
        kept = (managed, shape, strides, array)
        if "null capsule" in self.lies:
            return self.rng.choice([None, 3, "dltensor", object()])
        capsule = _new(address, name, None)
        if managed.deleter:
            _alive[address] = kept
        else:
            _without_deleter.append(kept)
            del _without_deleter[:-200]
        _handed_out.append((capsule, name, address))
        return capsule

    def __dlpack_device__(self) -> Any:
        if "device" in self.lies:
            return self.rng.choice([(2, 0), (1, 1), None, (1,), ("1", 0), (2**40, 0), 1, (1.0, 0)])
        return (1, 0)


_without_deleter: list[Any] = []
_handed_out: list[tuple[Any, bytes, int]] = []


def _rank(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    t.ndim = rng.choice([-1, -(2**31), 65, 1000, 2**31 - 1])


def _shape(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    if a.ndim:
        i = rng.randrange(a.ndim)
        shape[i] = rng.choice([-1, -(2**63), 2**63 - 1, 2**31, 2**32, 2**62, shape[i] + 2**32])


def _strides(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    if a.ndim:
        i = rng.randrange(a.ndim)
        strides[i] = rng.choice([-1, 0, -(2**63), 2**63 - 1, 2**61, 2**32, strides[i] + 1])


def _dtype(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    t.code = rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 17, 200, 255])
    # Never wider than the memory is.
    t.bits = rng.choice([b for b in (0, 1, 4, 7, 8, 16, 32, 64) if b <= a.itemsize * 8])


def _lanes(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    t.lanes = rng.choice([0, 2, 4, 65535])


def _null_data(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    t.data = None
    t.byte_offset = rng.choice([0, 0, 8, 2**64 - 1])


def _offset(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    t.byte_offset = 2**64 - rng.choice([1, 8, 4096])


def _null_shape(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    t.shape = None


def _device(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    t.device_type = rng.choice([0, 2, 3, 4, 10, 13, 77, -1, 2**31 - 1])
    t.device_id = rng.choice([0, 1, -1, 2**31 - 1])


def _version(rng: random.Random, m: Any, t: Any, shape: Any, strides: Any, a: Any) -> None:
    if hasattr(m, "major"):
        m.major = rng.choice([0, 2, 100, 2**32 - 1])


def _name(rng: random.Random, m: Any, *_: Any) -> bytes:
    return rng.choice(_NAMES[2:])


def _no_deleter(rng: random.Random, m: Any, *_: Any) -> None:
    m.deleter = None


def _nothing(*_: Any) -> None:
    pass


#: name -> change; gives a capsule name, or nothing.
_LIES: dict[str, Callable[..., bytes | None]] = {
    "rank": _rank,
    "shape": _shape,
    "strides": _strides,
    "dtype": _dtype,
    "lanes": _lanes,
    "null data": _null_data,
    "offset": _offset,
    "null shape": _null_shape,
    "device": _device,
    "version": _version,
    "name": _name,
    "no deleter": _no_deleter,
    "null capsule": _nothing,
}


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_void_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


class Exporter:
    """Lends ``arrays`` through the buffer protocol, the next one at each request."""

    def __init__(self, arrays: list[np.ndarray], rng: random.Random, lie: bool) -> None:
        self.arrays = arrays
        self.rng = rng
        self.lie = lie
        self.requests = 0
        self.kept: list[Any] = []
        self.before: Callable[[], None] | None = None
        self.released: Callable[[], None] | None = None


_incref = ctypes.pythonapi.Py_IncRef
_incref.argtypes = [ctypes.py_object]


def _fill(self: Exporter, address: int, flags: int) -> int:
    view = _Buffer.from_address(address)
    view.obj = None
    if self.before is not None:
        self.before()
    array = self.arrays[min(self.requests, len(self.arrays) - 1)]
    self.requests += 1
    shape = (ctypes.c_ssize_t * max(array.ndim, 1))(*array.shape)
    strides = (ctypes.c_ssize_t * max(array.ndim, 1))(*array.strides)
    text = array.dtype.char.encode()
    rng = self.rng
    ndim, itemsize, length, readonly = array.ndim, array.itemsize, array.nbytes, 0
    shape_at: int | None = ctypes.addressof(shape)
    strides_at: int | None = ctypes.addressof(strides)
    suboffsets = None
    if self.lie:
        lie = rng.randrange(10)
        if lie == 0:
            ndim = rng.choice([-1, 65, 2**31 - 1, -(2**31)])
        elif lie == 1:
            itemsize = rng.choice([0, -1, 3, 2**62])
        elif lie == 2:
            length = rng.choice([-1, 0, length + 4, 2**63 - 1])
        elif lie == 3:
            shape_at = None
        elif lie == 4:
            strides_at = None
        elif lie == 5 and array.ndim:
            shape[rng.randrange(array.ndim)] = rng.choice([-1, 2**62, 2**31, 0, -(2**63)])
        elif lie == 6 and array.ndim:
            strides[rng.randrange(array.ndim)] = rng.choice([-4, 0, 2**62, -(2**63), 1])
        elif lie == 7:
            text = rng.choice(
                [b"", b"O", b"T{f:x:}", b">f", b"P", b"\xff", b"&f", b"ff", b"@" * 99]
            )
        elif lie == 8:
            suboffsets = (ctypes.c_ssize_t * max(array.ndim, 1))(
                *[rng.choice([-1, 0, 8])] * array.ndim
            )
        elif lie == 9:
            return rng.choice([-1, -7])  # and no exception
    kept = (array, shape, strides, suboffsets, ctypes.create_string_buffer(text))
    self.kept.append(kept)
    view.buf, view.len, view.itemsize = array.ctypes.data, length, itemsize
    view.readonly, view.ndim = readonly, ndim
    view.format = ctypes.addressof(kept[4])
    view.shape, view.strides = shape_at, strides_at
    view.suboffsets = ctypes.addressof(suboffsets) if suboffsets is not None else None
    _incref(self)
    view.obj = id(self)
    return 0


_GET = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
_RELEASE = ctypes.PYFUNCTYPE(None, ctypes.py_object, ctypes.c_void_p)


@_RELEASE
def _release(self: Exporter, address: int) -> None:
    if self.released is not None:
        self.released()


_get = _GET(_fill)


def _install() -> None:
    """Gives the class a buffer protocol, which Python code cannot before 3.12: writes the two
    functions into the type's own table (``tp_as_buffer``, at the same place since 3.8)."""
    table = ctypes.c_void_p.from_address(id(Exporter) + 160).value
    functions = (ctypes.c_void_p * 2).from_address(table)
    functions[0] = ctypes.cast(_get, ctypes.c_void_p).value
    functions[1] = ctypes.cast(_release, ctypes.c_void_p).value


_install()


def forget_unclaimed() -> None:
    """Frees what no consumer claimed, as a producer's own capsule destructor would."""
    for capsule, name, address in _handed_out:
        if _get_name(capsule) == name:
            _alive.pop(address, None)
    _handed_out.clear()


def outstanding() -> int:
    """How many claimed capsules with a deleter still wait for it."""
    return len(_alive)
