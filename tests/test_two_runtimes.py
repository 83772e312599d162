"""A process that also holds the executorch package has two runtimes, with nothing in common."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import models
import numpy as np
import pytest
from children import run_python

IMPORTS = {
    "nocopy": "from nocopy.runtime import Runtime as Ours\nOurs.get()\n",
    "executorch": "from executorch.runtime import Runtime as Theirs\nTheirs.get()\n",
}
# What the package loads to export quantized models: the kernels that our runtime has as well.
QUANTIZED = "import executorch.kernels.quantized\n"

RUN_BOTH = """
import numpy as np, torch
path, inputs = argv
inputs = np.load(inputs)
def ours():
    return Ours.get().load_program(path).load_method("forward").execute([inputs["x"]])[0].tolist()
def theirs():
    x = torch.from_numpy(inputs["x"].copy())
    return Theirs.get().load_program(path).load_method("forward").execute([x])[0].tolist()
report([ours(), theirs(), ours(), theirs()])
report(sorted(Ours.get().operator_registry.operator_names))
report(mapped_libraries())
"""


@dataclass(frozen=True)
class Process:
    """What a child found that ran the same program with both runtimes, in turns."""

    results: list[Any]
    operators: list[str]
    libraries: list[Path]
    #: (library, library that gave it a symbol, symbol), as the loader bound them
    bindings: list[tuple[Path, Path, str]]


@pytest.fixture(scope="module", params=["nocopy executorch", "executorch nocopy"])
def process(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Imports both in the order of the parameter; each runs the conv model twice, in turns."""
    folder = tmp_path_factory.mktemp("two")
    exported = models.conv_xnnpack()
    np.savez(folder / "inputs.npz", x=exported.arrays[0])
    code = "".join(IMPORTS[name] for name in request.param.split()) + QUANTIZED + RUN_BOTH
    child = run_python(
        code,
        exported.path,
        folder / "inputs.npz",
        torch=True,
        # Makes glibc's loader bind every symbol at once and say to which library.
        env={
            "LD_BIND_NOW": "1",
            "LD_DEBUG": "bindings",
            "LD_DEBUG_OUTPUT": str(folder / "bindings"),
        },
    ).check()
    results, operators, libraries = child.reports
    logs = sorted(folder.glob("bindings.*"))
    bindings = [binding for log in logs for binding in read_bindings(log)]
    return Process(results, operators, [Path(path) for path in libraries], bindings)


def read_bindings(log: Path) -> Iterator[tuple[Path, Path, str]]:
    line = re.compile(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: .* symbol `([^']+)'")
    with log.open(encoding="utf-8", errors="replace") as lines:
        for match in filter(None, map(line.search, lines)):
            yield Path(match[1]), Path(match[2]), match[3]


def is_ours(library: Path) -> bool:
    return "nocopy" in library.parts


def is_theirs(library: Path) -> bool:
    return {"executorch", "torch"} & set(library.parts) != set()


def test_conv_when_both_runtimes_run_it_in_turns_then_each_matches_eager(process: Process) -> None:
    [expected] = models.conv_xnnpack().expected()
    for result in process.results:
        np.testing.assert_allclose(np.array(result, np.float32), expected, rtol=1e-4, atol=1e-5)


def test_process_when_it_holds_both_then_has_each_librarys_two_copies(process: Process) -> None:
    if sys.platform != "linux":
        pytest.skip("reads /proc/self/maps")
    ours = {path.name for path in process.libraries if is_ours(path)}
    theirs = {path.name for path in process.libraries if is_theirs(path)}
    assert {"libnocopy_executorch.so", "libnocopy_executorch_backend_xnnpack.so"} <= ours
    assert {"libexecutorch.so", "libexecutorch_backend_xnnpack.so"} <= theirs


def test_symbols_when_it_holds_both_then_none_crosses(process: Process) -> None:
    if sys.platform != "linux":
        pytest.skip("reads what glibc's loader says")
    inside = [
        (user, giver) for user, giver, _ in process.bindings if is_ours(user) and is_ours(giver)
    ]
    assert len(inside) > 100, "the loader's log does not tell what this test looks for"
    crossing = [
        f"{user.name} takes {symbol} from {giver.name}"
        for user, giver, symbol in process.bindings
        if (is_ours(user) and is_theirs(giver)) or (is_theirs(user) and is_ours(giver))
    ]
    assert crossing == []


def test_quantized_kernels_when_the_package_has_loaded_its_own_then_are_registered_once(
    process: Process,
) -> None:
    quantized = [name for name in process.operators if name.startswith("quantized_decomposed::")]
    assert "quantized_decomposed::quantize_per_tensor.out" in quantized
    assert len(quantized) == len(set(quantized))
