"""A DLPack producer made by hand, so that every field of what it hands over can be chosen, and so
that it knows how often its deleter was called.

The structures are those of the specification, https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6
FLOAT8_E4M3FN, FLOAT8_E5M2 = 10, 12

READ_ONLY, COPIED = 1, 2

DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER))


class ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


def _api(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(ctypes.pythonapi, name)
    function.restype, function.argtypes = result, arguments
    return function


_new = _api("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_get = _api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_name = _api("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
_rename = _api("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)


#: Producers whose deleter was not called yet: what they handed over lives that long.
_claimed: set[Producer] = set()


class Producer:
    """Offers an array's memory through DLPack, described as asked.

    ``deleted`` counts the calls of the deleter, ``deleted_on`` says on which threads, and
    ``capsules`` holds the capsules handed over.
    """

    def __init__(
        self,
        array: np.ndarray,
        *,
        code: int = FLOAT,
        bits: int | None = None,
        lanes: int = 1,
        shape: Sequence[int] | None = None,
        strides: Sequence[int] | str | None = "of the array",
        byte_offset: int = 0,
        null: bool = False,
        device: tuple[int, int] = (1, 0),
        declared: Any = None,
        versioned: bool = False,
        version: tuple[int, int] = (1, 0),
        flags: int = 0,
        ndim: int | None = None,
    ) -> None:
        self.array = array
        shape = array.shape if shape is None else tuple(shape)
        if strides == "of the array":
            strides = [stride // array.itemsize for stride in array.strides]
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = (
            None if strides is None else (ctypes.c_int64 * max(len(strides), 1))(*strides)
        )
        self.tensor = Tensor(
            None if null else array.ctypes.data - byte_offset,
            device[0],
            device[1],
            len(shape) if ndim is None else ndim,
            code,
            array.itemsize * 8 if bits is None else bits,
            lanes,
            self._shape,
            self._strides,
            byte_offset,
        )
        self._device = device if declared is None else declared
        self._versioned, self._version, self._flags = versioned, version, flags
        self._deleter = DELETER(self._delete)
        self._managed: list[Managed | ManagedVersioned] = []
        self.deleted = 0
        self.deleted_on: list[int] = []
        self.asked_with: list[dict[str, Any]] = []
        self.capsules: list[Any] = []

    def _delete(self, _: int) -> None:
        _claimed.discard(self)
        self.deleted += 1
        self.deleted_on.append(threading.get_ident())

    def __dlpack_device__(self) -> Any:
        return self._device

    def __dlpack__(self, **asked: Any) -> Any:
        if not self._versioned and "max_version" in asked:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.asked_with.append(asked)
        if self._versioned:
            managed = ManagedVersioned(
                *self._version, None, self._deleter, self._flags, self.tensor
            )
        else:
            managed = Managed(self.tensor, None, self._deleter)
        self._managed.append(managed)
        _claimed.add(self)
        name = b"dltensor_versioned" if self._versioned else b"dltensor"
        # The name must outlive the capsule; constants do.
        capsule = _new(ctypes.addressof(managed), _NAMES[name], None)
        self.capsules.append(capsule)
        return capsule


_KEPT = [
    ctypes.create_string_buffer(b"dltensor"),
    ctypes.create_string_buffer(b"dltensor_versioned"),
]
_NAMES = {buffer.value: ctypes.cast(buffer, ctypes.c_char_p) for buffer in _KEPT}
_USED = ctypes.create_string_buffer(b"used_dltensor")
_USED_VERSIONED = ctypes.create_string_buffer(b"used_dltensor_versioned")


def capsule_name(capsule: Any) -> str:
    """What the capsule is called; starts with ``used_`` once it was claimed."""
    return _name(capsule).decode()


class Consumer:
    """Claims a capsule as a C library does, and frees what it holds when told to."""

    def __init__(self, capsule: Any) -> None:
        self.versioned = capsule_name(capsule) == "dltensor_versioned"
        kind = ManagedVersioned if self.versioned else Managed
        pointer = _get(capsule, capsule_name(capsule).encode())
        self.managed = kind.from_address(pointer)
        self._pointer = pointer
        _rename(capsule, ctypes.cast(_USED_VERSIONED if self.versioned else _USED, ctypes.c_char_p))

    @property
    def tensor(self) -> Tensor:
        return self.managed.tensor

    @property
    def shape(self) -> list[int]:
        return self.tensor.shape[: self.tensor.ndim]

    @property
    def strides(self) -> list[int]:
        return self.tensor.strides[: self.tensor.ndim]

    def read(self) -> list[float]:
        """The float32 elements in the order in which they lie in memory."""
        count = int(np.prod(self.shape))
        return list(
            (ctypes.c_float * count).from_address(self.tensor.data + self.tensor.byte_offset)
        )

    def free(self) -> None:
        self.managed.deleter(self._pointer)
