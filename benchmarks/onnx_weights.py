"""Weights of ONNX models: loading, moving, sharing and saving them, with nocopy.onnx and with onnx.

    python benchmarks/onnx_weights.py --json onnx_weights.json

Makes a model of 1.7 GB (``--size``) twice, with its weights in a file beside it and in one file,
in a temporary folder (``--folder`` chooses the disk; it takes three times the size). Each sample is
taken in a process of its own, by the clock on the wall after its imports; files were read before,
so that what is measured is not the disk, except where it says so.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import importlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import Report, Worker, serve

TENSORS = 100
PROCESSES = 8
EXTERNAL = "external/model.onnx"
SINGLE = "single.onnx"


def write_models(folder: Path, size: int) -> int:
    """Write the two models; return the size of their weights."""
    import nocopy.onnx
    import numpy as np

    model = nocopy.onnx.ModelProto(ir_version=10)
    model.opset_import.add(version=20)
    model.graph.name = "weights"
    random = np.random.default_rng(0)
    count = size // TENSORS // 4
    for i in range(TENSORS):
        values = random.random(count, dtype=np.float32)
        model.graph.initializer.add(
            name=f"weight_{i}", dims=[count], data_type=1, raw_data=values.tobytes()
        )
    (folder / EXTERNAL).parent.mkdir()
    options = nocopy.onnx.SerializeOptions(location="weights.data", alignment=64)
    nocopy.onnx.save(model, folder / EXTERNAL, options=options)
    nocopy.onnx.save(model, folder / SINGLE)
    return count * 4 * TENSORS


def memory(name: str) -> int:
    """Sum lines of this process's memory map that begin with `name`, in bytes."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def resident(name: str) -> int:
    """Read a line of this process's status, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))


class Side:
    """What a worker does: one package, one model held at a time."""

    def __init__(self, package: str, folder: Path) -> None:
        self.onnx = importlib.import_module(package)
        self.package = package
        self.folder = folder
        self.model: Any = None

    def load(self, name: str, **options: Any) -> float:
        path = str(self.folder / name)
        start = time.perf_counter()
        self.model = self.onnx.load(path, **options)
        return time.perf_counter() - start

    def load_no_copy(self, name: str) -> float:
        return self.load(name, **({} if self.package == "onnx" else {"no_copy": True}))

    def load_threads(self, name: str) -> float:
        return self.load(name, **({} if self.package == "onnx" else {"num_threads": 2}))

    def private_of_load(self, name: str) -> int:
        gc.collect()
        before = memory("Private_")
        self.load_no_copy(name)
        assert len(self.model.graph.initializer) == TENSORS
        return memory("Private_") - before

    def views(self) -> list[memoryview]:
        raw_data = importlib.import_module("nocopy._core").onnx_raw_data
        return [memoryview(raw_data(tensor)) for tensor in self.model.graph.initializer]

    def consolidate(self) -> float:
        start = time.perf_counter()
        self.onnx.consolidate_tensors_to_buffer(self.model)
        return time.perf_counter() - start

    def peak_of_consolidate(self) -> float:
        """Return how much more memory there was at most than before, by the largest tensor."""
        largest = max(len(view) for view in self.views())
        before = resident("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
        self.consolidate()
        return (resident("VmHWM") - before) / largest

    def copy(self) -> float:
        """Copy all weights into one new buffer, as memcpy does it."""
        sources = [(address(view), len(view)) for view in self.views()]
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        libc.malloc.argtypes = [ctypes.c_size_t]
        start = time.perf_counter()
        to = libc.malloc(sum(size for _, size in sources))
        for source, size in sources:
            ctypes.memmove(to, source, size)
            to += size
        return time.perf_counter() - start

    def touch(self) -> int:
        """Read a byte of each page of the weights."""
        return sum(sum(bytes(view[::4096])) > 0 for view in self.views())

    def save(self, sync: str) -> float:
        path = self.folder / "saved" / "model.onnx"
        start = time.perf_counter()
        if self.package == "onnx":
            self.onnx.save(self.model, path, save_as_external_data=True, location="weights.data")
        else:
            options = self.onnx.SerializeOptions(location="weights.data", sync=sync == "sync")
            self.onnx.save(self.model, path, options=options)
        return time.perf_counter() - start

    def write(self, sync: str) -> float:
        """Write the same bytes, and nothing else."""
        views = self.views()
        start = time.perf_counter()
        descriptor = os.open(self.folder / "saved" / "bytes", os.O_WRONLY | os.O_CREAT)
        for view in views:
            assert os.write(descriptor, view) == len(view)
        if sync == "sync":
            os.fsync(descriptor)
        os.close(descriptor)
        return time.perf_counter() - start


def address(view: memoryview) -> int:
    import numpy as np

    return int(np.frombuffer(view, np.uint8).ctypes.data)


def work(package: str, folder: Path) -> None:
    side = Side(package, folder)
    serve(
        {
            "load": side.load,
            "load_no_copy": side.load_no_copy,
            "load_threads": side.load_threads,
            "private_of_load": side.private_of_load,
            "consolidate": side.consolidate,
            "peak_of_consolidate": side.peak_of_consolidate,
            "copy": side.copy,
            "touch": side.touch,
            "save": side.save,
            "write": side.write,
            "pss": lambda: memory("Pss:"),
        }
    )


def worker(package: str, folder: Path) -> Worker:
    return Worker([sys.executable, __file__, "--side", package, str(folder)])


def ask(package: str, folder: Path, *lines: str) -> float:
    """Ask a new worker, and return its answer to the last line."""
    with worker(package, folder) as asked:
        return [asked.ask_number(line) for line in lines][-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=float, default=1.7, help="GB of weights")
    parser.add_argument("--folder", type=Path, help="where the files are, for a while")
    parser.add_argument("--only", default="", help="load, consolidate, share or save")
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        work(arguments.side[0], Path(arguments.side[1]))
        return

    report = Report("ONNX weights", rounds=arguments.rounds)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        size = write_models(folder, int(arguments.size * 1e9))
        parts: dict[str, Callable[[Report, Path, int], None]] = {
            "load": compare_loading,
            "consolidate": compare_consolidating,
            "share": measure_sharing,
            "save": compare_saving,
        }
        for part, compare in parts.items():
            if arguments.only in ("", part):
                compare(report, folder, size)
    report.show()
    if arguments.json:
        report.write(arguments.json)


def both(folder: Path, *lines: str) -> dict[str, Callable[[], float]]:
    return {
        "onnx": lambda: ask("onnx", folder, *lines),
        "nocopy": lambda: ask("nocopy.onnx", folder, *lines),
    }


def compare_loading(report: Report, folder: Path, size: int) -> None:
    for file, what in ((EXTERNAL, "external data"), (SINGLE, "one file")):
        name = f"load(no_copy=True), {what}, {size / 1e9:.1f} GB"
        report.compare(name, both(folder, f"load_no_copy {file}"), unit="ms", scale=1e3, bar=5.0)
        report.compare(
            f"private memory of it, {what}",
            both(folder, f"private_of_load {file}"),
            unit="MB",
            scale=1e-6,
            bar=8.0,
            rounds=1,
        )
    report.compare(
        "load(num_threads=2), external data, copying",
        both(folder, f"load_threads {EXTERNAL}"),
        unit="ms",
        scale=1e3,
        reference="onnx",
        bar=0.6,
    )


def compare_consolidating(report: Report, folder: Path, size: int) -> None:
    load = f"load {EXTERNAL}"
    report.compare(
        f"consolidate_tensors_to_buffer, {size / 1e9:.1f} GB",
        {
            "memcpy": lambda: ask("nocopy.onnx", folder, load, "copy"),
            "nocopy": lambda: ask("nocopy.onnx", folder, load, "consolidate"),
        },
        unit="ms",
        scale=1e3,
        reference="memcpy",
        bar=1.3,
        note="memcpy is into a new buffer of malloc's.",
    )
    report.figure(
        "its peak over the weights, in largest tensors",
        ask("nocopy.onnx", folder, load, "peak_of_consolidate"),
        unit="x",
        bar=1.5,
        note="Whole pages of 2 MiB, and what else the process does, come on top of one.",
    )


def measure_sharing(report: Report, folder: Path, size: int) -> None:
    workers = [worker("nocopy.onnx", folder) for _ in range(PROCESSES)]
    try:
        for each in workers:
            each.ask(f"load_no_copy {EXTERNAL}")
            assert each.ask("touch") == str(TENSORS)
        shared = sum(each.ask_number("pss") for each in workers)
    finally:
        for each in workers:
            each.__exit__()
    report.figure(
        f"{PROCESSES} processes that read all weights: memory in sum, by the weights",
        shared / size,
        unit="x",
        bar=1.1,
        note="Proportional set sizes, the interpreters included.",
    )


def compare_saving(report: Report, folder: Path, size: int) -> None:
    saved = folder / "saved"

    def in_new_folder(package: str, line: str, *, over: bool = False) -> Callable[[], float]:
        def sample() -> float:
            saved.mkdir()
            if over:
                # Only the data that the old model refers to is replaced.
                shutil.copy(folder / EXTERNAL, saved / "model.onnx")
                (saved / "weights.data").write_bytes(b"old")
            try:
                return ask(package, folder, f"load {EXTERNAL}", line)
            finally:
                for path in saved.iterdir():
                    path.unlink()
                saved.rmdir()

        return sample

    report.compare(
        f"save {size / 1e9:.1f} GB with external data, new files",
        {
            "write": in_new_folder("nocopy.onnx", "write no"),
            "onnx": in_new_folder("onnx", "save no"),
            "nocopy": in_new_folder("nocopy.onnx", "save sync"),
        },
        unit="ms",
        scale=1e3,
        reference="write",
        bar=1.15,
    )
    report.compare(
        "the same over old files, to the disk",
        {
            "write, fsync": in_new_folder("nocopy.onnx", "write sync"),
            "nocopy": in_new_folder("nocopy.onnx", "save sync", over=True),
        },
        unit="ms",
        scale=1e3,
        reference="write, fsync",
        bar=1.15,
        rounds=3,
    )


if __name__ == "__main__":
    main()
