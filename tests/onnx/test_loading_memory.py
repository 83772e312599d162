"""What loading without copying costs in memory, in processes of their own and in many at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from children import run_python
from onnx_models import model_with, save_external

import onnx

MEGABYTE = 1 << 20
SIZE = 96 * MEGABYTE

_MEASURE = """
import nocopy.onnx, os
def kilobytes(pid, *names):
    with open(f"/proc/{pid}/smaps_rollup") as rollup:
        return sum(int(line.split()[1]) for line in rollup if line.split(":")[0] in names)
def private(pid="self"):
    return kilobytes(pid, "Private_Clean", "Private_Dirty") * 1024
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same 96 MB in one file, single.onnx, and in two, external.onnx."""
    folder = tmp_path_factory.mktemp("large")
    parts = [np.arange(k, k + SIZE // 16, dtype=np.int32).view(np.float32) for k in range(4)]
    small = [np.arange(k, dtype=np.float32) for k in range(50)]
    onnx.save(model_with(*parts, *small), folder / "single.onnx")
    save_external(model_with(*parts, *small), folder / "external.onnx")
    return folder


@pytest.mark.parametrize("name", ["single.onnx", "external.onnx"])
def test_load_when_no_copy_then_takes_hardly_any_private_memory(models: Path, name: str) -> None:
    child = run_python(
        _MEASURE
        + """
before = private()
model = nocopy.onnx.load(argv[0], no_copy=True)
report(private() - before)
copied = nocopy.onnx.load(argv[0])
report(private() - before)
""",
        models / name,
    ).check()
    without, with_copy = child.reports
    assert without < 4 * MEGABYTE
    assert with_copy > SIZE


@pytest.mark.parametrize("name", ["single.onnx", "external.onnx"])
def test_bytes_when_no_copy_then_are_not_copied(models: Path, name: str) -> None:
    child = run_python(
        _MEASURE
        + """
data = open(argv[0], "rb").read()
before = private()
model = nocopy.onnx.load(data, no_copy=True, location=argv[1])
report(private() - before)
""",
        models / name,
        models,
    ).check()
    assert child.reports[0] < 4 * MEGABYTE


@pytest.mark.parametrize("name", ["single.onnx", "external.onnx"])
def test_load_when_eight_processes_have_the_model_then_they_share_the_weights(
    models: Path, name: str
) -> None:
    code = (
        _MEASURE
        + """
import sys
before = kilobytes("self", "Pss_Anon")
model = nocopy.onnx.load(sys.argv[1], no_copy=True)
print(sum(sum(memoryview(t.raw_data)[::4096]) for t in model.graph.initializer), flush=True)
sys.stdin.readline()
with open("/proc/self/smaps") as maps:
    shared = counted = 0
    for line in maps:
        if "-" in line.split()[0]:
            counted = line.rstrip().endswith((".onnx", ".bin"))
        elif counted and line.startswith("Pss:"):
            shared += int(line.split()[1])
print(shared * 1024, flush=True)
sys.stdin.readline()
"""
    )
    # raw_data makes bytes of each tensor in turn, which touches every page of the mapping.
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(models / name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    answers: list[list[str]] = [[], []]
    for answer in answers:
        for process in processes:
            assert process.stdout is not None
            answer.append(process.stdout.readline())
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    sums, shares = answers
    assert len(set(sums)) == 1
    assert 0.9 * SIZE < sum(map(int, shares)) < 1.1 * SIZE


def test_fork_when_a_model_is_mapped_then_both_processes_have_it_and_let_go_of_it(
    models: Path,
) -> None:
    run_python(
        """
import os, nocopy.onnx
calls = []
model = nocopy.onnx.load(argv[0], no_copy=True, raw_data_callback=lambda t, g: lambda: calls.append(1))
expected = model.graph.initializer[1].raw_data
children = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        same = model.graph.initializer[1].raw_data == expected
        again = nocopy.onnx.load(argv[0], no_copy=True)
        same = same and again.graph.initializer[1].raw_data == expected
        del model, again
        with open("/proc/self/maps") as maps:
            gone = "external.bin" not in maps.read() and "weights.bin" not in open("/proc/self/maps").read()
        os._exit(0 if same and gone and len(calls) == 54 else 1)
    children.append(pid)
assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
assert not calls
assert model.graph.initializer[1].raw_data == expected
""",
        models / "external.onnx",
    ).check()


def test_load_when_the_interpreter_runs_other_threads_then_copying_lets_them(
    models: Path,
) -> None:
    child = run_python(
        """
import threading, time, nocopy.onnx
stop = threading.Event()
longest = 0.0
def tick():
    global longest
    while not stop.is_set():
        before = time.perf_counter()
        time.sleep(0.001)
        longest = max(longest, time.perf_counter() - before)
thread = threading.Thread(target=tick)
thread.start()
start = time.perf_counter()
for _ in range(5):
    nocopy.onnx.load(argv[0], num_threads=2)
    nocopy.onnx.load(argv[1])
took = time.perf_counter() - start
stop.set()
thread.join()
report([longest, took])
""",
        models / "external.onnx",
        models / "single.onnx",
    ).check()
    longest, took = child.reports[0]
    assert longest < took / 4


def test_load_when_the_machine_has_fewer_threads_than_asked_then_loads(models: Path) -> None:
    run_python(
        """
import resource, nocopy.onnx
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
model = nocopy.onnx.load(argv[0], num_threads=64)
assert len(model.graph.initializer) == 54
""",
        models / "external.onnx",
        env={"OMP_NUM_THREADS": "1"},
    ).check()
