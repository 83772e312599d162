"""Get the one executorch wheel that nocopy is built from, and unpack what the build needs of it.

The wheel's shared libraries do not depend on the Python version, so one wheel per platform, pinned
by hash, serves every Python. It comes through ``pip`` from the index that the user has configured,
without its dependencies. ``NOCOPY_EXECUTORCH`` names a wheel or an unpacked folder to use instead.

Run as a script it unpacks the wheel and prints the folder to give to CMake as
``NOCOPY_EXECUTORCH_ROOT``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

VERSION = "1.5.1"
OVERRIDE = "NOCOPY_EXECUTORCH"
_OR_OVERRIDE = f"or set {OVERRIDE} to an executorch {VERSION} wheel or to its unpacked folder"
_ELF_MACHINE = {"x86_64": 62, "aarch64": 183}


class BuildError(Exception):
    """What the person who runs the build has to do, in one sentence."""


@dataclass(frozen=True)
class WheelPin:
    """The wheel for one platform: its platform tag, its hash and the suffix of its libraries."""

    tag: str
    sha256: str
    suffix: str

    @property
    def file_name(self) -> str:
        """The wheel's file name, with the one Python tag that we ever ask for."""
        return f"executorch-{VERSION}-cp311-cp311-{self.tag}.whl"


PINS = {
    ("Linux", "x86_64"): WheelPin(
        "manylinux_2_28_x86_64",
        "274c28c2fe2b76acb03f9fa381537425c40e0098dcf886baf6d97a1a55ffe300",
        ".so",
    ),
    ("Linux", "aarch64"): WheelPin(
        "manylinux_2_28_aarch64",
        "8ee02348a3ea80ddf770822911ebf78da616b73afce0fbaaa79f23311c88c66a",
        ".so",
    ),
    ("Darwin", "arm64"): WheelPin(
        "macosx_14_0_arm64",
        "e747dacb39950a2d234e08f230c1e5540f7b297fd32bc8c8f4296a953bb40dc0",
        ".dylib",
    ),
}


def prepare_runtime(destination: Path) -> Path:
    """Make ready the folder ``executorch`` that CMake reads as ``NOCOPY_EXECUTORCH_ROOT``.

    Parameters
    ----------
    destination
        Where to unpack a wheel. Not used when ``NOCOPY_EXECUTORCH`` names an unpacked folder, which
        is then read where it is.

    Raises
    ------
    BuildError
        If this platform has no wheel, the wheel cannot be had, or it is not the expected one.
    """
    pin = pin_of_this_platform()
    override = os.environ.get(OVERRIDE)
    if override:
        path = Path(override).expanduser().absolute()
        if path.is_dir():
            root = path / "executorch" if (path / "executorch").is_dir() else path
        elif path.suffix == ".whl" and path.is_file():
            root = unpack(path, destination)
        else:
            state = "is neither a wheel nor a folder" if path.exists() else "does not exist"
            raise BuildError(
                f"{OVERRIDE} is {override}, which {state}; set it to an executorch {VERSION} wheel "
                f"or to its unpacked folder, or unset it to let pip fetch the wheel."
            )
        _check_override(root, pin, override)
        return root
    return unpack(pinned_wheel(pin), destination)


def pin_of_this_platform() -> WheelPin:
    """Say which wheel this platform needs, or that there is none."""
    system, machine = platform.system(), platform.machine()
    pin = PINS.get((system, machine))
    here = f"{system} {machine}"
    if pin is not None and system == "Linux":
        libc, version = platform.libc_ver()
        if libc != "glibc" or _numbers(version) < (2, 28):
            here += f" with {libc} {version}" if libc else " with a C library that is not glibc"
            pin = None
    if pin is not None and system == "Darwin" and _numbers(platform.mac_ver()[0]) < (14,):
        here += f" with macOS {platform.mac_ver()[0]}"
        pin = None
    if pin is None:
        raise BuildError(
            f"nocopy cannot be built on {here}: executorch {VERSION} has libraries for Linux on "
            f"x86_64 and aarch64 with glibc 2.28 or newer, and for macOS 14 or newer on arm64."
        )
    return pin


def pinned_wheel(pin: WheelPin) -> Path:
    """Take the wheel from the cache or through pip, and check its hash either way."""
    cached = cache_directory() / pin.file_name
    if cached.is_file() and _sha256(cached) == pin.sha256:
        return cached
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(dir=cached.parent, prefix="download-")
    except OSError as error:
        raise BuildError(
            f"The cache folder {cached.parent} cannot be written ({error.strerror}): set "
            f"XDG_CACHE_HOME to a folder that can, {_OR_OVERRIDE}."
        ) from error
    with folder:
        downloaded = _download(pin, Path(folder.name))
        # Replacing is atomic: two builds at once each leave a whole file here.
        downloaded.replace(cached)
    return cached


