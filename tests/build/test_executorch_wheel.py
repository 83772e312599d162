"""Where the build gets the runtime's libraries from, and what it says when it cannot."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import platform
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import executorch_wheel
import pytest
from executorch_wheel import PINS, BuildError, WheelPin, pin_of_this_platform, prepare_runtime

WheelMaker = Callable[..., Path]
HEADER = "include/executorch/runtime/executor/program.h"


def pin_to(monkeypatch: pytest.MonkeyPatch, wheel: Path) -> WheelPin:
    """Make the pinned hash that of `wheel`."""
    key = (platform.system(), platform.machine())
    pin = dataclasses.replace(PINS[key], sha256=hashlib.sha256(wheel.read_bytes()).hexdigest())
    monkeypatch.setitem(PINS, key, pin)
    return pin


def message_of(destination: Path) -> str:
    with pytest.raises(BuildError) as caught:
        prepare_runtime(destination)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


# Which wheel.


@pytest.mark.parametrize(
    ("system", "machine"),
    [("Windows", "AMD64"), ("Linux", "riscv64"), ("Linux", "armv7l"), ("Darwin", "x86_64")],
)
def test_pin_when_the_platform_has_no_wheel_then_names_it_and_those_that_have(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(
        BuildError, match=rf"built on {system} {machine}: .*x86_64 and aarch64.*arm64"
    ):
        pin_of_this_platform()


@pytest.mark.parametrize(
    ("libc", "said"),
    [
        (("glibc", "2.17"), "with glibc 2.17"),
        (("", ""), "with a C library that is not glibc"),
        (("musl", "1.2.5"), "with musl 1.2.5"),
    ],
)
def test_pin_when_the_c_library_is_too_old_or_another_then_says_so(
    monkeypatch: pytest.MonkeyPatch, libc: tuple[str, str], said: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(platform, "libc_ver", lambda: libc)
    with pytest.raises(BuildError, match=f"x86_64 {said}: .*glibc 2.28 or newer"):
        pin_of_this_platform()


def test_pin_when_macos_is_too_old_then_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("13.6.1", ("", "", ""), "arm64"))
    with pytest.raises(BuildError, match=r"macOS 13\.6\.1: .*macOS 14 or newer"):
        pin_of_this_platform()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_pin_when_glibc_is_new_enough_then_is_the_wheel_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.28"))
    assert pin_of_this_platform().tag == f"manylinux_2_28_{machine}"


# Through pip.


def test_runtime_when_no_index_has_the_wheel_then_says_what_to_set(
    isolated: Path, tmp_path: Path
) -> None:
    message = message_of(tmp_path / "out")
    assert "pip found no executorch 1.5.1 for" in message
    assert "No matching distribution found" in message
    assert "PIP_INDEX_URL" in message
    assert "NOCOPY_EXECUTORCH" in message


def test_runtime_when_the_fetched_wheel_has_another_hash_then_names_both(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker
) -> None:
    wheel = make_wheel(isolated)
    message = message_of(tmp_path / "out")
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() in message
    assert pin_of_this_platform().sha256 in message
    assert "NOCOPY_EXECUTORCH" in message
    assert not list((tmp_path / "cache").rglob("*.whl"))


def test_runtime_when_there_is_no_pip_then_says_where_to_install_it(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    assert f"{bare}/bin/python has no pip: install it there" in message_of(tmp_path / "out")


def test_runtime_when_the_cache_cannot_be_written_then_says_what_to_set(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "a file"
    blocked.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    message = message_of(tmp_path / "out")
    assert f"{blocked}/nocopy cannot be written" in message
    assert "XDG_CACHE_HOME" in message


def test_runtime_when_pip_has_the_pinned_wheel_then_unpacks_only_what_the_build_reads(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin = pin_to(monkeypatch, make_wheel(isolated))
    root = prepare_runtime(tmp_path / "out")
    assert root == tmp_path / "out" / "executorch"
    assert (root / HEADER).read_text() == "// a header\n"
    assert (root / "lib" / f"libexecutorch{pin.suffix}").is_file()
    assert not (root / "exir").exists()


def test_runtime_when_the_wheel_is_cached_then_asks_no_index(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = make_wheel(isolated)
    pin_to(monkeypatch, wheel)
    prepare_runtime(tmp_path / "first")
    wheel.unlink()
    assert (prepare_runtime(tmp_path / "second") / HEADER).is_file()


def test_runtime_when_the_cached_wheel_is_damaged_then_fetches_it_again(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin = pin_to(monkeypatch, make_wheel(isolated))
    cached = executorch_wheel.cache_directory() / pin.file_name
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"half a wheel")
    prepare_runtime(tmp_path / "out")
    assert hashlib.sha256(cached.read_bytes()).hexdigest() == pin.sha256


def test_unpack_when_done_twice_then_changes_no_file_time(
    tmp_path: Path, make_wheel: WheelMaker
) -> None:
    wheel = make_wheel(tmp_path)
    header = executorch_wheel.unpack(wheel, tmp_path / "out") / HEADER
    before = header.stat().st_mtime_ns
    executorch_wheel.unpack(wheel, tmp_path / "out")
    assert header.stat().st_mtime_ns == before


# Given by the user.


@pytest.mark.parametrize("form", ["wheel", "folder", "folder around it"])
def test_runtime_when_given_a_wheel_or_a_folder_then_takes_it_without_pip(
    isolated: Path,
    tmp_path: Path,
    make_wheel: WheelMaker,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
) -> None:
    wheel = make_wheel(tmp_path / "mine")
    unpacked = executorch_wheel.unpack(wheel, tmp_path / "mine")
    given = {"wheel": wheel, "folder": unpacked, "folder around it": unpacked.parent}[form]
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(given))
    root = prepare_runtime(tmp_path / "out")
    assert root == (tmp_path / "out" / "executorch" if form == "wheel" else unpacked)
    assert (root / HEADER).is_file()


def test_runtime_when_the_given_path_does_not_exist_then_says_so(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(tmp_path / "nowhere.whl"))
    assert "nowhere.whl, which does not exist" in message_of(tmp_path / "out")


def test_runtime_when_the_given_path_is_another_file_then_says_so(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "executorch.tar.gz"
    archive.write_bytes(b"something else")
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(archive))
    assert "which is neither a wheel nor a folder" in message_of(tmp_path / "out")


def test_runtime_when_the_given_wheel_is_damaged_then_says_so(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = make_wheel(tmp_path)
    wheel.write_bytes(wheel.read_bytes()[:200])
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(wheel))
    assert "is not a wheel" in message_of(tmp_path / "out")


def test_runtime_when_the_given_wheel_is_of_another_project_then_says_so(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "other-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("other/__init__.py", "")
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(wheel))
    assert "holds no executorch package" in message_of(tmp_path / "out")


def test_runtime_when_the_given_wheel_is_another_version_then_names_both(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(make_wheel(tmp_path, version="1.4.0")))
    message = message_of(tmp_path / "out")
    assert "which is executorch 1.4.0: set it to an executorch 1.5.1 wheel" in message


def test_runtime_when_the_given_wheel_is_for_another_system_then_names_this_one(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(make_wheel(tmp_path, suffix=".dll")))
    message = message_of(tmp_path / "out")
    assert "which lacks lib/libexecutorch" in message
    assert pin_of_this_platform().tag in message


@pytest.mark.skipif(sys.platform != "linux", reason="reads the header of an ELF file")
def test_runtime_when_the_given_wheel_is_for_another_processor_then_names_this_one(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    riscv = 243
    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(make_wheel(tmp_path, machine=riscv)))
    message = message_of(tmp_path / "out")
    assert "libraries are for another processor" in message
    assert pin_of_this_platform().tag in message


# As a script.


def test_script_when_it_fails_then_prints_one_line(isolated: Path, tmp_path: Path) -> None:
    script = Path(executorch_wheel.__file__)
    done = subprocess.run(
        [sys.executable, str(script), "--to", str(tmp_path)],
        env={**os.environ, "NOCOPY_EXECUTORCH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("nocopy: NOCOPY_EXECUTORCH is /nowhere, which does not exist")
    assert done.stderr.count("\n") == 1


def test_script_when_it_can_then_prints_the_folder(
    isolated: Path, tmp_path: Path, make_wheel: WheelMaker
) -> None:
    script = Path(executorch_wheel.__file__)
    done = subprocess.run(
        [sys.executable, str(script), "--to", str(tmp_path / "out")],
        env={**os.environ, "NOCOPY_EXECUTORCH": str(make_wheel(tmp_path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{tmp_path / 'out' / 'executorch'}\n"
