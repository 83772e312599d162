"""The element types that the two formats, the buffer protocol and DLPack can name."""

from __future__ import annotations

import enum

__all__ = ["DType"]


class DType(enum.IntEnum):
    """An element type.

    ``str(dtype)`` is the name that numpy, ml_dtypes or torch uses. The integer value is
    ExecuTorch's ``ScalarType``, or a number from 100 on for a type that no program can have. The
    members are those of the table that the C++ core converts by, and a test compares the two.
    """

    uint8 = 0
    int8 = 1
    int16 = 2
    int32 = 3
    int64 = 4
    float16 = 5
    float32 = 6
    float64 = 7
    complex32 = 8
    complex64 = 9
    complex128 = 10
    bool = 11
    qint8 = 12
    quint8 = 13
    qint32 = 14
    bfloat16 = 15
    quint4x2 = 16
    quint2x4 = 17
    bits1x8 = 18
    bits2x4 = 19
    bits4x2 = 20
    bits8 = 21
    bits16 = 22
    float8_e5m2 = 23
    float8_e4m3fn = 24
    float8_e5m2fnuz = 25
    float8_e4m3fnuz = 26
    uint16 = 27
    uint32 = 28
    uint64 = 29
    string = 130
    uint4 = 131
    int4 = 132
    float4_e2m1fn = 133
    float8_e8m0fnu = 134
    uint2 = 135
    int2 = 136

    def __str__(self) -> str:
        """Return the name."""
        return self.name

    def __repr__(self) -> str:
        """Return the name, qualified."""
        return f"nocopy.{self.name}"
