"""The element types, as one table that both formats and every conversion share."""

from __future__ import annotations

import enum

from nocopy._core import dtype_table

__all__ = ["DType"]

_TABLE = {name: (bits, scalar, onnx, torch) for name, bits, scalar, onnx, torch in dtype_table()}
# Dtypes that an ExecuTorch program cannot have are numbered beyond those that it can.
_BEYOND = 100


class _DType(enum.IntEnum):
    """An element type; its integer value is ExecuTorch's ``ScalarType`` where there is one.

    ``str(dtype)`` is the name that numpy, ml_dtypes or torch uses.
    """

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"nocopy.{self.name}"

    @property
    def itemsize(self) -> int:
        """Bytes of one element; 0 for dtypes smaller than a byte, which are packed."""
        return int(_TABLE[self.name][0]) // 8

    @property
    def bits(self) -> int:
        """Bits of one element; 0 for strings."""
        return int(_TABLE[self.name][0])


DType = _DType(  # type: ignore[call-arg]
    "DType",
    {
        name: scalar if scalar >= 0 else _BEYOND + row
        for row, (name, (_, scalar, _, _)) in enumerate(_TABLE.items())
    },
)
