"""Every error that nocopy raises on purpose.

All of them derive from :class:`NocopyError`, which is a :class:`RuntimeError` because callers of
``executorch.runtime`` catch that. The classes say what the caller can do about the error; the
message names the input, what was given, what was expected and what to do.
"""

from __future__ import annotations

__all__ = [
    "DTypeError",
    "DecodeError",
    "DeviceError",
    "ExternalDataError",
    "IncompleteInputsError",
    "LayoutError",
    "MethodBusyError",
    "NocopyError",
    "ProgramError",
    "ShapeError",
]


class NocopyError(RuntimeError):
    """Base of every error that nocopy raises on purpose."""


class LayoutError(NocopyError, ValueError):
    """The memory's layout (strides, alignment, contiguity) is not one that can be read here."""


class DTypeError(NocopyError, TypeError):
    """The element type, or the kind of the object, is not the one expected."""


class ShapeError(NocopyError, ValueError):
    """A rank, a size, a number of elements or a number of inputs does not fit."""


class DeviceError(NocopyError, ValueError):
    """The memory lives on a device that cannot be used here."""


class IncompleteInputsError(NocopyError):
    """The method's inputs are not a whole set; set all of them again."""


class MethodBusyError(NocopyError):
    """The method is running on another thread; load one method per thread."""


class ProgramError(NocopyError):
    """The program file cannot be used: damaged, incompatible, or missing something it needs."""


class DecodeError(NocopyError, ValueError):
    """The bytes are not a well-formed message."""


class ExternalDataError(NocopyError, ValueError):
    """A tensor's external data cannot be used: its location, range or file is not acceptable."""
