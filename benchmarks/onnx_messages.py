"""ONNX messages: nocopy.onnx against the onnx package, which is protobuf's C implementation.

    python benchmarks/onnx_messages.py --json onnx_messages.json

Each side is a process of its own that answers to the name of a job with what it measured, in
turn with the other. Times are the processor's, so that other work on the machine is not counted.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import (
    Report,
    Worker,
    memory_of_python,
    processor_time_of_python,
    resident_bytes,
    serve,
)

NODES = 200_000
TENSORS = 100


def write_nodes(path: Path) -> None:
    """Write a model of many small nodes, about 10 MB."""
    import onnx

    model = onnx.ModelProto(ir_version=10)
    for i in range(NODES):
        model.graph.node.add(
            op_type="Add",
            name=f"node_{i:07}",
            input=[f"value_{i:07}", f"weight_{i % 1000}"],
            output=[f"value_{i + 1:07}"],
        )
    path.write_bytes(model.SerializeToString())


def write_weights(path: Path, size: int) -> None:
    """Write a model whose weights are `size` bytes, all in the one file."""
    import nocopy.onnx
    import numpy as np

    model = nocopy.onnx.ModelProto(ir_version=10)
    random = np.random.default_rng(0)
    count = size // TENSORS // 4
    for i in range(TENSORS):
        values = random.random(count, dtype=np.float32)
        model.graph.initializer.add(
            name=f"weight_{i}", dims=[count], data_type=1, raw_data=values.tobytes()
        )
    nocopy.onnx.save(model, path)


def timed(job: Callable[[], Any]) -> float:
    """Time one call; what it makes is dropped after the clock is read."""
    start = time.process_time()
    made = job()
    taken = time.process_time() - start
    del made
    return taken


def work(package: str, nodes: Path) -> None:
    """Answer to jobs until the input ends."""
    onnx = importlib.import_module(package)
    data = nodes.read_bytes()
    before = resident_bytes()
    model = onnx.ModelProto.FromString(data)
    held = resident_bytes() - before

    def iterate() -> None:
        for node in model.graph.node:
            _ = node.op_type, list(node.input), node.output[0]

    def copy() -> Any:
        made = onnx.ModelProto()
        made.CopyFrom(model)
        return made

    serve(
        {
            "parse": lambda: timed(lambda: onnx.ModelProto.FromString(data)),
            "iterate": lambda: timed(iterate),
            "serialize": lambda: timed(model.SerializeToString),
            "copy": lambda: timed(copy),
            "held": lambda: held,
        }
    )


def load_code(package: str, path: Path, after: str = "") -> str:
    return f"import {package} as onnx\nmodel = onnx.load({str(path)!r}){after}"


def load_seconds(package: str, path: Path) -> float:
    """Time a load in a process of its own, by the clock on the wall, after its imports."""
    with Worker([sys.executable, __file__, "--load", package, path]) as worker:
        return worker.ask_number("load")


def load_worker(package: str, path: Path) -> None:
    onnx = importlib.import_module(package)

    def load() -> float:
        start = time.perf_counter()
        model = onnx.load(str(path))
        taken = time.perf_counter() - start
        assert len(model.graph.initializer) == TENSORS
        return taken

    serve({"load": load})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--weights", type=float, default=1.7, help="GB in the large file; 0: none")
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--load", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        work(arguments.side[0], Path(arguments.side[1]))
        return
    if arguments.load:
        load_worker(arguments.load[0], Path(arguments.load[1]))
        return

    report = Report("ONNX messages", rounds=arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        nodes = Path(folder) / "nodes.onnx"
        write_nodes(nodes)
        me = [sys.executable, __file__, "--side"]
        with Worker([*me, "onnx", nodes]) as theirs, Worker([*me, "nocopy.onnx", nodes]) as ours:
            for job, name, bar in (
                ("parse", f"parse {NODES:,} nodes, {nodes.stat().st_size / 1e6:.1f} MB", 0.6),
                ("iterate", "read op_type, inputs, first output of each", 0.7),
                ("serialize", "serialize them", 0.6),
                ("copy", "copy them", 1.0),
            ):
                sides = {
                    "onnx": lambda job=job: theirs.ask_number(job),
                    "nocopy": lambda job=job: ours.ask_number(job),
                }
                report.compare(name, sides, unit="ms", scale=1e3, reference="onnx", bar=bar)
            report.compare(
                "memory held after parsing them",
                {
                    "onnx": lambda: theirs.ask_number("held"),
                    "nocopy": lambda: ours.ask_number("held"),
                },
                unit="MB",
                scale=1e-6,
                reference="onnx",
                bar=0.8,
                rounds=1,
            )
        report.compare(
            "import, over a bare interpreter",
            {
                "bare": lambda: processor_time_of_python("pass"),
                "onnx": lambda: processor_time_of_python("import onnx"),
                "nocopy": lambda: processor_time_of_python("import nocopy.onnx"),
            },
            unit="ms",
            scale=1e3,
            reference="bare",
            difference=True,
            bar=25.0,
        )
        if arguments.weights:
            compare_large(report, Path(folder) / "weights.onnx", int(arguments.weights * 1e9))
    report.show()
    if arguments.json:
        report.write(arguments.json)


def compare_large(report: Report, path: Path, size: int) -> None:
    write_weights(path, size)
    report.compare(
        f"load one file of {size / 1e9:.1f} GB, copying",
        {
            "onnx": lambda: load_seconds("onnx", path),
            "nocopy": lambda: load_seconds("nocopy.onnx", path),
        },
        unit="ms",
        scale=1e3,
        reference="onnx",
        bar=0.7,
        rounds=5,
    )
    bare = memory_of_python("import nocopy.onnx")
    file = path.stat().st_size
    held = memory_of_python(load_code("nocopy.onnx", path)) - bare
    report.figure("memory of it, by the file's size", held / file, unit="x", bar=1.02)
    # The largest it ever was; ru_maxrss would start with this process's own.
    peak = memory_of_python(
        load_code("nocopy.onnx", path)
        + "\nlines = open('/proc/self/status').read().splitlines()"
        + "\nprint(next(int(l.split()[1]) * 1024 for l in lines if l.startswith('VmHWM')))"
        + "\nsys.exit()"
    )
    report.figure("its peak, by the file's size", (peak - bare) / file, unit="x", bar=1.02)


if __name__ == "__main__":
    main()