def cache_directory() -> Path:
    """Return the folder that keeps downloaded wheels between builds."""
    root = os.environ.get("XDG_CACHE_HOME")
    # The specification tells to ignore a relative path.
    base = Path(root) if root and Path(root).is_absolute() else Path.home() / ".cache"
    return base / "nocopy"


def _download(pin: WheelPin, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check"]
    command += ["--progress-bar=off", "--only-binary=:all:", "--platform", pin.tag]
    command += ["--implementation", "cp", "--python-version", "3.11", "--abi", "cp311"]
    command += ["--dest", str(folder), f"executorch=={VERSION}"]
    print(f"nocopy: getting executorch {VERSION} for {pin.tag}, once", file=sys.stderr, flush=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
        if "No module named pip" in done.stderr:
            what = f"{sys.executable} has no pip: install it there"
        else:
            said = errors[-1].removeprefix("ERROR: ") if errors else done.stderr.strip()[-300:]
            what = (
                f"pip found no executorch {VERSION} for {pin.tag} (it says: {said}): configure an "
                f"index that has it (PIP_INDEX_URL, or index-url in pip's configuration)"
            )
        raise BuildError(f"{what}, {_OR_OVERRIDE}.")
    wheels = sorted(folder.glob("*.whl"))
    for wheel in wheels:
        if _sha256(wheel) == pin.sha256:
            return wheel
    names = " and ".join(f"{wheel.name} with sha256 {_sha256(wheel)}" for wheel in wheels)
    raise BuildError(
        f"pip fetched {names or 'no wheel'}, but nocopy is built from {pin.file_name} with sha256 "
        f"{pin.sha256}: configure an index that has that file (PIP_INDEX_URL), {_OR_OVERRIDE}."
    )


def unpack(wheel: Path, destination: Path) -> Path:
    """Unpack libraries, headers, version and licences of a wheel; return its folder ``executorch``.

    Files get the times they have in the wheel, so that unpacking again rebuilds nothing.
    """
    wanted = re.compile(
        r"executorch/(lib|include)/|executorch/version\.py$|[^/]*dist-info/.*LICENSE"
    )
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                if wanted.match(member.filename) and not member.is_dir():
                    written = archive.extract(member, destination)
                    then = time.mktime((*member.date_time, 0, 0, -1))
                    os.utime(written, (then, then))
    except zipfile.BadZipFile as error:
        raise BuildError(
            f"{wheel} is not a wheel ({error}): set {OVERRIDE} to an executorch {VERSION} wheel or "
            f"to its unpacked folder, or unset it to let pip fetch the wheel."
        ) from error
    return destination / "executorch"


def _check_override(root: Path, pin: WheelPin, override: str) -> None:
    advice = f"set it to an executorch {VERSION} wheel for {pin.tag} or to its unpacked folder."
    version_file = root / "version.py"
    found = re.search(r"__version__ = .([0-9.]+)", _text_of(version_file))
    if found is None:
        raise BuildError(f"{OVERRIDE} is {override}, which holds no executorch package: {advice}")
    if found[1] != VERSION:
        raise BuildError(f"{OVERRIDE} is {override}, which is executorch {found[1]}: {advice}")
    library = root / "lib" / f"libexecutorch{pin.suffix}"
    if not library.is_file() or not (root / "include" / "executorch").is_dir():
        raise BuildError(
            f"{OVERRIDE} is {override}, which lacks lib/{library.name} or its headers: {advice}"
        )
    expected = _ELF_MACHINE.get(platform.machine()) if pin.suffix == ".so" else None
    if expected is not None:
        with library.open("rb") as file:
            machine = int.from_bytes(file.read(20)[18:20], "little")
        if machine != expected:
            raise BuildError(
                f"{OVERRIDE} is {override}, whose libraries are for another processor: {advice}"
            )


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def main() -> int:
    """Unpack the wheel and print the folder for ``NOCOPY_EXECUTORCH_ROOT``."""
    default = Path(__file__).resolve().parent.parent / "build" / f"executorch-{VERSION}"
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--to", type=Path, default=default, help="where to unpack (%(default)s)")
    try:
        print(prepare_runtime(parser.parse_args().to))
    except BuildError as error:
        print(f"nocopy: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
