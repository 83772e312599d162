"""Measures ``nocopy.runtime``: starting, calling, memory and size.

    python benchmarks/runtime.py [--json out.json] [--rounds N] [--threads N]

Compared with bare Python, with a C++ program that calls the same libraries, and with the
``executorch`` package (and torch) where that is installed. Everything that is compared is measured
in turn in one run. Needs numpy, a C++ compiler and nocopy; the programs are in ``programs/``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import subprocess
import sys
from pathlib import Path

from harness import Report, Side, Worker, memory_of_python, processor_time_of_python, time_python
from native import build_call_loop

HERE = Path(__file__).resolve().parent
MICROSECONDS = 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write all samples here")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each comparison")
    parser.add_argument("--threads", type=int, default=1, help="threads of every side")
    arguments = parser.parse_args()

    report = Report(f"nocopy.runtime, {arguments.threads} thread(s)", rounds=arguments.rounds)
    peer = importlib.util.find_spec("executorch") is not None
    with contextlib.ExitStack() as stack:

        def worker(side: str) -> Worker:
            script = str(HERE / "runtime_worker.py")
            command = [sys.executable, script, side, str(arguments.threads)]
            # The other package writes its log to stderr.
            stderr = subprocess.DEVNULL if side == "executorch" else None
            return stack.enter_context(Worker(command, stderr=stderr))

        measure_start(report, peer)
        call_loop = build_call_loop()
        cpp = {
            program: stack.enter_context(
                Worker(
                    [call_loop, HERE / "programs" / f"{program}.pte", str(arguments.threads)],
                    stderr=subprocess.DEVNULL,
                )
            )
            for program in ("add", "conv_xnnpack")
        }
        nocopy = worker("nocopy")
        with_torch = worker("nocopy-torch") if peer else None
        executorch = worker("executorch") if peer else None
        measure_calls(report, cpp, nocopy, with_torch, executorch)
        measure_large_inputs(report, nocopy)
        measure_growth(report, nocopy)
    measure_size(report)
    report.show()
    if arguments.json:
        report.write(arguments.json)


def measure_start(report: Report, peer: bool) -> None:
    """Measure what importing costs, over what an interpreter takes by itself."""
    code = "import nocopy.runtime"
    report.compare(
        "start Python",
        {"bare": lambda: time_python("pass"), "nocopy": lambda: time_python(code)},
        unit="ms",
        scale=1e3,
        reference="bare",
        difference=True,
        bar=25,
    )
    report.compare(
        "start Python, processor time",
        {
            "bare": lambda: processor_time_of_python("pass"),
            "nocopy": lambda: processor_time_of_python(code),
        },
        unit="ms",
        scale=1e3,
        reference="bare",
        difference=True,
    )
    report.compare(
        "memory once imported",
        {"bare": lambda: memory_of_python("pass"), "nocopy": lambda: memory_of_python(code)},
        unit="MB",
        scale=1e-6,
        reference="bare",
        difference=True,
        bar=8,
    )
    if peer:
        other = "import executorch.runtime"
        report.compare(
            "start Python (peer)", {"executorch": lambda: time_python(other)}, unit="s", rounds=2
        )
        report.compare(
            "memory once imported (peer)",
            {"executorch": lambda: memory_of_python(other)},
            unit="MB",
            scale=1e-6,
            rounds=2,
        )


def measure_calls(
    report: Report,
    cpp: dict[str, Worker],
    nocopy: Worker,
    with_torch: Worker | None,
    executorch: Worker | None,
) -> None:
    """Time whole calls with default options.

    Samples are short and many, and with one thread they are processor time, so that other work on
    the machine counts as little as can be.
    """

    def timed(worker: Worker | None, line: str) -> Side | None:
        if worker is None:
            return None
        return lambda: worker.ask_number(line)

    report.compare(
        "add, two numpy inputs",
        {
            "C++": timed(cpp["add"], "2000"),
            "nocopy": timed(nocopy, "call add 2000"),
            "nocopy, torch inputs": timed(with_torch, "call add 2000"),
            "executorch, torch inputs": timed(executorch, "call add 2000"),
        },
        unit="µs",
        scale=MICROSECONDS,
        reference="C++",
        bar=3.5,
        rounds=10 * report.rounds,
    )
    report.compare(
        "conv model through XNNPACK",
        {
            "C++": timed(cpp["conv_xnnpack"], "20"),
            "nocopy": timed(nocopy, "call conv_xnnpack 20"),
            "nocopy, torch inputs": timed(with_torch, "call conv_xnnpack 20"),
            "executorch, torch inputs": timed(executorch, "call conv_xnnpack 20"),
        },
        unit="µs",
        scale=MICROSECONDS,
        reference="C++",
        bar=1.05,
        rounds=10 * report.rounds,
    )
    if with_torch is None or executorch is None:
        return

    def over_cpp(worker: Worker) -> Side:
        return lambda: worker.ask_number("call add 2000") - cpp["add"].ask_number("2000")

    report.compare(
        "add, torch in and out, over the C++ call",
        {"executorch": over_cpp(executorch), "nocopy": over_cpp(with_torch)},
        unit="µs",
        scale=MICROSECONDS,
        reference="executorch",
        bar=0.8,
        rounds=10 * report.rounds,
    )


def measure_large_inputs(report: Report, nocopy: Worker) -> None:
    """Show that an input that the program reserves no memory for is read where it is."""
    report.compare(
        "100 MB input, no planned memory",
        {
            "4 bytes": lambda: nocopy.ask_number("call first_of_4_bytes 2000"),
            "nocopy": lambda: nocopy.ask_number("call first_of_100_megabytes 2000"),
        },
        unit="µs",
        scale=MICROSECONDS,
        reference="4 bytes",
        difference=True,
        bar=50,
        rounds=10 * report.rounds,
    )
    if sys.platform.startswith("linux"):
        for kind, bar in (("writable", 1.0), ("read-only", 110.0)):
            added = nocopy.ask_number(f"peak_of_call first_of_100_megabytes {kind}")
            report.figure(
                f"memory a call adds for 100 MB, {kind}", added * 1e-6, unit="MB", bar=bar
            )


def measure_growth(report: Report, nocopy: Worker) -> None:
    """Measure what is left behind after many calls, and after many loads."""
    for program, calls in (("add", 100_000), ("conv_xnnpack", 5_000)):
        for what, line in (
            ("1,000 loads and drops", f"growth_over_loads {program} 1000"),
            (f"{calls:,} calls", f"growth_over_calls {program} {calls}"),
        ):
            grown = nocopy.ask_number(line)
            report.figure(f"growth, {what}, {program}", grown * 1e-6, unit="MB", bar=1.0)


def measure_size(report: Report) -> None:
    """Measure what is on disk, without numpy."""
    sizes = {}
    for side, packages in (
        ("nocopy", ["nocopy"]),
        ("executorch and torch", ["executorch", "torch"]),
    ):
        folders = [
            Path(folder)
            for package in packages
            if (spec := importlib.util.find_spec(package)) is not None
            for folder in spec.submodule_search_locations or []
        ]
        if folders:
            files = {file for folder in folders for file in folder.rglob("*") if file.is_file()}
            sizes[side] = sum(file.stat().st_size for file in files) * 1e-6
    report.figure("installed size", sizes, unit="MB", bar=20)


if __name__ == "__main__":
    main()
