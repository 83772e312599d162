"""Runs a piece of Python in a process of its own: what may crash, what must not find torch, what
reads its own maps.

The child prints its findings as JSON with ``report(...)``; the test asserts on them. Asserting in
the child works as well: a failed child fails `Child.check`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: Runs before the child's code. `argv` are the arguments as strings, `report` prints one JSON value
#: for the parent.
_PRELUDE = """
import json, sys
argv = sys.argv[1:]
def report(value):
    print("@report " + json.dumps(value), flush=True)
def mapped_libraries():
    with open("/proc/self/maps") as maps:
        return sorted({line.split()[-1] for line in maps if ".so" in line})
"""

_WITHOUT_TORCH = """
class _NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "executorch"):
            raise ModuleNotFoundError(f"No module named {name!r} (kept out by the test)", name=name)
sys.meta_path.insert(0, _NoTorch())
"""


@dataclass(frozen=True)
class Child:
    """How a child process ended. A negative `returncode` is the signal that ended it."""

    returncode: int
    stdout: str
    stderr: str

    def check(self) -> Child:
        """Returns itself; raises AssertionError with the child's output if it failed."""
        output = f"--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"
        assert self.returncode == 0, f"child ended with {self.returncode}\n{output}"
        return self

    @property
    def reports(self) -> list[Any]:
        """The values given to ``report`` in the child, in order."""
        mark = "@report "
        return [
            json.loads(line.removeprefix(mark))
            for line in self.stdout.splitlines()
            if line.startswith(mark)
        ]


def run_python(
    code: str,
    *args: object,
    torch: bool = False,
    env: dict[str, str] | None = None,
    timeout: float = 120,
) -> Child:
    """Runs ``code`` with this interpreter; ``argv``, ``report`` and ``mapped_libraries`` are there
    for it.

    Without ``torch``, importing torch (or the executorch package) fails in the child as it does
    where it is not installed.
    """
    script = _PRELUDE + ("" if torch else _WITHOUT_TORCH) + code
    return run_command([sys.executable, "-c", script, *map(str, args)], env=env, timeout=timeout)


def run_command(
    command: Sequence[str],
    *,
    env: dict[str, str] | None = None,
    timeout: float = 120,
    cwd: str | os.PathLike[str] | None = None,
) -> Child:
    """Runs a command with this process's environment plus ``env``."""
    done = subprocess.run(
        list(command),
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env=os.environ | (env or {}),
        check=False,
    )
    return Child(done.returncode, done.stdout, done.stderr)
