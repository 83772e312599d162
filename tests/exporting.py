"""Exports small torch models to ExecuTorch programs, and keeps the files between test runs.

``models.py`` describes the models; this file turns a description into an :class:`Exported`. Nothing
is exported unless a test asks for it, and a second run of the suite finds the files in
``.cache/models/<key>``, where the key covers the sources of both files and the versions that
exported. Modules are rebuilt from a fixed seed on each run, so the eager module always has the
weights that the file on disk was exported with.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import logging
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

HERE = Path(__file__).resolve().parent
SEED = 20240229

#: Every model of the zoo by name, in the order of definition.
ZOO: dict[str, Callable[[], Exported]] = {}


@dataclass
class Recipe:
    """What to export and how.

    ``planned_inputs`` and ``planned_outputs`` say whether the program reserves memory of its own
    for them. Without it the runtime reads and writes the caller's memory, which is what most
    ownership rules are about.
    """

    module: torch.nn.Module | None
    inputs: tuple[Any, ...]
    dynamic_shapes: Any = None
    planned_inputs: bool = True
    planned_outputs: bool = True
    xnnpack: bool = False
    external_data: bool = False
    #: other methods of the program: name -> (module, inputs)
    methods: Mapping[str, tuple[torch.nn.Module, tuple[Any, ...]]] = field(default_factory=dict)
    #: methods that return a constant: name -> value
    constants: Mapping[str, Any] = field(default_factory=dict)
    #: mutable buffers whose initial values are stored in the program
    initial_buffers: tuple[str, ...] = ()
    #: positions of the inputs that the model writes; a program returns them before its other
    #: outputs
    written_inputs: tuple[int, ...] = ()
    #: changes the program in the exporter's own terms before it is written
    edit: Callable[[Any], None] | None = None
    #: changes the finished file, to make one that is broken in exactly one way
    patch: Callable[[bytes], bytes] | None = None


@dataclass(frozen=True)
class Exported:
    """One exported program with the model it came from."""

    name: str
    path: Path
    recipe: Recipe

    @property
    def program(self) -> bytes:
        """The program file's bytes, read anew on each access."""
        return self.path.read_bytes()

    @property
    def data_path(self) -> Path | None:
        """The ``.ptd`` file with the program's external tensors, where it has one."""
        return self.path.with_suffix(".ptd") if self.recipe.external_data else None

    @property
    def module(self) -> torch.nn.Module:
        """The eager module.

        A stateful one keeps its state from call to call, see `fresh_module`.
        """
        assert self.recipe.module is not None
        return self.recipe.module

    def fresh_module(self, method: str = "forward") -> torch.nn.Module:
        """A copy of the eager module in its initial state."""
        module = self.module if method == "forward" else self.recipe.methods[method][0]
        return copy.deepcopy(module)

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Fresh copies of the example inputs: torch tensors and Python values."""
        return tuple(clone(value) for value in self.recipe.inputs)

    def method_inputs(self, method: str) -> tuple[Any, ...]:
        """Fresh copies of the example inputs of one of the other methods."""
        return tuple(clone(value) for value in self.recipe.methods[method][1])

    @property
    def arrays(self) -> list[Any]:
        """The example inputs as numpy arrays (see `to_numpy`) and Python values."""
        return [to_numpy(value) for value in self.inputs]

    def eager(self, *inputs: Any, method: str = "forward") -> list[Any]:
        """What a fresh copy of the model returns in eager mode, as a flat list of torch tensors and
        Python values.

        With no inputs given the example inputs are used. numpy arrays count as the tensors they
        look like. Inputs that the model writes come first, as they are after the call, which is how
        a program returns them.
        """
        if not inputs:
            inputs = self.inputs if method == "forward" else self.method_inputs(method)
        inputs = tuple(
            torch.from_numpy(x.copy()) if isinstance(x, np.ndarray) else clone(x) for x in inputs
        )
        with torch.no_grad():
            result = self.fresh_module(method)(*inputs)
        written = [inputs[i] for i in self.recipe.written_inputs] if method == "forward" else []
        # None is a leaf here, as it is in a program.
        return written + torch.utils._pytree.tree_leaves(result, is_leaf=lambda x: x is None)

    def expected(self, *inputs: Any, method: str = "forward") -> list[Any]:
        """`eager`, with tensors as numpy arrays (see `to_numpy`)."""
        return [to_numpy(value) for value in self.eager(*inputs, method=method)]


def clone(value: Any) -> Any:
    """A copy of a tensor in its own memory with the same strides, and anything else as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype).copy_(value)


