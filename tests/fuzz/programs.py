"""Fuzzes program files: ``python tests/fuzz/programs.py --cases 10000 --seed 1``.

Programs of five kinds are exported once, then damaged (flips, edge values, truncations, splices,
shifts), loaded, and every method they still have is run twice. Each case runs or raises one of our
errors or MemoryError. None ends the process, hangs for 20 s, or takes more than 4 GiB of address
space; those that do are kept, and named with the signal that ended them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
BATCH = 250
SECONDS = 1200

#: Programs of the zoo by what they stand for.
SEEDS = {
    "plain": (
        "add",
        "add_unplanned",
        "accumulate",
        "constant_outputs",
        "conv",
        "dynamic",
        "identity_and_sum_unplanned",
        "kv_cache",
        "mutates_input_unplanned",
        "rank5",
    ),
    "xnnpack": ("add_xnnpack", "conv_xnnpack", "dynamic_xnnpack", "channels_last_one_channel"),
    "quantized": ("quantized", "quantized_xnnpack"),
    "multi-method": ("multi_method", "without_forward"),
}


@dataclass
class Summary:
    """How the cases ended, by kind of program and by mutation."""

    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    mutations: dict[str, Counter[str]] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """How many cases there were."""
        return sum(sum(counts.values()) for counts in self.kinds.values())

    def count(self, outcome: str) -> int:
        """How many cases ended as "ran", "raised" or "ended"."""
        return sum(counts[outcome] for counts in self.kinds.values())

    def add(self, kind: str, mutation: str, outcome: str, *kept: str) -> None:
        """Count one case."""
        self.kinds.setdefault(kind, Counter())[outcome] += 1
        self.mutations.setdefault(mutation, Counter())[outcome] += 1
        self.ended.extend(kept)

    def __str__(self) -> str:
        lines = [f"{'':16}{'cases':>8}{'ran':>8}{'raised':>8}{'ended':>8}"]
        for table in (self.kinds, self.mutations):
            for name, counts in sorted(table.items()):
                columns = (sum(counts.values()), counts["ran"], counts["raised"], counts["ended"])
                lines.append(f"{name:16}" + "".join(f"{n:8}" for n in columns))
            lines.append("")
        lines.append(
            f"{self.cases} cases: {self.count('ran')} ran, {self.count('raised')} raised, "
            f"{self.count('ended')} ended the process, hung or raised something else"
        )
        return "\n".join([*lines, *self.ended])


def export(folder: Path) -> None:
    """Put the programs to damage into a folder, one folder below it for each kind."""
    sys.path[:0] = [str(HERE.parent)]
    import models

    for kind, names in SEEDS.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(models.ZOO[name]().path, folder / kind)
    (folder / "branches").mkdir(exist_ok=True)
    (folder / "branches" / "branches.pte").write_bytes(branches())


def branches() -> bytes:
    """A program with jumps and moves: torch.cond around a few operators."""
    import torch
    from executorch.exir import EdgeCompileConfig, to_edge

    class Branches(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x * 2 + 1, lambda x: torch.sin(x) - 3, [x])

    program = torch.export.export(Branches(), (torch.ones(2, 3),), strict=True)
    config = EdgeCompileConfig(_check_ir_validity=False)
    return to_edge(program, compile_config=config).to_executorch().buffer


def run_batch(folder: Path, keep: Path, seed: int, start: int, count: int) -> list[list[str]]:
    """Run some cases in a worker."""
    done = subprocess.run(
        [
            sys.executable,
            HERE / "programs_worker.py",
            folder,
            keep,
            *map(str, (seed, start, count)),
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the worker itself failed with {done.returncode}:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def run(cases: int, seed: int, keep: Path | None = None, workers: int = 2) -> Summary:
    """Run cases 0 to ``cases`` of a seed.

    Files that end a process are put in ``keep``, or named and removed where none is given.
    """
    summary = Summary()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "seeds")
        kept = keep or Path(scratch, "kept")
        kept.mkdir(parents=True, exist_ok=True)
        export(folder)
        starts = range(0, cases, BATCH)
        with ThreadPoolExecutor(workers) as pool:
            batches: Iterable[list[list[str]]] = pool.map(
                lambda start: run_batch(folder, kept, seed, start, min(BATCH, cases - start)),
                starts,
            )
            for batch in batches:
                for entry in batch:
                    summary.add(*entry)
    return summary


def main() -> None:
    """Run what the command line asks for; exit 1 if any case ended its process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(".cache/fuzz"), metavar="FOLDER")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    summary = run(arguments.cases, arguments.seed, arguments.keep, arguments.workers)
    print(summary)
    sys.exit(1 if summary.ended else 0)


if __name__ == "__main__":
    main()
