"""Take each guard away and see its test fail.

A patch in ``tests/guards`` removes one check that protects memory or numbers. Its first lines name
the test that must then fail (``# test:``, a pytest node or a C++ test) and why the check is there
(``# why:``). In a copy of the last commit, all these tests have to pass first; then each patch is
applied, built, and has to make its test fail. One that does not, or that no longer applies or
builds, fails the run.

One build tree serves all patches, one after the other and without optimization; what was built is
set aside for its test, which runs while the next one is built.

Usage: python tools/guards.py [part of a patch's name ...]

Needs what ``tools/dev`` needs.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "guards"
TREE = WORK / "tree"
BUILD = WORK / "build"

#: Longer than any of the tests takes. A hang is noticed as well as a failure.
SECONDS = 300


class Broken(Exception):
    """A step failed that had to succeed, with what it printed."""


@dataclass(frozen=True)
class Guard:
    """One patch, the files it changes, the test that must fail under it, and why it is there."""

    patch: Path
    files: tuple[str, ...]
    test: str
    why: str


def main() -> int:
    """Check the guards whose names contain an argument, all without any."""
    wanted = sys.argv[1:] or [""]
    patches = sorted((ROOT / "tests" / "guards").glob("*.patch"))
    guards = [read(patch) for patch in patches if any(part in patch.stem for part in wanted)]
    if not guards:
        print("no guard has such a name")
        return 1
    try:
        make_tree(guards)
        verdicts = check_all(guards)
    except Broken as broken:
        print(broken)
        return 1
    failed = sum(verdict is not None for verdict in verdicts.values())
    print(f"{len(guards)} guards taken away in {time.monotonic() - STARTED:.0f} s: ", end="")
    print(f"{len(guards) - failed} tests failed as they should, {failed} guards are FAULTY")
    return 1 if failed else 0


def read(patch: Path) -> Guard:
    """Read the first lines of a patch, and the names of the files in it."""
    text = patch.read_text(encoding="utf-8")
    head = text.partition("diff ")[0]
    fields = dict(re.findall(r"^# (test|why): (.+)$", head, re.MULTILINE))
    if fields.keys() != {"test", "why"}:
        raise SystemExit(f"{patch} does not begin with '# test:' and '# why:'")
    files = tuple(re.findall(r"^\+\+\+ b/(.+)$", text, re.MULTILINE))
    return Guard(patch, files, fields["test"].strip(), fields["why"].strip())


def make_tree(guards: list[Guard]) -> None:
    """Make a copy of the last commit, and build it."""
    shutil.rmtree(WORK / "places", ignore_errors=True)
    shutil.rmtree(TREE, ignore_errors=True)
    run("git", "clone", "--quiet", str(ROOT), str(TREE), cwd=ROOT)
    fetch = TREE / "build_backend" / "executorch_wheel.py"
    runtime = run(sys.executable, str(fetch), "--to", str(WORK / "executorch")).strip()
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -DNDEBUG"]
    options += ["-DNOCOPY_BUILD_TESTS=ON", f"-DNOCOPY_EXECUTORCH_ROOT={runtime}"]
    options += [f"-DPython_EXECUTABLE={sys.executable}"]
    run("cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", *options)
    build(sorted({guard.test for guard in guards}))
    # Exported models are the same for every copy of the same tests.
    (ROOT / ".cache").mkdir(exist_ok=True)
    (TREE / ".cache").symlink_to(ROOT / ".cache")


def check_all(guards: list[Guard]) -> dict[Guard, str | None]:
    """Print a line of a table for each guard. Return what is wrong with it, if anything is."""
    print_row("verdict", "guard", "test that fails without it")
    verdicts: dict[Guard, str | None] = {}
    places = BoundedSemaphore((os.cpu_count() or 1) + 2)  # a place is some 25 MB of files

    def settle(guard: Guard, done: Future[str | None]) -> None:
        verdicts[guard] = done.result()
        print_row("FAULTY" if verdicts[guard] else "ok", guard.patch.stem, guard.test)
        if verdicts[guard]:
            print(f"        {verdicts[guard]}", flush=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tests = sorted({guard.test for guard in guards})
        untouched = pool.submit(failing, set_aside("untouched", tests), tests)
        # Guards of one file after another: then no build has to undo another file's patch.
        for guard in sorted(guards, key=lambda guard: (guard.files, guard.patch)):
            done: Future[str | None] = Future()
            try:
                take_away(guard)
            except Broken as broken:
                done.set_result(str(broken))
                settle(guard, done)
                continue
            places.acquire()
            place = set_aside(guard.patch.stem, [guard.test])
            done = pool.submit(judge, guard, place)
            done.add_done_callback(functools.partial(settle, guard))
            done.add_done_callback(lambda _: places.release())
        whole = untouched.result()
    if whole:
        raise Broken(f"With every guard in place, there fails\n{whole}")
    return verdicts


def print_row(verdict: str, guard: str, test: str) -> None:
    """Print one line of the table."""
    print(f"{verdict:<7} {guard:<28} {test}", flush=True)


def take_away(guard: Guard) -> None:
    """Build the tree without a guard."""
    run("git", "-C", str(TREE), "checkout", "--quiet", ".")
    # The lines around it may have changed since the patch was made. If it then takes away something
    # else, its test passes.
    run("git", "-C", str(TREE), "apply", "-C0", str(guard.patch))
    if not all(file.startswith(("build_backend/", "python/")) for file in guard.files):
        build([guard.test])


def build(tests: list[str]) -> None:
    """Build what some tests need."""
    targets = {"_core", "_executorch"} if any(is_python(test) for test in tests) else set()
    targets |= {test for test in tests if not is_python(test)}
    run("cmake", "--build", str(BUILD), "--target", *sorted(targets))


def set_aside(name: str, tests: list[str]) -> Path:
    """Copy what some tests need: they run while the tree changes again."""
    place = WORK / "places" / name
    shutil.copytree(TREE, place, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for test in tests:
        if not is_python(test):
            shutil.copy2(BUILD / "tests" / "cpp" / test, place / test)
    if any(is_python(test) for test in tests):
        run("cmake", "--install", str(BUILD), "--prefix", str(place / "installed"))
    return place


def judge(guard: Guard, place: Path) -> str | None:
    """Return what is wrong with a guard whose test passes although it is gone."""
    try:
        gone = failing(place, [guard.test], SECONDS)
        return None if gone else f"its test passes without it ({guard.why})"
    except Broken as broken:
        return str(broken)
    finally:
        shutil.rmtree(place)


def failing(place: Path, tests: list[str], timeout: float | None = None) -> str:
    """Run tests on what was set aside; return what those that failed printed, or nothing.

    Raise Broken if a test could not be run.
    """
    for test in tests:
        if not is_python(test):
            done = capture([str(place / test)], place, timeout)
            if done.returncode != 0:
                return f"{test}: {(done.stdout + done.stderr)[-2000:]}"
    nodes = [test for test in tests if is_python(test)]
    if not nodes:
        return ""
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *nodes]
    done = capture(pytest, place, timeout)
    if done.returncode > 1:
        raise Broken(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}")
    if done.returncode == 0 and " passed" not in done.stdout:
        raise Broken(f"no test ran:\n{done.stdout[-2000:]}")
    # Negative: what was not in a child process took pytest down with it, which is noticed too.
    output = (done.stdout + done.stderr)[-2000:]
    return f"pytest ended with {done.returncode}:\n{output}" if done.returncode != 0 else ""


def is_python(test: str) -> bool:
    """Say whether a test is pytest's; if not it is an executable of ``tests/cpp``."""
    return test.startswith("tests/")


def run(*command: str, cwd: Path = ROOT) -> str:
    """Run a command that has to succeed; return what it printed."""
    done = capture(command, cwd)
    if done.returncode != 0:
        raise Broken(f"{' '.join(command)}\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def capture(
    command: Sequence[str], cwd: Path, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with the package that was set aside there."""
    environment = os.environ | {"PYTHONPATH": str(cwd / "installed")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        return subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -9, f"not done after {timeout} s", "")


STARTED = time.monotonic()

if __name__ == "__main__":
    sys.exit(main())
