"""Fuzzes what is passed to methods: ``python tests/fuzz/inputs.py --cases 100000 --seed 1``.

Every case runs and gives the numbers of a formula in numpy, or raises an ordinary exception. None
ends the process, hangs, or makes it grow. Cases run in child processes, some with torch and some
without; what ends a child is counted, named and tried again alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
BATCH = 1000
#: The second half of a batch may add this much to what the first half left.
GROWTH_KB = 8 * 1024
SECONDS = 300


@dataclass
class Summary:
    """What happened to the cases."""

    cases: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    most_grown_kb: int = 0

    def __str__(self) -> str:
        raised = {k: v for k, v in self.counts.items() if k not in ("ran", "wrong", "skipped")}
        lines = [
            f"{self.cases} cases: {self.counts['ran']} ran and were right, "
            f"{sum(raised.values())} raised, {len(self.wrong)} were wrong, "
            f"{len(self.ended)} ended the process or hung",
            "raised: "
            + ", ".join(f"{k} {v}" for k, v in sorted(raised.items(), key=lambda x: -x[1])),
            f"memory grew by at most {self.most_grown_kb} kB in the second half of a batch",
        ]
        return "\n".join([*lines, *self.wrong[:40], *self.ended])


def export(folder: Path) -> None:
    """Puts the programs, and the weights that the formulas need, in a folder."""
    sys.path[:0] = [str(HERE.parent), str(HERE)]
    import models
    import numpy as np
    from inputs_models import table

    linear = models.dynamic().module.linear
    weights = {"weight": linear.weight.detach().numpy(), "bias": linear.bias.detach().numpy()}
    np.savez(folder / "weights.npz", **weights)
    for case in table(weights):
        shutil.copy(models.ZOO[case.name]().path, folder / f"{case.name}.pte")


def run_batch(folder: Path, seed: int, start: int, count: int) -> Summary:
    """Runs some cases in children until all have had their turn."""
    summary = Summary()
    end = start + count
    with_torch = start // BATCH % 4 == 1
    while start < end:
        at = folder / f"at-{start}"
        command = [sys.executable, str(HERE / "inputs_worker.py"), str(folder), str(seed)]
        command += [str(start), str(end - start), str(int(with_torch)), str(at)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, env=_environment()
            )
            code: int | str = done.returncode
            output, errors = done.stdout, done.stderr
        except subprocess.TimeoutExpired as error:
            # What it printed last says whether it hung in a case or at its end.
            code, output = "a hang", (error.stdout or b"").decode()
            errors = output + (error.stderr or b"").decode()
        if code == 0:
            found = json.loads(output.splitlines()[-1])
            summary.cases += end - start
            summary.counts.update(found["counts"])
            summary.wrong += found["wrong"]
            if end - start >= BATCH:
                summary.most_grown_kb = max(summary.most_grown_kb, found["grown_kb"])
                if found["grown_kb"] > GROWTH_KB and "NOCOPY_SANITIZED" not in os.environ:
                    summary.wrong.append(f"cases {start} to {end}: grew by {found['grown_kb']} kB")
            break
        last = int(at.read_text()) if at.exists() and at.read_text().strip() else start
        summary.ended.append(f"case {last} (torch={with_torch}): {code}\n{errors[-3000:]}")
        summary.cases += last + 1 - start
        start = last + 1
        if len(summary.ended) > 20:
            break
    return summary


def _environment() -> dict[str, str]:
    more = {"OMP_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1", "FUZZ_SECONDS": str(SECONDS - 20)}
    return os.environ | more


def run(cases: int, seed: int, jobs: int = 2, folder: Path | None = None) -> Summary:
    """Runs `cases` cases, and adds up what happened."""
    with tempfile.TemporaryDirectory() as temporary:
        where = folder or Path(temporary)
        export(where)
        total = Summary()
        starts = range(0, cases, BATCH)
        with ThreadPoolExecutor(jobs) as pool:
            batches = pool.map(
                lambda start: run_batch(where, seed, start, min(BATCH, cases - start)), starts
            )
            for batch in batches:
                total.cases += batch.cases
                total.counts.update(batch.counts)
                total.wrong += batch.wrong
                total.ended += batch.ended
                total.most_grown_kb = max(total.most_grown_kb, batch.most_grown_kb)
        return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--export", type=Path, help="write the programs to this folder, and no more"
    )
    arguments = parser.parse_args()
    if arguments.export:
        export(arguments.export)
        return 0
    summary = run(arguments.cases, arguments.seed, arguments.jobs)
    print(summary)
    return int(bool(summary.wrong or summary.ended))


if __name__ == "__main__":
    sys.exit(main())
