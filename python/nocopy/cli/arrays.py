"""Arrays for the command line: read from files, made readable, written as text. Needs numpy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nocopy.cli.command import CommandError

__all__ = ["Readable", "is_tensor", "load_arrays", "readable", "written"]

Array = npt.NDArray[Any]

_NPY = b"\x93NUMPY"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


class Readable(NamedTuple):
    """A tensor's values as numpy has them, and what was done to them if it lacks the dtype."""

    values: Array
    note: str


def load_arrays(paths: Sequence[Path]) -> dict[str, Array]:
    """Read one .npz file, or one array from each of several .npy files.

    Nothing is unpickled.

    Returns
    -------
    dict
        The arrays of the .npz file by name, in the file's order; those of .npy files as ``arg_0``,
        ``arg_1`` and so on.

    Raises
    ------
    CommandError
        A file cannot be read, is of neither kind, or an .npz file comes with other files.
    """
    arrays: dict[str, Array] = {}
    for number, path in enumerate(paths):
        try:
            with path.open("rb") as file:
                start = file.read(len(_NPY))
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        if start == _NPY:
            arrays[f"arg_{number}"] = _load(path)
        elif start[:4] in _ZIP:
            if len(paths) != 1:
                raise CommandError(f"{path} is an .npz file, which --input takes alone")
            arrays = _load(path)
        else:
            raise CommandError(f"{path} is neither an .npz nor an .npy file")
    return arrays


def _load(path: Path) -> Any:
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            return {name: loaded[name] for name in loaded.files}
    except Exception as error:
        # A file of any content arrives here, and zip, zlib and numpy each have their own errors.
        raise CommandError(f"{path} cannot be read: {error}") from error


def is_tensor(output: object) -> bool:
    """Whether something that a method returned is a tensor rather than a Python value."""
    return hasattr(output, "__dlpack__")


def readable(tensor: Any) -> Readable:
    """Read a tensor with numpy, widening what numpy has no dtype for where that is exact.

    Parameters
    ----------
    tensor
        A `TensorBuffer` on the host, or a torch tensor in a process that uses torch.

    Returns
    -------
    Readable
        The tensor's own memory, not copied, for every dtype that numpy has; bfloat16 as float32;
        the bits as unsigned integers for anything else.
    """
    name = str(tensor.dtype).rpartition(".")[2]
    if name == "bfloat16":
        bits = np.asarray(memoryview(tensor))
        return Readable((bits.astype(np.uint32) << 16).view(np.float32), "float32")
    values = np.asarray(tensor)
    return Readable(values, "" if values.dtype.name == name else f"its bits in {values.dtype.name}")


def written(values: Array) -> str:
    """Write an array as text, large ones shortened."""
    return np.array2string(values, threshold=200, max_line_width=120, precision=4)
