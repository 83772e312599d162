"""Small executorch wheels, and a build environment that knows no index."""

from __future__ import annotations

import platform
import zipfile
from collections.abc import Callable
from pathlib import Path

import executorch_wheel
import pytest

MACHINE_CODES = {"x86_64": 62, "aarch64": 183}
WheelMaker = Callable[..., Path]


@pytest.fixture
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Hide pip's configuration, the cache and the override; return the only place pip looks."""
    links = tmp_path / "links"
    links.mkdir()
    for name in ("NOCOPY_EXECUTORCH", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return links


@pytest.fixture
def make_wheel() -> WheelMaker:
    """Make a wheel with the few files that the build looks at."""
    pin = executorch_wheel.pin_of_this_platform()

    def make(
        folder: Path,
        *,
        version: str = "1.5.1",
        machine: int | None = None,
        suffix: str = pin.suffix,
    ) -> Path:
        machine = machine or MACHINE_CODES.get(platform.machine(), 0)
        library = b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little") + bytes(range(100))
        info = f"executorch-{version}.dist-info"
        metadata = f"Metadata-Version: 2.1\nName: executorch\nVersion: {version}\n"
        files = {
            f"executorch/lib/libexecutorch{suffix}": library,
            "executorch/include/executorch/runtime/executor/program.h": b"// a header\n",
            "executorch/version.py": f'__version__ = "{version}+cpu"\n'.encode(),
            "executorch/exir/big.py": b"# not needed by the build\n",
            f"{info}/METADATA": metadata.encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n",
            f"{info}/RECORD": b"",
        }
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / pin.file_name.replace("1.5.1", version)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name, (2024, 5, 6, 7, 8, 10)), content)
        return path

    return make
