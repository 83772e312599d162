"""The classes of all messages, made by the core from its tables.

``_messages.pyi`` says what is in here.
"""

from __future__ import annotations

import _collections_abc

from nocopy import _core
from nocopy.onnx._enums import EnumTypeWrapper

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from nocopy.onnx._descriptors import Descriptor


class _LazyDescriptor:
    """A class attribute that is looked up when it is asked for."""

    __slots__ = ("_full_name",)

    def __init__(self, full_name: str) -> None:
        self._full_name = full_name

    def __get__(self, instance: object, owner: type | None = None) -> Descriptor:
        from nocopy.onnx._descriptors import message_descriptor

        return message_descriptor(self._full_name)


def _complete(made: type, row: Any) -> None:
    _, full_name, _, _, fields, _, enums = row
    made.DESCRIPTOR = _LazyDescriptor(full_name)  # type: ignore[attr-defined]
    for name, number, *_ in fields:
        setattr(made, f"{name.upper()}_FIELD_NUMBER", number)
    for name, enum_full_name, _, values in enums:
        setattr(made, name, EnumTypeWrapper(name, enum_full_name, values))
        for value_name, number in values:
            setattr(made, value_name, number)


def _all_classes() -> dict[str, Any]:
    message, scalars, composites, *classes = _core.onnx_classes()
    _collections_abc.MutableSequence.register(scalars)
    _collections_abc.MutableSequence.register(composites)
    found: dict[str, Any] = {
        "Message": message,
        "RepeatedScalarContainer": scalars,
        "RepeatedCompositeContainer": composites,
    }
    for made, row in zip(classes, _core.onnx_messages(), strict=True):
        _complete(made, row)
        if row[3] is None:
            found[row[0]] = made
    for name, full_name, _, values in _core.onnx_enums():
        found[name] = EnumTypeWrapper(name, full_name, values)
        found.update(values)
    return found


def _as_array(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    """Return the tensor as an array, for ``numpy.asarray``; see `numpy_helper.to_array`."""
    from nocopy.onnx.numpy_helper import as_array

    return as_array(self, dtype, copy)


globals().update(_all_classes())
globals()["TensorProto"].__array__ = _as_array
