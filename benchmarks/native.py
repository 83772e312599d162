"""Builds the C++ side of ``runtime.py`` against the libraries that nocopy bundles copies of."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent / ".cache" / "benchmarks"
SOURCE = HERE / "cpp" / "call_loop.cc"
# What the libraries were compiled with, as in cmake/NocopyRuntime.cmake.
DEFINITIONS = ["C10_USING_CUSTOM_GENERATED_MACROS", "ET_EVENT_TRACER_ENABLED", "ET_USE_THREADPOOL"]
LIBRARIES = [
    "executorch",
    "executorch_threadpool",
    "executorch_kernels_optimized",
    "executorch_backend_xnnpack",
]


def executorch_folder() -> Path:
    """Find headers and libraries of the runtime.

    In this order: what ``NOCOPY_EXECUTORCH`` names, the installed ``executorch`` package, the wheel
    that nocopy is built from, which is then downloaded.
    """
    if "NOCOPY_EXECUTORCH" not in os.environ:
        spec = importlib.util.find_spec("executorch")
        for folder in spec.submodule_search_locations or [] if spec else []:
            if Path(folder, "include").is_dir():
                return Path(folder)
    sys.path.insert(0, str(HERE.parent / "build_backend"))
    from executorch_wheel import prepare_runtime  # type: ignore[import-not-found]

    return Path(prepare_runtime(CACHE))


def build_call_loop() -> Path:
    """Compile ``cpp/call_loop.cc`` unless it has been, and return the program."""
    root = executorch_folder()
    include, lib = root / "include", root / "lib"
    command = [
        os.environ.get("CXX", "c++"),
        "-std=c++20",
        "-O2",
        "-isystem",
        str(include),
        "-isystem",
        str(include / "executorch/runtime/core/portable_type/c10"),
        *(f"-D{definition}" for definition in DEFINITIONS),
        str(SOURCE),
        f"-L{lib}",
        f"-Wl,-rpath,{lib}",
        *([] if sys.platform == "darwin" else ["-Wl,--no-as-needed"]),
        *(f"-l{library}" for library in LIBRARIES),
    ]
    key = hashlib.sha256("\0".join(command).encode() + SOURCE.read_bytes()).hexdigest()[:16]
    program = CACHE / f"call_loop-{key}"
    if not program.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run([*command, "-o", str(program)], check=True)
    return program