def to_numpy(value: Any) -> Any:
    """A tensor as a numpy array with the same strides, and anything else as it is.

    A dtype numpy does not have comes as the unsigned integer of the same width, bit for bit.
    """
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach()
    if value.dtype == torch.bfloat16:
        return value.view(torch.uint16).numpy()
    if value.dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        return value.view(torch.uint8).numpy()
    return value.numpy()


def values(*shape: int, dtype: torch.dtype = torch.float32, start: int = 1) -> torch.Tensor:
    """A tensor whose values all differ, as far as the dtype has so many.

    Floating-point values are multiples of 1/4, exact in every dtype for the first few hundred.
    """
    count = int(np.prod(shape, dtype=np.int64))
    steps = torch.arange(start, start + count)
    if dtype == torch.bool:
        return (steps % 3 == 1).reshape(shape)
    if dtype.is_complex:
        return torch.complex(steps.double() / 4, -steps.double()).to(dtype).reshape(shape)
    if dtype.is_floating_point:
        return (steps.double() / 4).to(dtype).reshape(shape)
    return steps.to(dtype).reshape(shape)


def model(build: Callable[[], Recipe]) -> Callable[[], Exported]:
    """Makes a function of a `Recipe` one of the `Exported` program, and adds it to `ZOO`."""
    name = build.__name__

    @functools.cache
    @functools.wraps(build)
    def exported() -> Exported:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            recipe = build()
        path = cache_folder() / f"{name}.pte"
        if not path.exists():
            _export(recipe, path)
        return Exported(name, path, recipe)

    ZOO[name] = exported
    return exported


def export(name: str, recipe: Recipe, folder: Path) -> Exported:
    """Exports a model that is of use to one test only; ``folder`` gets the file."""
    path = folder / f"{name}.pte"
    _export(recipe, path)
    return Exported(name, path, recipe)


@functools.cache
def cache_folder() -> Path:
    """Where the exported files of this state of the sources are kept."""
    key = hashlib.sha256()
    for source in ("exporting.py", "models.py"):
        key.update((HERE / source).read_bytes())
    for package in ("torch", "executorch"):
        key.update(f"{package}={version(package)}".encode())
    folder = HERE.parent / ".cache" / "models" / key.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _export(recipe: Recipe, path: Path) -> None:
    """Exports to ``path``.

    The file appears whole or not at all, so test processes may race for it.
    """
    folder = Path(tempfile.mkdtemp(dir=path.parent))
    try:
        with _quiet():
            program = _lower(recipe)
        data = program.buffer
        if recipe.edit:
            data = _edited(data, recipe.edit)
        (folder / path.name).write_bytes(recipe.patch(data) if recipe.patch else data)
        if recipe.external_data:
            program.write_tensor_data_to_file(str(folder))
            (produced,) = folder.glob("*.ptd")
            produced.replace(path.with_suffix(".ptd"))
        (folder / path.name).replace(path)
    finally:
        shutil.rmtree(folder)


def _lower(recipe: Recipe) -> Any:
    from executorch.exir import (
        EdgeCompileConfig,
        ExecutorchBackendConfig,
        to_edge_transform_and_lower,
    )
    from executorch.exir.passes import MemoryPlanningPass
    from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

    partitioner = []
    if recipe.xnnpack:
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

        partitioner = [XnnpackPartitioner()]
    programs = {}
    if recipe.module is not None:
        programs["forward"] = torch.export.export(
            recipe.module, recipe.inputs, dynamic_shapes=recipe.dynamic_shapes, strict=False
        )
    for name, (module, inputs) in recipe.methods.items():
        programs[name] = torch.export.export(module, inputs, strict=False)
    edge = to_edge_transform_and_lower(
        programs,
        partitioner=partitioner,
        constant_methods=dict(recipe.constants) or None,
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    )
    passes = (
        [InitializedMutableBufferPass(list(recipe.initial_buffers))]
        if recipe.initial_buffers
        else []
    )
    return edge.to_executorch(
        ExecutorchBackendConfig(
            passes=passes,
            memory_planning_pass=MemoryPlanningPass(
                alloc_graph_input=recipe.planned_inputs, alloc_graph_output=recipe.planned_outputs
            ),
            external_constants=recipe.external_data,
        )
    )


def _edited(data: bytes, edit: Callable[[Any], None]) -> bytes:
    from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary

    file = deserialize_pte_binary(bytes(data))
    edit(file.program)
    return bytes(serialize_pte_binary(file))


@contextmanager
def _quiet() -> Iterator[None]:
    """Silences the exporter's own remarks, which are not about the code under test."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
