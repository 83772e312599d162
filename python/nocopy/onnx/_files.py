"""Reading models from files and bytes."""

from __future__ import annotations

import os

from nocopy import _core
from nocopy.onnx._formats import is_text
from nocopy.onnx._messages import ModelProto
from nocopy.onnx._options import ParseOptions

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from typing import IO, Any

    from typing_extensions import Buffer

    from nocopy.onnx._options import OnRawData

__all__ = [
    "load",
    "load_external_data_for_model",
    "load_from_string",
    "load_model",
    "load_model_from_string",
]


def load(
    f: str | os.PathLike[str] | Buffer | IO[bytes],
    format: str | None = None,  # the onnx package's name for it
    load_external_data: bool = True,
    *,
    no_copy: bool | None = None,
    num_threads: int | None = None,
    location: str | os.PathLike[str] | None = None,
    allow_outside: bool | None = None,
    raw_data_callback: OnRawData | None = None,
    options: ParseOptions | None = None,
) -> ModelProto:
    """Load a model.

    Parameters
    ----------
    f : path, bytes-like, or file open for reading bytes
        A path is read piece by piece, so that what is in memory is the model and not also the
        file. A str is a path; bytes are the model itself.
    format : {"protobuf", "textproto"}, optional
        By default what the path's extension says, as in the `onnx` package, else protobuf.
    load_external_data : bool, default True
        Whether tensors whose data is in other files get it. Those files are looked up beside the
        path, or beside the open file's name; bytes have no place, so that their tensors get
        external data only with `location`. False here or in `options` is False.
    no_copy : bool, default False
        Borrow raw data instead of copying it: from a mapping of the file, of which there is one for
        each file, or from the bytes. Of the model's own file or bytes, tensors with less than
        ``options.raw_data_threshold`` bytes are copied.
    num_threads : int, default 1
        Threads that copy external data.
    location : path, optional
        Where external data is instead of where the model says: the file, or the folder in which the
        model's own locations are looked up.
    allow_outside : bool, default False
        Accept external data outside of the model's folder. Only for models from someone you would
        let read all your files.
    raw_data_callback : callable, optional
        See `ParseOptions`. While there is one, the interpreter's lock is held between its calls.
    options : ParseOptions, optional
        All of these and more. What is also given as an argument of its own is taken from there.

    Returns
    -------
    ModelProto
        Owns what was copied. What is borrowed is kept alive by the tensors that borrow it and their
        copies, also when the file is deleted or replaced or the bytes object is dropped. Bytes that
        can change, like a bytearray's, cannot be resized meanwhile, and show through when they are
        changed. A mapped file must not be changed or made shorter in place: tensors show the
        change, and touching what is no longer there ends the process.

    Raises
    ------
    DecodeError
        The bytes are not a model; says where.
    ExternalDataError
        A tensor's external data is missing, not what the model says, or not where it may be.
    OSError
        The file cannot be read.
    TypeError, ValueError
        An option, or a format, that is not one.
    """
    chosen = _choose(
        options,
        load_external_data=None if load_external_data else False,
        no_copy=no_copy,
        num_threads=num_threads,
        location=location,
        allow_outside=allow_outside,
        raw_data_callback=raw_data_callback,
    )
    path = os.fsdecode(f) if isinstance(f, (str, os.PathLike)) else None
    text = is_text(format, path)
    if path is not None and not text:
        return _core.onnx_load_file(ModelProto, path, chosen)
    data: Buffer
    if path is not None:
        with open(path, "rb") as file:  # noqa: PTH123  # pathlib takes long to import
            data = file.read()
    elif hasattr(f, "read") and not _lends(f):  # a mmap.mmap does both
        data = f.read()
        name = getattr(f, "name", None)
        # A number where it was opened by its descriptor.
        path = os.fsdecode(name) if isinstance(name, (str, bytes)) else None
    else:
        data = f  # type: ignore[assignment]  # neither a path nor a file, so bytes
    return _from_bytes(_from_text(data) if text else data, path, chosen)


def load_from_string(
    s: Buffer,
    format: str | None = None,
    *,
    no_copy: bool | None = None,
    options: ParseOptions | None = None,
) -> ModelProto:
    """Load a model from bytes; `load` says what the arguments mean.

    Parameters
    ----------
    s : bytes-like
        A serialized model.
    format : {"protobuf", "textproto"}, optional
    no_copy : bool, default False
    options : ParseOptions, optional

    Returns
    -------
    ModelProto
        Owns what was copied. With `no_copy` it and what is copied from it hold `s`, for as long as
        they borrow from it. External data is loaded only with ``options.location``.

    Raises
    ------
    DecodeError
        The bytes are not a model; says where.
    ExternalDataError
        A tensor's external data is missing, not what the model says, or not where it may be.
    TypeError, ValueError
        An option, or a format, that is not one.
    """
    chosen = _choose(options, no_copy=no_copy)
    return _from_bytes(_from_text(s) if is_text(format, None) else s, None, chosen)


def load_external_data_for_model(
    model: ModelProto,
    base_dir: str | os.PathLike[str],
    options: ParseOptions | None = None,
) -> None:
    """Give the tensors of a model that is in memory the data that is in other files.

    Parameters
    ----------
    model : ModelProto
        Changed in place: the tensors whose data was loaded say nothing of external data any more.
        After an error some may have theirs and others not.
    base_dir : path
        The folder that holds the files, and out of which none may lead.
    options : ParseOptions, optional
        Whether to borrow or to copy, and the rest; `base_dir` takes the place of its `location`.

    Raises
    ------
    ExternalDataError
        A tensor's external data is missing, not what the model says, or not where it may be.
    """
    chosen = _choose(options, location=base_dir)
    _core.onnx_load_external(model, chosen)


def _lends(f: object) -> bool:
    """Return whether an object has the buffer protocol."""
    try:
        memoryview(f).release()  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _from_text(data: Buffer) -> bytes:
    from nocopy.onnx import text_format

    return text_format.Parse(bytes(data), ModelProto()).SerializeToString()


def _choose(options: ParseOptions | None, **given: Any) -> ParseOptions:
    """Return options with what was given instead; the caller's own stay as they are."""
    if options is None:
        values = {}
    elif isinstance(options, ParseOptions):
        values = options.values()
    else:
        raise TypeError(f"options must be a nocopy.onnx.ParseOptions or None, not {options!r}")
    values.update((name, value) for name, value in given.items() if value is not None)
    return ParseOptions(**values)


def _from_bytes(s: Buffer, name: str | None, options: ParseOptions) -> ModelProto:
    """Parse bytes; their external data is beside the file `name`, or where the options say."""
    if name is None and options.location is None:
        return ModelProto.FromString(s, options)
    return _core.onnx_load_beside(ModelProto, s, name or "", options)


load_model = load
load_model_from_string = load_from_string
