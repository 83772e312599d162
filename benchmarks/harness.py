"""What the benchmarks share: sides measured in turn, child processes, a table and a JSON file.

A *side* is one way of doing a job: a name and a function that returns one sample. Sides of one row
are sampled in turn, round after round, so that a machine that slows down half way slows all of them
down. A typical benchmark::

    report = Report("runtime")
    with Worker([sys.executable, "worker.py"]) as python, Worker(["./call_loop", "add.pte"]) as cpp:
        report.compare(
            "add, two numpy inputs",
            {"C++": lambda: cpp.ask_number("1000"), "nocopy": lambda: python.ask_number("add 9")},
            unit="µs", scale=1e6, reference="C++", bar=4.0,
        )
    report.figure("wheel size", 4.9, unit="MB", bar=8.0)
    report.show()
    report.write(Path("out.json"))

The process that answers a `Worker` calls ``serve({"add": function})``, where the function takes the
other words of the line as strings and returns a number; in C++, read lines from stdin, write one
line of answer to each and flush it.

Nothing here knows what is measured, and nothing fails on a time: a bar is printed next to what it
is for.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

Side = Callable[[], float]


@dataclass
class Row:
    """One row of the report: the samples of each side, and what they are compared with."""

    name: str
    unit: str
    samples: dict[str, list[float]]
    reference: str | None = None
    difference: bool = False
    """Whether sides are compared with the reference by difference instead of by ratio."""
    bar: float | None = None
    """The largest ratio (difference, or value where there is no reference) `judged` may have."""
    judged: str = "nocopy"
    note: str = ""

    @property
    def medians(self) -> dict[str, float]:
        return {side: statistics.median(samples) for side, samples in self.samples.items()}

    @property
    def relative(self) -> dict[str, float]:
        """The median over the rounds of each side's ratio (or difference) to the reference.

        Within a round, so that one slow round does not move it.
        """
        if self.reference is None or self.reference not in self.samples:
            return {}
        base = self.samples[self.reference]
        return {
            side: statistics.median(
                s - b if self.difference else s / b for s, b in zip(samples, base, strict=True)
            )
            for side, samples in self.samples.items()
            if side != self.reference
        }

    @property
    def within(self) -> bool | None:
        """Whether the judged side keeps to the bar; None where there is no bar or no such side."""
        values = self.medians if self.reference is None else self.relative
        if self.bar is None or self.judged not in values:
            return None
        return values[self.judged] <= self.bar

    def stated(self, value: float) -> str:
        """Write a value as this row compares: a ratio, a difference or the value itself."""
        if self.reference is None:
            return f"{rounded(value)} {self.unit}"
        if self.difference:
            return f"{'+' if value >= 0 else ''}{rounded(value)} {self.unit}"
        return f"{value:.2f} x"


@dataclass
class Report:
    """Rows in the order they were measured."""

    title: str
    rounds: int = 15
    rows: list[Row] = field(default_factory=list)

    def compare(
        self,
        name: str,
        sides: Mapping[str, Side | None],
        *,
        unit: str,
        scale: float = 1.0,
        reference: str | None = None,
        difference: bool = False,
        judged: str = "nocopy",
        bar: float | None = None,
        rounds: int | None = None,
        note: str = "",
    ) -> Row:
        """Sample the sides in turn and add the row.

        A side that is None is left out, for what is not installed. Each sample is multiplied by
        ``scale``. A first round is thrown away.
        """
        present = {side: sample for side, sample in sides.items() if sample is not None}
        samples: dict[str, list[float]] = {side: [] for side in present}
        order = list(present)
        for number in range(-1, rounds or self.rounds):
            for side in order:
                value = present[side]() * scale
                if number >= 0:
                    samples[side].append(value)
            order.append(order.pop(0))  # nobody is always first
        return self._add(Row(name, unit, samples, reference, difference, bar, judged, note))

    def figure(
        self,
        name: str,
        value: float | Mapping[str, float],
        *,
        unit: str,
        judged: str = "nocopy",
        bar: float | None = None,
        note: str = "",
    ) -> Row:
        """Add a row of values that are measured once, such as a size."""
        values = value if isinstance(value, Mapping) else {judged: value}
        samples = {side: [float(v)] for side, v in values.items()}
        return self._add(Row(name, unit, samples, bar=bar, judged=judged, note=note))

    def _add(self, row: Row) -> Row:
        self.rows.append(row)
        print(f"measured: {row.name}", file=sys.stderr, flush=True)
        return row

    def show(self) -> None:
        """Print the table: the median of each side, and how it compares with the reference."""
        print(f"\n{self.title} on {machine()['processor']}, {os.cpu_count()} processors")
        cells: list[tuple[str, ...]] = [("what", "side", "median", "against", "bar", "")]
        for row in self.rows:
            for number, (side, median) in enumerate(row.medians.items()):
                against = row.stated(row.relative[side]) if side in row.relative else ""
                bar = verdict = ""
                if side == row.judged and row.bar is not None:
                    bar = f"<= {row.stated(row.bar)}"
                    verdict = {True: "ok", False: "OVER", None: ""}[row.within]
                what = row.name if number == 0 else ""
                cells.append((what, side, f"{rounded(median)} {row.unit}", against, bar, verdict))
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        cells.insert(1, tuple("-" * width for width in widths))
        for line in cells:
            padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
            print("  ".join(padded).rstrip())
        for row in self.rows:
            if row.note:
                print(f"{row.name}: {row.note}")

    def write(self, path: Path) -> None:
        """Write everything as JSON, each sample included."""
        rows = [
            asdict(row) | {"medians": row.medians, "relative": row.relative, "within": row.within}
            for row in self.rows
        ]
        document = {"title": self.title, "machine": machine(), "rows": rows}
        path.write_text(json.dumps(document, indent=1) + "\n")


def rounded(value: float) -> str:
    """Write a number with three significant digits and no exponent."""
    if value == 0:
        return "0"
    digits = max(0, 2 - int(f"{abs(value):e}".partition("e")[2]))
    return f"{value:.{digits}f}"


def machine() -> dict[str, Any]:
    """Describe where the figures come from."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    return {
        "processor": processor,
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def seconds_per_call(function: Callable[[], Any], calls: int) -> float:
    """Time ``calls`` calls one after the other and return the mean; no garbage is collected."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        turns = range(calls)
        start = time.perf_counter()
        for _ in turns:
            function()
        return (time.perf_counter() - start) / calls
    finally:
        if enabled:
            gc.enable()


def seconds_per_statement(
    statement: str,
    names: dict[str, Any],
    calls: int,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Time a statement as `seconds_per_call` does, without the call of a function around it.

    With `time.process_time` as the clock, what else the machine does is not counted; use it for
    work on one thread.
    """
    return timeit.Timer(statement, timer=clock, globals=names).timeit(calls) / calls


