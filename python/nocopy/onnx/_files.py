"""Reading and writing models as files and bytes."""

from __future__ import annotations

import os

from nocopy import _core
from nocopy.onnx._messages import ModelProto

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from typing import IO

    from typing_extensions import Buffer

__all__ = ["load", "load_from_string", "load_model", "save", "save_model"]


def load(f: str | os.PathLike[str] | Buffer | IO[bytes]) -> ModelProto:
    """Load a model.

    Parameters
    ----------
    f : path, bytes-like, or file open for reading bytes
        A path is read piece by piece, so that what is in memory is the model and not also the
        file. A str is a path; bytes are the model itself.

    Returns
    -------
    ModelProto
        Owns everything it holds; all was copied.

    Raises
    ------
    DecodeError
        The bytes are not a model; says where.
    OSError
        The file cannot be read.
    """
    if isinstance(f, (str, os.PathLike)):
        return _core.onnx_load_file(ModelProto, os.fspath(f))
    if hasattr(f, "read"):
        return load_from_string(f.read())
    return load_from_string(f)


def load_from_string(s: Buffer) -> ModelProto:
    """Load a model from bytes, which are copied.

    Parameters
    ----------
    s : bytes-like
        A serialized model.

    Returns
    -------
    ModelProto

    Raises
    ------
    DecodeError
        The bytes are not a model; says where.
    """
    return ModelProto.FromString(s)


def save(proto: ModelProto | bytes, f: str | os.PathLike[str] | IO[bytes]) -> None:
    """Save a model.

    Parameters
    ----------
    proto : ModelProto or bytes
        A model, or one serialized already.
    f : path, or file open for writing bytes
        A file at a path is replaced as a whole when all is written; on a failure the old one stays.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    if isinstance(proto, bytes):
        proto = load_from_string(proto)
    if isinstance(f, (str, os.PathLike)):
        _core.onnx_save_file(proto, os.fspath(f))
    else:
        f.write(proto.SerializeToString())


load_model = load
save_model = save
