"""Run ExecuTorch programs (``.pte``) on plain memory, without torch.

.. code-block:: python

    import numpy
    from nocopy.runtime import Runtime

    method = Runtime.get().load_program("model.pte").load_method("forward")
    out = method.execute([numpy.ones((1, 3, 224, 224), numpy.float32)])[0]
    values = numpy.asarray(out)  # no copy

The names are those of ``executorch.runtime``, and code written for it runs on this module. Where
the process had imported torch when a method was loaded, its results are torch tensors; otherwise
they are :class:`TensorBuffer` objects, which lend their memory through the buffer protocol and
DLPack. Nothing here imports torch.
"""

from __future__ import annotations

import os
from collections import namedtuple

from nocopy import _executorch
from nocopy._core import TensorBuffer
from nocopy._executorch import Method, MethodMeta, TensorInfo, Verification
from nocopy.dtypes import DType

# What typing.TYPE_CHECKING is, without the milliseconds that importing typing takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from typing_extensions import Buffer

__all__ = [
    "BackendRegistry",
    "DType",
    "InputPlan",
    "Method",
    "MethodMeta",
    "OperatorRegistry",
    "Program",
    "Runtime",
    "TensorBuffer",
    "TensorInfo",
    "Verification",
    "num_threads",
    "set_num_threads",
]


class InputPlan(namedtuple("InputPlan", ["input", "name", "action", "why"])):  # noqa: PYI024 (typing is slow to import)
    """What :meth:`Method.set_inputs` would do with one input, and why.

    Attributes
    ----------
    input : int
        The position of the input.
    name : str
        Its name in the program, or an empty string.
    action : str
        ``'copied by the runtime'``, ``'borrowed'``, ``'copied by us'``, or ``'value'`` for an
        input that is no tensor.
    why : str
        The reason, in a sentence.
    """

    __slots__ = ()


class Program:
    """A program file: one or more methods and their constants.

    Its bytes are read in place, and kept alive by this object and by every method loaded from it.
    """

    def __init__(self, program: _executorch._Program) -> None:
        self._program = program
        self._methods: dict[str, Method] = {}

    @property
    def method_names(self) -> set[str]:
        """The names of the program's methods."""
        return set(self._program.method_names())

    def load_method(self, name: str, *, new: bool = False) -> Method:
        """Load a method: prepare its kernels and delegates and reserve its memory.

        Parameters
        ----------
        name
            One of :attr:`method_names`.
        new
            Load another one, with memory and state of its own, for use on another thread. By
            default a method is loaded once, and the same object is returned each time: it may
            hold state, such as a cache that grows from call to call.

        Returns
        -------
        Method
            Holds the program's bytes; this object need not be kept.

        Raises
        ------
        ProgramError
            There is no such method, or it needs an operator or a delegate that this build does not
            have; the message lists what there is.
        """
        if new:
            return self._program.load_method(name, True)
        method = self._methods.get(name)
        if method is None:
            method = self._methods[name] = self._program.load_method(name, False)
        return method

    def metadata(self, method_name: str) -> MethodMeta:
        """Describe a method without loading it.

        Raises
        ------
        ProgramError
            There is no such method; the message lists those there are.
        """
        return self._program.metadata(method_name)

    def __repr__(self) -> str:
        """Name the methods."""
        return f"<nocopy.runtime.Program: {', '.join(sorted(self.method_names))}>"


class BackendRegistry:
    """The delegates that this build of the runtime has."""

    @property
    def registered_backend_names(self) -> list[str]:
        """The names of the delegates, as programs refer to them."""
        return _executorch.backend_names()

    def is_available(self, backend_name: str) -> bool:
        """Whether a delegate is there and can be used on this machine."""
        return _executorch.is_backend_available(backend_name)


class OperatorRegistry:
    """The operators that this build of the runtime has kernels for."""

    @property
    def operator_names(self) -> set[str]:
        """The names of the operators, such as ``'aten::add.out'``."""
        return set(_executorch.operator_names())


class Runtime:
    """The ExecuTorch runtime in this process. Use :meth:`get`.

    Attributes
    ----------
    backend_registry : BackendRegistry
    operator_registry : OperatorRegistry
    """

    def __init__(self) -> None:
        self.backend_registry = BackendRegistry()
        self.operator_registry = OperatorRegistry()

    _the_one: Runtime | None = None

    @staticmethod
    def get() -> Runtime:
        """Return the one runtime of the process."""
        if Runtime._the_one is None:
            Runtime._the_one = Runtime()
        return Runtime._the_one

    def load_program(
        self,
        data: str | os.PathLike[str] | Buffer | BinaryIO,
        *,
        verification: Verification = Verification.InternalConsistency,
        enable_etdump: bool = False,
        debug_buffer_size: int = 0,
        data_path: str | os.PathLike[str] | None = None,
    ) -> Program:
        """Load a program.

        Parameters
        ----------
        data
            A path, which is memory-mapped (not locked); ``bytes``, a read-only ``mmap`` or a
            ``memoryview`` of either, read in place and kept alive; any other object with the
            buffer protocol, copied once because its owner could change it; or a binary file
            object, which is read to its end. Bytes whose address is not a multiple of 16 are
            copied once too, as the format needs.
        verification
            How much the runtime checks of the file's structure. What nocopy checks itself, so
            that a damaged file cannot end the process, does not depend on it.
        enable_etdump
            For callers of ``executorch.runtime``: only False, as this build records no ETDump.
        debug_buffer_size
            Without ``enable_etdump`` it says nothing.
        data_path
            A ``.ptd`` file with data that the program keeps outside itself; memory-mapped.

        Returns
        -------
        Program

        Raises
        ------
        ProgramError
            The data is not a program, is damaged, or was made by an incompatible version.
        OSError
            A file cannot be opened or mapped.
        TypeError
            ``data`` is none of these.
        NocopyError
            ``enable_etdump`` is true.
        """
        if enable_etdump:
            from nocopy.errors import NocopyError

            raise NocopyError(
                "load_program was asked for enable_etdump=True, but this build of the runtime "
                "records no ETDump. Load the program without it, or profile it with "
                "executorch.runtime."
            )
        external = None if data_path is None else os.fspath(data_path)
        if isinstance(data, (str, os.PathLike)):
            program = _executorch.load_program_file(os.fspath(data), external, verification)
            return Program(program)
        if hasattr(data, "read") and not _has_buffer(data):
            data = data.read()
        if not _has_buffer(data):
            raise TypeError(
                f"load_program takes a path, an object with the buffer protocol or a binary file, "
                f"not {type(data).__name__}. Pass the path of a .pte file or its bytes."
            )
        return Program(_executorch.load_program_bytes(data, external, verification))


def _has_buffer(data: object) -> bool:
    try:
        memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def num_threads() -> int:
    """Return how many threads kernels and delegates may use in one call, the caller's included."""
    return _executorch.num_threads()


def set_num_threads(n: int) -> None:
    """Set how many threads kernels and delegates may use in one call.

    The pool is shared by all methods of the process.

    Raises
    ------
    ShapeError
        ``n`` is not between 1 and 1024.
    NocopyError
        A loaded method uses a delegate, which holds the present pool. Set the number before loading
        such methods.
    """
    _executorch.set_num_threads(n)
