"""Builds with sanitizers and runs the tests that they are for.

    python tests/sanitize.py asan              address and undefined behaviour
    python tests/sanitize.py tsan              threads: the C++ tests, and the threads of Python
    python tests/sanitize.py asan -k dlpack    any arguments of pytest instead

Needs GCC and what a development build needs (see CONTRIBUTING.md). ``EXECUTORCH_ROOT`` names an
unpacked wheel of the runtime; without it, it is fetched.

What is built here is instrumented; CPython, numpy, torch and the runtime's prebuilt libraries are
not. Leaks are measured by tests/runtime/test_leaks.py instead: at its end the interpreter leaves
thousands of its own blocks behind.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What runs by default. Children inherit the sanitizer, so both kinds of tests are covered. Resident
#: memory means nothing here: what is freed is kept for a while, to catch late uses of it.
SELECTION = [
    "tests/runtime",
    "tests/memory",
    "tests/fuzz",
    "tests/onnx",
    "--ignore=tests/runtime/test_leaks.py",
    "--ignore=tests/onnx/test_large.py",
    "--ignore=tests/onnx/test_loading_memory.py",
    "--deselect=tests/onnx/test_consolidate.py::test_memory_when_consolidated_then_peaks_at_the_weights_and_the_largest_tensor",
    "--deselect=tests/onnx/test_consolidate.py::test_model_when_there_is_no_memory_then_is_unchanged",
    "--deselect=tests/runtime/test_ownership.py::test_loops_over_every_step_do_not_grow",
]
SANITIZERS = {"asan": "address,undefined", "tsan": "thread"}


def library(name: str) -> str:
    """The path of one of the compiler's own libraries."""
    found = subprocess.run(
        ["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True
    ).stdout.strip()
    if not Path(found).is_absolute():
        sys.exit(f"gcc has no {name}; install GCC's sanitizers")
    return os.path.realpath(found)


def options(kind: str) -> dict[str, str]:
    """The environment that an instrumented process needs."""
    environment = {
        "NOCOPY_SANITIZED": kind,
        # One block of malloc per object, so that the sanitizer sees each.
        "PYTHONMALLOC": "malloc",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "OMP_NUM_THREADS": "1",
    }
    if kind == "asan":
        environment["ASAN_OPTIONS"] = ":".join([
            "detect_leaks=0",
            # Vectors cross into prebuilt libraries, which do not keep their annotations.
            "detect_container_overflow=0",
            # Asking for too much raises MemoryError, as it does without the sanitizer.
            "allocator_may_return_null=1",
        ])  # fmt: skip
    else:
        suppressions = ROOT / "tests" / "sanitize_tsan.txt"
        environment["TSAN_OPTIONS"] = f"suppressions={suppressions}:exitcode=66:history_size=4"
    return environment


def preloaded(kind: str) -> dict[str, str]:
    # The interpreter is not instrumented, so the sanitizer has to be there before it; and with it
    # the C++ library, whose exceptions it intercepts.
    return {"LD_PRELOAD": f"{library(f'lib{kind}.so')} {library('libstdc++.so')}"}


def build(kind: str, folder: Path) -> Path:
    """Builds and installs; returns what to put on PYTHONPATH."""
    root = (
        os.environ.get("EXECUTORCH_ROOT")
        or subprocess.run(
            [sys.executable, "build_backend/executorch_wheel.py"],
            check=True,
            capture_output=True,
            text=True,
            cwd=ROOT,
        ).stdout.strip()
    )
    settings = {
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "CMAKE_CXX_FLAGS_RELWITHDEBINFO": "-O1 -g1 -DNDEBUG",
        "NOCOPY_SANITIZE": SANITIZERS[kind],
        "NOCOPY_BUILD_TESTS": "ON",
        "NOCOPY_EXECUTORCH_ROOT": root,
        "Python_EXECUTABLE": sys.executable,
    }
    command = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"]
    say(*command, *(f"-D{name}={value}" for name, value in settings.items()))
    say("cmake", "--build", str(folder), "-j2")
    say("cmake", "--install", str(folder), "--prefix", str(folder / "install"))
    return folder / "install"


def say(*command: str, environment: dict[str, str] | None = None, prefix: bool = False) -> None:
    # TSan needs its shadow where the kernel's randomization may put something else.
    fixed = ["setarch", "-R"] if prefix and shutil.which("setarch") else []
    print("+", *command, flush=True)
    done = subprocess.run(
        [*fixed, *command], cwd=ROOT, env=os.environ | (environment or {}), check=False
    )
    if done.returncode != 0:
        sys.exit(f"failed with {done.returncode}: {' '.join(command)}")


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in SANITIZERS:
        sys.exit(__doc__)
    kind, chosen = sys.argv[1], sys.argv[2:]
    # What recurses to a bounded depth has frames here that are several times their size.
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, most))
    folder = ROOT / "build" / kind
    installed = build(kind, Path(os.environ.get("BUILD", folder)))
    environment = options(kind)
    say(
        "ctest",
        "--test-dir",
        str(installed.parent),
        "--output-on-failure",
        environment=environment,
        prefix=True,
    )
    with tempfile.TemporaryDirectory() as programs:
        # Exported first, by a process without a sanitizer: it is the slowest part, and not ours.
        say(sys.executable, "tests/fuzz/inputs.py", "--export", programs)
        environment |= preloaded(kind) | {"PYTHONPATH": str(installed)}
        python = sys.executable
        say(python, "tests/sanitize_threads.py", programs, environment=environment, prefix=True)
        if kind == "tsan" and not chosen:
            worker = ["tests/fuzz/inputs_worker.py", programs, "5", "0", "1500", "0"]
            at = str(Path(programs) / "at")
            say(python, *worker, at, environment=environment, prefix=True)
        else:
            run_pytest(python, chosen, environment)
    print(f"{kind}: clean")


def run_pytest(python: str, chosen: list[str], environment: dict[str, str]) -> None:
    arguments = chosen if any(not a.startswith("-") for a in chosen) else [*SELECTION, *chosen]
    say(
        python, "-m", "pytest", "-q", "--maxfail=5", "-p", "no:cacheprovider", *arguments,
        environment=environment, prefix=True,
    )  # fmt: skip


if __name__ == "__main__":
    assert sysconfig.get_platform().startswith("linux"), "the sanitizers are run on Linux"
    main()
