"""How to parse, to write and to lay out tensors: plain objects that the core reads."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from nocopy.onnx._messages import GraphProto, TensorProto

    Deleter = Callable[[], object]
    OnRawData = Callable[[TensorProto, GraphProto | None], Deleter | None]

__all__ = ["ParseOptions", "RawDataCallback", "SerializeOptions", "TensorBufferOptions"]


class _Integer:
    """Accepts whole numbers in a range; bool is not one."""

    def __init__(self, least: int, most: int) -> None:
        self.least = least
        self.most = most

    def __call__(self, name: str, value: Any) -> int:
        try:
            if isinstance(value, bool):
                raise TypeError
            number = int(value.__index__())
        except (AttributeError, TypeError):
            raise TypeError(f"{name} must be an int, not {value!r}") from None
        if not self.least <= number <= self.most:
            raise ValueError(f"{name} must be from {self.least} to {self.most}, not {number}")
        return number


def _boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return value


def _path(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be a path or None, not {value!r}")
    path = os.fspath(value)
    if not isinstance(path, str):
        raise TypeError(f"{name} must be a path made of str, not {path!r}")
    if not path or "\0" in path:
        raise ValueError(f"{name} must not be empty or hold a null character, as {path!r} does")
    return path


class _OneOf:
    """Accepts some words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def __call__(self, name: str, value: Any) -> str:
        if value not in self.words:
            raise ValueError(f"{name} must be one of {', '.join(self.words)}, not {value!r}")
        return str(value)


def _callback(name: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be None or a callable (tensor, graph), not {value!r}")
    return value


_SIZE = _Integer(0, 2**63 - 1)
_ALIGNMENT = _Integer(0, 2**30)
_THREADS = _Integer(1, 1024)


class TensorBufferOptions:
    """Which tensors an operation on raw data is about, and how it lays them out.

    What takes these takes `ParseOptions` and `SerializeOptions` too. Each option can be given by
    keyword and assigned to later; both check its type (`TypeError`) and range (`ValueError`).

    Parameters
    ----------
    raw_data_threshold : int, default 0
        Bytes. Tensors with less raw data are left as they are.
    alignment : int, default 0
        Bytes, up to 1 GiB; each tensor starts at a multiple of this. 0 leaves them unaligned.
    """

    __slots__ = ("alignment", "raw_data_threshold")
    __hash__ = None  # type: ignore[assignment]  # equal by value, and the values change

    raw_data_threshold: int
    alignment: int

    _checks: ClassVar[dict[str, Callable[[str, Any], Any]]] = {
        "raw_data_threshold": _SIZE,
        "alignment": _ALIGNMENT,
    }

    def __init__(self, *, raw_data_threshold: int = 0, alignment: int = 0) -> None:
        self.raw_data_threshold = raw_data_threshold
        self.alignment = alignment

    def __setattr__(self, name: str, value: Any) -> None:
        check = self._checks.get(name)
        if check is None:
            raise AttributeError(
                f"{type(self).__name__} has no option {name!r}; it has {', '.join(self._checks)}"
            )
        object.__setattr__(self, name, check(name, value))

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"the option {name!r} cannot be deleted")

    def values(self) -> dict[str, Any]:
        """Return the options by name, as the class takes them."""
        return {name: getattr(self, name) for name in self._checks}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.values() == other.values()

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.values().items())
        return f"{type(self).__name__}({values})"


class ParseOptions(TensorBufferOptions):
    """How to read a message, and who keeps the bytes of its tensors.

    Parameters
    ----------
    raw_data_threshold : int, default 1024
        Bytes. With `no_copy`, tensors in the model itself with less raw data are copied. External
        data is borrowed whatever its size.
    alignment : int, default 0
        Not used by reading: what is borrowed lies where it lies, and what is copied is aligned.
    no_copy : bool, default False
        Borrow raw data from the bytes or from mappings of the files, which the tensors keep alive.
    num_threads : int, default 1
        1 to 1024 threads that copy external data.
    load_external_data : bool, default True
        Whether tensors whose data is in other files get it. Without, they are left as they are.
    raw_data_callback : callable, optional
        Called as ``raw_data_callback(tensor, graph)`` once for each tensor, when its raw data is
        there; `graph` is the graph that the tensor is part of, or None. It returns None or a
        callable without arguments, which is called when the tensor and its copies are done with
        that data, on whichever thread that happens. What it raises ends the parse.
    location : path, optional
        Where external data is instead of where the model says: a file, or a folder in which the
        model's own locations are looked up.
    allow_outside : bool, default False
        Accept external data that lies outside of the model's folder: absolute locations, those that
        climb out, and links. Only for models from someone you would let read all your files.
    """

    __slots__ = (
        "allow_outside",
        "load_external_data",
        "location",
        "no_copy",
        "num_threads",
        "raw_data_callback",
    )

    no_copy: bool
    num_threads: int
    load_external_data: bool
    raw_data_callback: OnRawData | None
    location: str | os.PathLike[str] | None
    allow_outside: bool

    _checks: ClassVar[dict[str, Callable[[str, Any], Any]]] = {
        **TensorBufferOptions._checks,
        "no_copy": _boolean,
        "num_threads": _THREADS,
        "load_external_data": _boolean,
        "raw_data_callback": _callback,
        "location": _path,
        "allow_outside": _boolean,
    }

    def __init__(
        self,
        *,
        raw_data_threshold: int = 1024,
        alignment: int = 0,
        no_copy: bool = False,
        num_threads: int = 1,
        load_external_data: bool = True,
        raw_data_callback: OnRawData | None = None,
        location: str | os.PathLike[str] | None = None,
        allow_outside: bool = False,
    ) -> None:
        super().__init__(raw_data_threshold=raw_data_threshold, alignment=alignment)
        self.no_copy = no_copy
        self.num_threads = num_threads
        self.load_external_data = load_external_data
        self.raw_data_callback = raw_data_callback
        self.location = location
        self.allow_outside = allow_outside


