"""Take each guard away and see its test fail.

A patch in ``tests/guards`` removes one check that protects memory or numbers. Its first lines name
the test that must then fail (``# test:``, a pytest node or a ctest name) and why the check is there
(``# why:``). In a copy of the last commit, all these tests have to pass first; then each patch is
applied, built, and has to make its test fail. One that does not, or that no longer applies or
builds, fails the run.

Usage: python tools/guards.py [part of a patch's name ...]

Needs what ``tools/dev`` needs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "guards"
TREE = WORK / "tree"
BUILD = WORK / "build"
INSTALLED = WORK / "installed"


class Broken(Exception):
    """A step failed that had to succeed, with what it printed."""


@dataclass(frozen=True)
class Guard:
    """One patch, the test that must fail under it, and why the guard is there."""

    patch: Path
    test: str
    why: str


def main() -> int:
    """Check the guards whose names contain an argument, all without any."""
    wanted = sys.argv[1:] or [""]
    patches = sorted((ROOT / "tests" / "guards").glob("*.patch"))
    guards = [read(patch) for patch in patches if any(part in patch.stem for part in wanted)]
    try:
        make_tree()
        tests = sorted({guard.test for guard in guards})
        failing = [test for test in tests if fails(test)] if fails(*tests) else []
    except Broken as broken:
        print(broken)
        return 1
    for test in failing:
        print(f"FAILED {test} fails with every guard in place")
    failed = len(failing)
    for guard in guards:
        verdict = check(guard)
        failed += verdict is not None
        state = f"FAILED {guard.patch.stem}: {verdict}" if verdict else f"ok     {guard.patch.stem}"
        print(state, flush=True)
    print(f"{len(guards)} guards, {failed} failed")
    return 1 if failed or not guards else 0


def read(patch: Path) -> Guard:
    """Read the first lines of a patch."""
    head = patch.read_text(encoding="utf-8").partition("diff ")[0]
    fields = dict(re.findall(r"^# (test|why): (.+)$", head, re.MULTILINE))
    if fields.keys() != {"test", "why"}:
        raise SystemExit(f"{patch} does not begin with '# test:' and '# why:'")
    return Guard(patch, fields["test"].strip(), fields["why"].strip())


def make_tree() -> None:
    """Make a copy of the last commit, and build it."""
    shutil.rmtree(TREE, ignore_errors=True)
    run("git", "clone", "--quiet", str(ROOT), str(TREE))
    fetch = TREE / "build_backend" / "executorch_wheel.py"
    runtime = run(sys.executable, str(fetch), "--to", str(WORK / "executorch")).strip()
    options = ["-DNOCOPY_BUILD_TESTS=ON", f"-DNOCOPY_EXECUTORCH_ROOT={runtime}"]
    run("cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", *options)
    build()
    models = ROOT / ".cache"
    if models.is_dir():  # exported models are the same for every copy of the same tests
        (TREE / ".cache").symlink_to(models)


def build() -> None:
    """Build and install the tree as it is."""
    run("cmake", "--build", str(BUILD))
    run("cmake", "--install", str(BUILD), "--prefix", str(INSTALLED))


def check(guard: Guard) -> str | None:
    """Return what is wrong with a guard, if anything is."""
    try:
        run("git", "-C", str(TREE), "checkout", "--quiet", ".")
        run("git", "-C", str(TREE), "apply", str(guard.patch))
        build()
        return None if fails(guard.test) else f"{guard.test} passes without it ({guard.why})"
    except Broken as broken:
        return str(broken)


def fails(*tests: str) -> bool:
    """Run the tests; say whether any failed. Raise Broken if one could not be run."""
    nodes = [test for test in tests if test.startswith("tests/")]
    names = "|".join(test for test in tests if test not in nodes)
    if names:
        ctest = ["ctest", "--test-dir", str(BUILD), "--no-tests=error", "-R", f"^({names})$"]
        done = capture(ctest)
        if "No tests were found" in done.stderr + done.stdout:
            raise Broken(f"there is no C++ test {names}")
        if done.returncode != 0:
            return True
    if not nodes:
        return False
    done = capture([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *nodes])
    if done.returncode > 1:
        raise Broken(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}")
    # Negative: what was not in a child process took pytest down with it, which is noticed too.
    return done.returncode != 0


def run(*command: str) -> str:
    """Run a command that has to succeed; return what it printed."""
    done = capture(command)
    if done.returncode != 0:
        raise Broken(f"{' '.join(command)}\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def capture(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in the copy, with the copy's package."""
    return subprocess.run(
        command,
        cwd=TREE if TREE.is_dir() else ROOT,
        env={**os.environ, "PYTHONPATH": str(INSTALLED)},
        capture_output=True,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
