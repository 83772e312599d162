"""Writing models to files, with their weights inside or beside them; laying out weights."""

from __future__ import annotations

import os

from nocopy import _core
from nocopy.onnx._formats import is_text
from nocopy.onnx._messages import ModelProto
from nocopy.onnx._options import ParseOptions, SerializeOptions, TensorBufferOptions

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from typing import IO

    from nocopy.onnx._messages import Message

__all__ = ["consolidate_tensors_to_buffer", "save", "save_model"]

_EXTERNAL_ALIGNMENT = 64


def save(
    proto: Message | bytes,
    f: str | os.PathLike[str] | IO[bytes],
    format: str | None = None,
    *,
    save_as_external_data: bool = False,
    all_tensors_to_one_file: bool = True,
    location: str | None = None,
    size_threshold: int = 1024,
    convert_attribute: bool = False,
    options: SerializeOptions | None = None,
) -> None:
    """Save a model. The model in memory does not change, and its weights are not copied.

    Files are written whole and then take the place of old ones: a model that is mapped from those
    keeps them, and so it can be saved over them. After a failure, a full disk or a crash, what is
    there is the old model or the new one, with its data. A data file that already says what it
    should is not written again.

    Parameters
    ----------
    proto : message or bytes
        A model (or another message), or a model serialized already.
    f : path, or file open for writing bytes
        Raw data in files of its own needs a path.
    format : {"protobuf", "textproto"}, optional
        By default what the extension says, as in the `onnx` package, else protobuf.
    save_as_external_data : bool, default False
        Write raw data to files beside the model, as the `onnx` package lays it out, each tensor at
        a multiple of 64. The following four are for this only.
    all_tensors_to_one_file : bool, default True
        Whether there is one file; otherwise each tensor has one, named after the tensor, with a
        number behind it where another model's file has that name.
    location : str, optional
        The name of the one file, relative to the model's folder, which it may not leave. By default
        that of the model with ``.data`` at its end. A file of that name is replaced if the old
        model at this path has its data in it; otherwise it may be another model's, and is not.
    size_threshold : int, default 1024
        Bytes. Tensors with less raw data stay in the model.
    convert_attribute : bool, default False
        Whether tensors in attributes of nodes go out too, and not only initializers.
    options : SerializeOptions, optional
        Says all that instead, and more: alignment, several files of a limited size, sparse tensors
        and training information.

    Raises
    ------
    ExternalDataError
        A location that is not in the model's folder, or where another file is than this model's; a
        tensor whose data was not loaded and would not be found where the saved model looks for it.
    OSError
        A file cannot be written. The old files stay, and no others.
    ValueError
        A format that is not known, or one that cannot be written this way.
    TypeError
        `proto` is no message, `f` neither a path nor a file, `options` of another class or given
        together with `save_as_external_data`.
    """
    if isinstance(proto, bytes):
        proto = ModelProto.FromString(proto, ParseOptions(no_copy=True))
    path = os.fsdecode(f) if isinstance(f, (str, os.PathLike)) else None
    if path is None and not hasattr(f, "write"):
        raise TypeError(f"expected a path or a file open for writing, not {type(f).__name__}")
    if save_as_external_data:
        if options is not None:
            raise TypeError("options say all about external data; give them alone")
        if location is None and path is not None:
            location = os.path.split(path)[1] + ".data"
        options = SerializeOptions(
            raw_data_threshold=size_threshold,
            alignment=_EXTERNAL_ALIGNMENT,
            location=location if all_tensors_to_one_file else None,
            file_per_tensor=not all_tensors_to_one_file,
            external_tensors="attributes" if convert_attribute else "initializers",
        )
    elif options is not None and not isinstance(options, SerializeOptions):
        raise TypeError(f"options must be a nocopy.onnx.SerializeOptions or None, not {options!r}")
    external = save_as_external_data or (
        options is not None and (options.location is not None or options.file_per_tensor)
    )
    if external and path is None:
        raise ValueError("raw data in files of its own needs the model's path, not an open file")
    if is_text(format, path):
        if external:
            raise ValueError("external data is written for the format 'protobuf' only")
        _save_text(proto, f, path)
    elif path is not None:
        _core.onnx_save_file(proto, path, options)
    else:
        f.write(proto.SerializeToString())  # type: ignore[union-attr]  # no path, so a file


def _save_text(proto: Message, f: str | os.PathLike[str] | IO[bytes], path: str | None) -> None:
    from nocopy.onnx import text_format

    data = text_format.MessageToString(proto).encode()
    if path is not None:
        _core.onnx_write_file(data, path)
    else:
        f.write(data)  # type: ignore[union-attr]  # no path, so a file


def consolidate_tensors_to_buffer(
    model: ModelProto, options: TensorBufferOptions | None = None
) -> None:
    """Move the raw data of a model's tensors into one buffer, from which they then borrow.

    Parameters
    ----------
    model : ModelProto
        Changed in place, with its subgraphs, functions, sparse tensors and training information.
        Values stay the same.
    options : TensorBufferOptions, optional
        Tensors of at least ``raw_data_threshold`` bytes move, by default all. Each starts at a
        multiple of ``alignment`` in the buffer, and so does the buffer. `ParseOptions` and
        `SerializeOptions` are accepted too.

    Raises
    ------
    MemoryError
        There is no room for the buffer. The model did not change.
    TypeError
        `model` or `options` is of another class.

    Notes
    -----
    The buffer goes with the last tensor, or copy of one, that borrows from it. The old bytes of
    each tensor go as soon as they are copied, so that beside the weights there is at most once more
    the largest tensor, unless someone else holds the old bytes: a view, a copy of the model, or
    other tensors of the same buffer that have not moved yet. Deleters of the old bytes run then.
    Raw data that moved is borrowed, so arrays over it are read-only.
    """
    _core.onnx_consolidate(model, options)


save_model = save
