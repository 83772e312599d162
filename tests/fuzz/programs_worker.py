"""Loads and runs mutated programs, each in a child of its own; started by `programs`.

Usage: ``programs_worker.py SEEDS KEEP SEED START COUNT`` with two folders. Imports neither torch nor
the exporter. Every child has a limit on its address space and on its time. A line of JSON on
standard output says how each case ended.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path

import nocopy.runtime
import numpy as np
from mutations import mutate
from nocopy.errors import NocopyError

#: The memory that a program may make the process take before it counts as out of proportion.
ADDRESS_SPACE = 4 << 30
SECONDS = 20

#: Exit codes of a child that ended by itself.
RAN, RAISED, OTHER = 0, 10, 20


def inputs_of(method: nocopy.runtime.Method) -> list[object]:
    """Arrays of the largest size that a method takes, with small values."""
    meta = method.metadata
    inputs: list[object] = []
    for i in range(meta.num_inputs()):
        kind = meta.input_kind(i)
        if kind == "tensor":
            info = meta.input_tensor_meta(i)
            # numpy has no such dtype, but memory of its size: refused for some, taken for others.
            strange = {"bfloat16": "uint16", "qint32": "uint32", "bits16": "uint16"}
            name = str(info.dtype())
            if not hasattr(np, name):
                name = strange.get(name, "uint8")
            count = info.nbytes() // np.dtype(name).itemsize
            array = np.zeros(count, name)  # without touching memory, however large
            first = np.arange(min(count, 4096))
            array[: first.size] = first / 4 - 1 if name == "float32" else first % 3
            inputs.append(np.lib.stride_tricks.as_strided(array, info.sizes(), info.strides()))
        else:
            inputs.append({"int": 1, "bool": True, "float": 1.0, "None": None}.get(kind, ""))
    return inputs


def run(data: bytes, path: Path) -> None:
    """Loads a program, in memory or mapped, and runs each of its methods twice."""
    if len(data) % 2:
        path.write_bytes(data)
        program = nocopy.runtime.Runtime.get().load_program(path)
    else:
        program = nocopy.runtime.Runtime.get().load_program(data)
    errors = []
    for name in sorted(program.method_names):
        try:
            method = program.load_method(name)
            for _ in range(2):
                for output in method.execute(inputs_of(method)):
                    if not isinstance(output, (int, float, bool, str, list, type(None))):
                        np.asarray(output).tobytes()
        except (NocopyError, MemoryError) as error:
            errors.append(error)
    if errors:
        raise errors[0]


def child(data: bytes, path: Path) -> int:
    """Runs one case under the limits and gives its exit code."""
    if "NOCOPY_SANITIZED" not in os.environ:  # a sanitizer reserves more than this
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(SECONDS)
    try:
        run(data, path)
    except (NocopyError, MemoryError):
        return RAISED
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return OTHER
    return RAN


def main() -> None:
    """Runs cases START to START + COUNT."""
    seeds_folder, keep = Path(sys.argv[1]), Path(sys.argv[2])
    seed, start, count = map(int, sys.argv[3:6])
    paths = sorted(seeds_folder.glob("*/*.pte"))
    pool = [path.read_bytes() for path in paths]
    scratch = keep / f"case_{start}.tmp"
    for case in range(start, start + count):
        which = case % len(pool)
        data, mutation = mutate(pool[which], pool, seed * 1_000_003 + case)
        pid = os.fork()
        if pid == 0:
            code = OTHER
            try:
                code = child(data, scratch)
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        outcome = {RAN: "ran", RAISED: "raised"}.get(code, "ended")
        entry = [paths[which].parent.name, mutation, outcome]
        if outcome == "ended":
            kept = keep / f"{paths[which].stem}_{seed}_{case}.pte"
            kept.write_bytes(data)
            if code == -signal.SIGALRM:
                how = f"hung for {SECONDS} s"
            elif code < 0:
                how = signal.Signals(-code).name
            else:
                how = "raised something else"
            entry.append(f"{kept}: {how}")
        print(json.dumps(entry))
    scratch.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
