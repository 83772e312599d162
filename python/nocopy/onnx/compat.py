"""Our messages and the ``onnx`` package's in one process.

Two ways, for programs that use both:

- `to_onnx` and `from_onnx` convert a message, by its bytes.
- `substitute` puts our classes where the ``onnx`` package's Python looks for its own, so that its
  helper, checker, compose, shape inference and reference evaluator take and make our messages.

The ``onnx`` package is imported by these functions, not by this module.
"""

from __future__ import annotations

import contextlib
import sys
import threading

from nocopy.onnx import _messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nocopy.onnx._messages import Message

__all__ = [
    "from_onnx",
    "is_substituted",
    "substitute",
    "substituted",
    "to_onnx",
    "undo_substitute",
]

_lock = threading.RLock()
_active = False


def to_onnx(message: Message) -> Any:
    """Return the ``onnx`` package's message for one of ours.

    Parameters
    ----------
    message
        Any message of :mod:`nocopy.onnx`.

    Returns
    -------
    google.protobuf.message.Message
        Equal to `message`, unknown fields included. Shares nothing with it: all is copied twice, to
        bytes and out of them, raw data as well.

    Raises
    ------
    TypeError
        If it is not a message of ours.
    google.protobuf.message.DecodeError
        If the message takes 2 GiB or more as bytes, which protobuf does not read.
    """
    if not isinstance(message, _messages.Message):
        raise TypeError(f"expected a message of nocopy.onnx, not {type(message).__name__}")
    their_class = _their_classes()[message.DESCRIPTOR.full_name]
    return their_class.FromString(message.SerializeToString())


def from_onnx(message: Any) -> Any:
    """Return our message for one of the ``onnx`` package.

    Parameters
    ----------
    message
        Any message of the ``onnx`` package.

    Returns
    -------
    Message
        Equal to `message`, unknown fields included. Shares nothing with it: all is copied twice, to
        bytes and out of them, raw data as well.

    Raises
    ------
    TypeError
        If it is not a message of the ``onnx`` package.
    """
    descriptor = getattr(message, "DESCRIPTOR", None)
    our_class = _our_classes().get(getattr(descriptor, "full_name", ""))
    if our_class is None or isinstance(message, _messages.Message):
        raise TypeError(f"expected a message of the onnx package, not {type(message).__name__}")
    return our_class.FromString(message.SerializeToString())


def substitute() -> None:
    """Make the ``onnx`` package's own Python work on our messages.

    From here on, in all of its modules, also those imported later, the names of its message classes
    stand for our classes: ``onnx.helper.make_model`` makes our messages, ``onnx.compose`` and
    ``onnx.reference`` take them, ``onnx.load`` returns them, ``onnx.checker`` and
    ``onnx.shape_inference`` take them and hand them to their C++ as bytes, which copies them.
    Messages of its own classes that exist already are no longer accepted by what checks classes.

    Names that other modules took from it before (``from onnx import ModelProto``) stay what they
    were. This changes modules for the whole process: call it at the start, or use `substituted`
    in a program with one thread. A second call does nothing.
    """
    global _active
    with _lock:
        _their_classes()  # before the names change
        _replace(_pairs())
        _active = True


def undo_substitute() -> None:
    """Put the ``onnx`` package's own classes back, in all of its modules."""
    global _active
    with _lock:
        if _active:
            _replace([(ours, theirs) for theirs, ours in _pairs()])
            _active = False


def is_substituted() -> bool:
    """Return whether `substitute` is in force."""
    return _active


@contextlib.contextmanager
def substituted() -> Iterator[None]:
    """Do `substitute` for a with statement, unless it is in force already."""
    with _lock:
        before = _active
        substitute()
    try:
        yield
    finally:
        if not before:
            undo_substitute()


def _replace(pairs: list[tuple[Any, Any]]) -> None:
    new_of = {id(old): new for old, new in pairs}
    for name, module in list(sys.modules.items()):
        if name != "onnx" and not name.startswith("onnx."):
            continue
        for attribute, value in list(vars(module).items()):
            new = new_of.get(id(value))
            if new is not None:
                setattr(module, attribute, new)


def _pairs() -> list[tuple[Any, Any]]:
    ours = _our_classes()
    return [(theirs, ours[name]) for name, theirs in _their_classes().items()]


_theirs: dict[str, Any] = {}
_ours: dict[str, Any] = {}


def _their_classes() -> dict[str, Any]:
    """Return the ``onnx`` package's classes by full name, nested ones included."""
    with _lock:
        if not _theirs:
            import onnx.onnx_data_pb2
            import onnx.onnx_ml_pb2

            for module in (onnx.onnx_ml_pb2, onnx.onnx_data_pb2):
                for descriptor in module.DESCRIPTOR.message_types_by_name.values():
                    _add(_theirs, getattr(module, descriptor.name), _our_classes())
    return _theirs


def _our_classes() -> dict[str, Any]:
    """Return our classes by full name, nested ones included."""
    with _lock:
        if not _ours:
            for value in vars(_messages).values():
                if (
                    isinstance(value, type)
                    and issubclass(value, _messages.Message)
                    and value is not _messages.Message
                ):
                    _add(_ours, value, None)
    return _ours


def _add(found: dict[str, Any], message_class: Any, only: dict[str, Any] | None) -> None:
    descriptor = getattr(message_class, "DESCRIPTOR", None)
    if descriptor is None or (only is not None and descriptor.full_name not in only):
        return
    found[descriptor.full_name] = message_class
    for nested in descriptor.nested_types:
        _add(found, getattr(message_class, nested.name), only)
