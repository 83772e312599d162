"""The Python sides of ``runtime.py``, each in a process of its own.

    python runtime_worker.py nocopy|nocopy-torch|executorch THREADS

Answers lines such as ``call add 1000``, see `harness.serve`. ``nocopy`` never imports torch;
``nocopy-torch`` imports it first, so inputs and results are torch tensors, as they are for
``executorch``.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path
from typing import Any

from harness import resident_bytes, seconds_per_statement, serve

PROGRAMS = Path(__file__).resolve().parent / "programs"
SHAPES = {
    "add": [(2, 2), (2, 2)],
    "conv_xnnpack": [(1, 3, 64, 64)],
    "first_of_4_bytes": [(1,)],
    "first_of_100_megabytes": [(25_000_000,)],
}


def make_inputs(program: str) -> list[Any]:
    """Make float32 inputs with values that all differ, as this side takes them."""
    if SIDE == "nocopy":
        import numpy as np

        return [
            np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)
            for shape in SHAPES[program]
        ]
    import torch

    return [
        torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)
        for shape in SHAPES[program]
    ]


@functools.cache
def loaded(program: str) -> tuple[Any, list[Any]]:
    method = RUNTIME.get().load_program(str(PROGRAMS / f"{program}.pte")).load_method("forward")
    return method, make_inputs(program)


def call(program: str, calls: str) -> float:
    """Return the seconds that one call took, with default options."""
    method, inputs = loaded(program)
    names = {"execute": method.execute, "inputs": inputs}
    clock = time.process_time if THREADS == 1 else time.perf_counter
    return seconds_per_statement("execute(inputs)", names, int(calls), clock)


def growth_over_calls(program: str, calls: str) -> int:
    """Return the bytes that the process grows by over calls, after as many to warm up."""
    call(program, calls)
    before = resident_bytes()
    call(program, calls)
    return resident_bytes() - before


def growth_over_loads(program: str, loads: str) -> int:
    """Return the bytes that the process grows by over loads and drops, each with one call."""
    inputs = make_inputs(program)
    path = str(PROGRAMS / f"{program}.pte")

    def cycle() -> None:
        RUNTIME.get().load_program(path).load_method("forward").execute(inputs)

    for _ in range(100):
        cycle()
    before = resident_bytes()
    for _ in range(int(loads)):
        cycle()
    return resident_bytes() - before


def peak_of_call(program: str, writable: str) -> int:
    """Return the bytes that a call adds to the largest memory of the process (Linux only)."""
    method, inputs = loaded(program)
    for array in inputs:
        array.flags.writeable = writable == "writable"
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = _peak()
    method.execute(inputs)
    return _peak() - before


def _peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


SIDE, THREADS = sys.argv[1], int(sys.argv[2])
if SIDE != "nocopy":
    import torch  # noqa: F401
if SIDE == "executorch":
    from executorch.extension.pybindings import portable_lib
    from executorch.runtime import Runtime as RUNTIME

    portable_lib._unsafe_reset_threadpool(THREADS)
else:
    from nocopy.runtime import Runtime as RUNTIME
    from nocopy.runtime import set_num_threads

    set_num_threads(THREADS)

serve(
    {
        "call": call,
        "growth_over_calls": growth_over_calls,
        "growth_over_loads": growth_over_loads,
        "peak_of_call": peak_of_call,
    }
)