def resident_bytes() -> int:
    """Return how much of this process is in memory now (on Linux; elsewhere, was at most)."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def time_python(code: str, python: str | Path = sys.executable) -> float:
    """Time an interpreter from its start to its end, with ``code`` run in between."""
    start = time.perf_counter()
    subprocess.run([python, "-c", code], check=True, capture_output=True)
    return time.perf_counter() - start


def processor_time_of_python(code: str, python: str | Path = sys.executable) -> float:
    """Measure the processor time of what `time_python` times."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    time_python(code, python)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def memory_of_python(code: str, python: str | Path = sys.executable) -> int:
    """Return the resident bytes of a new interpreter after ``code``.

    The child measures itself with modules that a bare interpreter has loaded in any case.
    """
    report = """
if sys.platform.startswith("linux"):
    with open("/proc/self/statm", "rb", buffering=0) as statm:
        print(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    script = f"import os, sys\n{code}\n{report}"
    asked = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True)
    return int(asked.stdout.split()[-1])


class Worker:
    """A process that answers lines with lines. Use it as a context manager, so that it ends."""

    def __init__(
        self,
        command: Sequence[str | Path],
        env: Mapping[str, str] | None = None,
        stderr: int | None = None,
    ) -> None:
        self.command = [str(word) for word in command]
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=os.environ | dict(env or {}),
        )

    def ask(self, line: str) -> str:
        """Send a line and return the answer. Raises RuntimeError if the process ended instead."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.command} ended ({self.process.wait()}) when asked {line!r}")
        return answer.strip()

    def ask_number(self, line: str) -> float:
        return float(self.ask(line))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(timeout=60)


def serve(handlers: Mapping[str, Callable[..., Any]]) -> None:
    """Answer a `Worker` until it closes the pipe. A line is a handler's name and its arguments."""
    for line in sys.stdin:
        name, *arguments = line.split()
        print(handlers[name](*arguments), flush=True)