class SerializeOptions(TensorBufferOptions):
    """How to write a message, and which tensors go to files of their own.

    Parameters
    ----------
    raw_data_threshold : int, default 64
        Bytes. Tensors with less raw data stay in the model.
    alignment : int, default 0
        Bytes, up to 1 GiB; each tensor starts at a multiple of this in its file.
    location : path, optional
        The file for external data: a path relative to the model's folder, which it may not leave.
        Without one all data stays in the model. The file ends at a multiple of `alignment`, too. A
        file that is there is replaced if the old model at the same path has its data in it.
        Otherwise it may be another model's: `save` raises ExternalDataError unless it is the same.
    max_external_file_size : int, default 0
        Bytes that no file grows past; another is begun: ``location``, ``location.1``, ... A tensor
        that is larger has a file to itself. 0 for one file, whatever its size.
    file_per_tensor : bool, default False
        Whether each tensor has a file, named after the tensor, with a number behind it where
        another model's file has that name; `location` is not used then.
    external_tensors : {"all", "initializers", "attributes"}, default "all"
        Which tensors go out: all; initializers of the model's graph and its subgraphs; or those and
        the ones in attributes of nodes. The `onnx` package finds and loads no others than the
        latter: not those of sparse tensors, training information and graphs inside of functions.
    allow_missing_external_data : bool, default False
        Write a tensor that was not loaded even if its file is not where the saved model will look.
    sync : bool, default True
        Where files are replaced, force the new ones to the disk first, so that the old or the new
        ones are there even if the machine crashes.
    """

    __slots__ = (
        "allow_missing_external_data",
        "external_tensors",
        "file_per_tensor",
        "location",
        "max_external_file_size",
        "sync",
    )

    location: str | os.PathLike[str] | None
    max_external_file_size: int
    file_per_tensor: bool
    external_tensors: str
    allow_missing_external_data: bool
    sync: bool

    _checks: ClassVar[dict[str, Callable[[str, Any], Any]]] = {
        **TensorBufferOptions._checks,
        "location": _path,
        "max_external_file_size": _SIZE,
        "file_per_tensor": _boolean,
        "external_tensors": _OneOf("all", "initializers", "attributes"),
        "allow_missing_external_data": _boolean,
        "sync": _boolean,
    }

    def __init__(
        self,
        *,
        raw_data_threshold: int = 64,
        alignment: int = 0,
        location: str | os.PathLike[str] | None = None,
        max_external_file_size: int = 0,
        file_per_tensor: bool = False,
        external_tensors: str = "all",
        allow_missing_external_data: bool = False,
        sync: bool = True,
    ) -> None:
        super().__init__(raw_data_threshold=raw_data_threshold, alignment=alignment)
        self.location = location
        self.max_external_file_size = max_external_file_size
        self.file_per_tensor = file_per_tensor
        self.external_tensors = external_tensors
        self.allow_missing_external_data = allow_missing_external_data
        self.sync = sync


class RawDataCallback:
    """A `ParseOptions.raw_data_callback` that only looks: who owns the data stays as it is.

    Parameters
    ----------
    on_tensor : callable
        Called as ``on_tensor(tensor)`` for each tensor; what it returns is ignored. What it raises
        ends the parse.

    Examples
    --------
    >>> names = []
    >>> options = ParseOptions(raw_data_callback=RawDataCallback(lambda t: names.append(t.name)))
    """

    __slots__ = ("on_tensor",)

    def __init__(self, on_tensor: Callable[[TensorProto], object]) -> None:
        if not callable(on_tensor):
            raise TypeError(f"on_tensor must be a callable (tensor), not {on_tensor!r}")
        self.on_tensor = on_tensor

    def __call__(self, tensor: TensorProto, graph: GraphProto | None) -> None:
        """Report `tensor`; the answer is always None."""
        self.on_tensor(tensor)

    def __repr__(self) -> str:
        return f"RawDataCallback({self.on_tensor!r})"
