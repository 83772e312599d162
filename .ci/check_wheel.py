"""Check what a built wheel holds: its size, its files, and what its binaries ask the loader for.

Usage: check_wheel.py WHEEL
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MEGABYTE = 1_000_000
LARGEST_WHEEL = 8 * MEGABYTE
LARGEST_INSTALLED = 20 * MEGABYTE
LIBRARIES = {
    "libnocopy_executorch",
    "libnocopy_executorch_backend_xnnpack",
    "libnocopy_executorch_etdump",
    "libnocopy_executorch_kernels_optimized",
    "libnocopy_executorch_kernels_quantized",
    "libnocopy_executorch_threadpool",
}
# What every Linux that the wheel can be built on has.
SYSTEM = re.compile(r"lib(c|m|dl|pthread|stdc\+\+|gcc_s)\.so\.\d+|ld-linux-[\w-]+\.so\.\d")


def main() -> None:
    """Print what is in the wheel, and fail at the first thing that should not be so."""
    wheel = Path(sys.argv[1])
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        installed = sum(archive.getinfo(name).file_size for name in names)
        print(
            f"{wheel.name}: {wheel.stat().st_size / MEGABYTE:.2f} MB, "
            f"{installed / MEGABYTE:.2f} MB installed, {len(names)} files"
        )
        require(wheel.stat().st_size <= LARGEST_WHEEL, f"the wheel is over {LARGEST_WHEEL} bytes")
        require(installed <= LARGEST_INSTALLED, f"installed it is over {LARGEST_INSTALLED} bytes")
        archive.extractall(folder)
        check_files(names, Path(folder))
        for path in sorted(Path(folder).rglob("*.so")):
            check_binary(path)


def check_files(names: list[str], folder: Path) -> None:
    """Check that the wheel holds the package, its libraries and the licences, and nothing else."""
    for name in names:
        require(
            re.match(r"nocopy(-[\d.]+\w*\.dist-info)?/", name) is not None,
            f"{name} is not part of the package",
        )
        require(
            not re.search(r"\.(cc?|h|cmake|pyc|a)$|__pycache__|CMakeLists", name),
            f"{name} is of no use to who installs the package",
        )
    for wanted in ("nocopy/__init__.py", "nocopy/py.typed"):
        require(wanted in names, f"{wanted} is missing")
    for extension in ("_core", "_executorch"):
        matching = [name for name in names if re.match(rf"nocopy/{extension}\.[^/]*\.so$", name)]
        require(len(matching) == 1, f"there is not one extension {extension} but {matching}")
    libraries = {path.stem for path in (folder / "nocopy" / "_libs").iterdir()}
    require(libraries == LIBRARIES, f"_libs holds {sorted(libraries)}")
    [notices] = folder.glob("*.dist-info/licenses/THIRD_PARTY_NOTICES")
    require("ExecuTorch" in notices.read_text(encoding="utf-8"), "the notices name no ExecuTorch")
    [licence] = folder.glob("*.dist-info/licenses/LICENSE")
    require(licence.stat().st_size > 0, "the licence is empty")


def check_binary(path: Path) -> None:
    """Check names, dependencies and search path of a shared library."""
    dynamic = readelf("-d", path)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    ours = [name for name in needed if name.startswith("libnocopy_")]
    print(f"  {path.name}: {path.stat().st_size / MEGABYTE:.2f} MB, needs {len(ours)} of ours")
    for name in needed:
        require(
            SYSTEM.fullmatch(name) is not None or name.removesuffix(".so") in LIBRARIES,
            f"{path.name} needs {name}, which is neither ours nor the system's",
        )
    search = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic)
    inside = path.parent.name == "_libs"
    require(
        search == (["$ORIGIN"] if inside else ["$ORIGIN/_libs"] if ours else []),
        f"{path.name} looks for libraries in {search}",
    )
    if inside:
        soname = re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)
        require(soname == [path.name], f"{path.name} calls itself {soname}")
        require(" UNIQUE " not in readelf("--dyn-syms", path), f"{path.name} has unique symbols")
    else:
        exported = re.findall(
            r"(?:GLOBAL|WEAK|UNIQUE) +DEFAULT +\d+ (\S+)", readelf("--dyn-syms", path)
        )
        require(
            exported == [f"PyInit_{path.name.partition('.')[0]}"],
            f"{path.name} exports {exported}",
        )
        require(".symtab" not in readelf("-S", path), f"{path.name} is not stripped")
        require(bool(ours) == path.name.startswith("_executorch"), f"{path.name} needs {ours}")


def readelf(option: str, path: Path) -> str:
    """Return what readelf says."""
    command = ["readelf", "--wide", option, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def require(condition: bool, otherwise: str) -> None:
    """End the check unless `condition` holds."""
    if not condition:
        raise SystemExit(f"check_wheel: {otherwise}")


if __name__ == "__main__":
    main()
