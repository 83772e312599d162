"""External data that is not where it may be or not what it says: refused, and nothing is read."""

from __future__ import annotations

import ctypes
import hashlib
import os
import socket
import struct
from pathlib import Path
from typing import Any

import nocopy.onnx
import numpy as np
import pytest
from nocopy.errors import ExternalDataError
from onnx_models import external_tensor, model_with, numbers, save_external, write_model

import onnx

DATA = numbers(16).tobytes()

both = pytest.mark.parametrize("no_copy", [False, True], ids=["copying", "no_copy"])


class Watched:
    """Counts how often something opens or reads a file, by the kernel's account."""

    IN_ACCESS, IN_OPEN = 0x1, 0x20

    def __init__(self, path: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self._fd >= 0
        mask = self.IN_ACCESS | self.IN_OPEN
        assert libc.inotify_add_watch(self._fd, os.fsencode(path), mask) >= 0

    def events(self) -> int:
        """Return the number of openings and reads since the last call."""
        try:
            found = os.read(self._fd, 65536)
        except BlockingIOError:
            return 0
        count = 0
        while found:
            (length,) = struct.unpack_from("12xI", found)
            found = found[16 + length :]
            count += 1
        return count

    def __del__(self) -> None:
        os.close(self._fd)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for a model; beside it is a folder with a secret of the same size as the data."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.bin").write_bytes(b"S" * len(DATA))
    made = tmp_path / "model"
    made.mkdir()
    return made


@pytest.fixture
def secret(folder: Path) -> Path:
    return folder.parent / "outside" / "secret.bin"


def model_at(folder: Path, location: str, *more: tuple[str, str]) -> Path:
    return write_model(
        folder / "m.onnx", external_tensor("weight", 16, [("location", location), *more])
    )


def refuses(path: Path, *parts: str, no_copy: bool, **options: Any) -> None:
    """Loading fails and says which tensor, and all these parts."""
    with pytest.raises(ExternalDataError) as caught:
        nocopy.onnx.load(path, no_copy=no_copy, **options)
    message = str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert "'weight'" in message
    for part in parts:
        assert part in message, message


def loads_secret(path: Path, **options: Any) -> None:
    model = nocopy.onnx.load(path, **options)
    assert model.graph.initializer[0].raw_data == b"S" * len(DATA)


# Outside of the folder.


@both
def test_location_when_absolute_then_is_refused_unread_unless_allowed(
    folder: Path, secret: Path, no_copy: bool
) -> None:
    watched = Watched(secret)
    path = model_at(folder, str(secret))
    refuses(path, str(secret), "location is absolute", "allow_outside", no_copy=no_copy)
    assert watched.events() == 0
    loads_secret(path, no_copy=no_copy, allow_outside=True)
    assert watched.events() > 0


@both
@pytest.mark.parametrize(
    "location",
    ["../outside/secret.bin", "sub/../../outside/secret.bin", "./.././outside//secret.bin"],
)
def test_location_when_it_climbs_out_then_is_refused_unread_unless_allowed(
    folder: Path, secret: Path, no_copy: bool, location: str
) -> None:
    (folder / "sub").mkdir()
    watched = Watched(secret)
    path = model_at(folder, location)
    refuses(path, location, "climbs out", "allow_outside", no_copy=no_copy)
    assert watched.events() == 0
    loads_secret(path, no_copy=no_copy, allow_outside=True)


@both
def test_location_when_it_climbs_but_stays_inside_then_loads(folder: Path, no_copy: bool) -> None:
    (folder / "sub").mkdir()
    (folder / "w.bin").write_bytes(DATA)
    model = nocopy.onnx.load(model_at(folder, "sub/../w.bin"), no_copy=no_copy)
    assert model.graph.initializer[0].raw_data == DATA


@both
def test_location_when_a_symbolic_link_leads_out_then_is_refused_unread_unless_allowed(
    folder: Path, secret: Path, no_copy: bool
) -> None:
    (folder / "w.bin").symlink_to(secret)
    watched = Watched(secret)
    path = model_at(folder, "w.bin")
    refuses(path, "w.bin", str(secret), "allow_outside", no_copy=no_copy)
    assert watched.events() == 0
    loads_secret(path, no_copy=no_copy, allow_outside=True)


@both
def test_location_when_a_folder_in_it_is_a_link_out_then_is_refused_unread(
    folder: Path, secret: Path, no_copy: bool
) -> None:
    (folder / "sub").symlink_to(secret.parent)
    watched = Watched(secret)
    refuses(model_at(folder, "sub/secret.bin"), str(secret), no_copy=no_copy)
    # sub/.. is the folder that holds both, although the text stays inside.
    refuses(model_at(folder, "sub/../outside/secret.bin"), str(secret), no_copy=no_copy)
    assert watched.events() == 0


@both
def test_location_when_links_stay_inside_then_loads(folder: Path, no_copy: bool) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "w.bin").write_bytes(DATA)
    (folder / "sub").symlink_to("real")
    (folder / "w.bin").symlink_to("sub/w.bin")
    model = nocopy.onnx.load(model_at(folder, "w.bin"), no_copy=no_copy)
    assert model.graph.initializer[0].raw_data == DATA


@both
def test_location_when_a_hard_link_then_is_refused_unread_unless_allowed(
    folder: Path, secret: Path, no_copy: bool
) -> None:
    os.link(secret, folder / "w.bin")
    watched = Watched(secret)
    path = model_at(folder, "w.bin")
    refuses(path, "2 names", "hard links", "allow_outside", no_copy=no_copy)
    assert watched.events() == 0
    loads_secret(path, no_copy=no_copy, allow_outside=True)
    loads_secret(path, no_copy=no_copy, location=folder / "w.bin")


@both
def test_location_when_all_hard_links_are_beside_it_then_loads(folder: Path, no_copy: bool) -> None:
    # As a save that was killed between two names leaves it.
    (folder / "w.bin").write_bytes(DATA)
    os.link(folder / "w.bin", folder / "other.bin")
    model = nocopy.onnx.load(model_at(folder, "w.bin"), no_copy=no_copy)
    assert model.graph.initializer[0].raw_data == DATA


@both
def test_location_when_the_folder_has_the_name_of_the_models_as_its_start_then_is_refused(
    folder: Path, no_copy: bool
) -> None:
    neighbour = folder.with_name("model-of-another")
    neighbour.mkdir()
    (neighbour / "w.bin").write_bytes(DATA)
    (folder / "w.bin").symlink_to(neighbour / "w.bin")
    refuses(model_at(folder, "w.bin"), str(neighbour), no_copy=no_copy)


@both
def test_model_when_a_link_and_its_data_lies_beside_the_link_only_then_is_refused(
    folder: Path, secret: Path, no_copy: bool
) -> None:
    path = model_at(folder, "secret.bin")
    link = secret.with_name("link.onnx")
    link.symlink_to(path)
    refuses(link, str(secret), "where the model lies", no_copy=no_copy)
    loads_secret(link, no_copy=no_copy, location=secret.parent)


@both
def test_model_hub_cache_when_the_data_is_not_among_the_blobs_then_is_refused(
    folder: Path, secret: Path, no_copy: bool
) -> None:
    blobs, snapshot = folder / "blobs", folder / "snapshots"
    blobs.mkdir()
    snapshot.mkdir()
    model_at(blobs, "w.bin").rename(blobs / "aaaa")
    (snapshot / "model.onnx").symlink_to("../blobs/aaaa")
    (snapshot / "w.bin").symlink_to(secret)
    refuses(snapshot / "model.onnx", str(secret), no_copy=no_copy)


# Not a file.


@both
@pytest.mark.parametrize("allow_outside", [False, True])
def test_location_when_not_a_regular_file_then_is_refused_and_nothing_hangs(
    folder: Path, no_copy: bool, allow_outside: bool
) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "directory").mkdir()
    listening = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(folder)
    try:
        listening.bind("socket")
    finally:
        os.chdir(here)
    for location, kind in [("pipe", "pipe"), ("directory", "directory"), ("socket", "socket")]:
        refuses(
            model_at(folder, location),
            f"'{location}'",
            kind,
            "regular file",
            no_copy=no_copy,
            allow_outside=allow_outside,
        )
    listening.close()


@both
def test_location_when_a_device_then_is_refused(folder: Path, no_copy: bool) -> None:
    refuses(model_at(folder, "/dev/zero"), "absolute", no_copy=no_copy)
    refuses(model_at(folder, "/dev/zero"), "device", no_copy=no_copy, allow_outside=True)
    try:
        os.mknod(folder / "zero", 0o20600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("making a device needs more rights")
    refuses(model_at(folder, "zero"), "device", no_copy=no_copy)


@both
def test_location_when_missing_or_looping_then_is_refused(folder: Path, no_copy: bool) -> None:
    (folder / "loop").symlink_to("loop")
    refuses(model_at(folder, "nowhere.bin"), "nowhere.bin", "No such file", no_copy=no_copy)
    refuses(model_at(folder, "m.onnx/w.bin"), "Not a directory", no_copy=no_copy)
    refuses(model_at(folder, "loop"), "loop", no_copy=no_copy)
    refuses(model_at(folder, "x" * 300), "xxx...", no_copy=no_copy)
    refuses(model_at(folder, "nowhere.bin"), "No such file", no_copy=no_copy, allow_outside=True)


def test_model_when_a_pipe_then_is_refused_and_nothing_hangs(folder: Path) -> None:
    os.mkfifo(folder / "m.onnx")
    with pytest.raises(nocopy.errors.DecodeError, match="regular file"):
        nocopy.onnx.load(folder / "m.onnx")


# What the model says.


@both
@pytest.mark.parametrize("key", ["offset", "length"])
@pytest.mark.parametrize(
    "value",
    [
        "-1",
        "-0",
        "+4",
        "",
        " 4",
        "4 ",
        "4.0",
        "0x10",
        "1e3",
        "4\0",
        str(2**63),
        str(2**64),
        "9" * 400,
    ],
)
def test_number_when_it_is_none_then_is_refused(
    folder: Path, no_copy: bool, key: str, value: str
) -> None:
    (folder / "w.bin").write_bytes(DATA)
    refuses(model_at(folder, "w.bin", (key, value)), key, "digits", no_copy=no_copy)


@both
@pytest.mark.parametrize(
    ("offset", "length"),
    [
        (0, 65),
        (1, 64),
        (64, 1),
        (65, 0),
        (2**63 - 1, 1),
        (1, 2**63 - 1),
        (2**63 - 1, 2**63 - 1),
    ],
)
def test_range_when_it_passes_the_end_then_is_refused(
    folder: Path, no_copy: bool, offset: int, length: int
) -> None:
    (folder / "w.bin").write_bytes(DATA)
    path = model_at(folder, "w.bin", ("offset", str(offset)), ("length", str(length)))
    refuses(path, "w.bin", str(offset), "has 64 bytes", no_copy=no_copy)


@both
def test_file_when_shorter_than_the_shape_needs_then_is_refused(
    folder: Path, no_copy: bool
) -> None:
    (folder / "w.bin").write_bytes(DATA[:-1])
    refuses(model_at(folder, "w.bin"), "64 bytes", "63 bytes", no_copy=no_copy)


@both
def test_keys_when_unknown_repeated_or_missing_then_are_refused(
    folder: Path, no_copy: bool
) -> None:
    (folder / "w.bin").write_bytes(DATA)
    refuses(model_at(folder, "w.bin", ("lenght", "4")), "'lenght' is not one of", no_copy=no_copy)
    refuses(model_at(folder, "w.bin", ("__class__", "4")), "'__class__'", no_copy=no_copy)
    refuses(model_at(folder, "w.bin", ("offset", "0"), ("offset", "4")), "once", no_copy=no_copy)
    refuses(model_at(folder, "w.bin", ("location", "w.bin")), "once", no_copy=no_copy)
    refuses(model_at(folder, ""), "no location", no_copy=no_copy)
    refuses(model_at(folder, "w.bin\0"), "null", no_copy=no_copy)
    refuses(
        write_model(folder / "m.onnx", external_tensor("weight", 16, [])),
        "no location",
        no_copy=no_copy,
    )


@both
def test_keys_when_all_are_known_then_loads(folder: Path, no_copy: bool) -> None:
    (folder / "w.bin").write_bytes(b"pad!" + DATA)
    checksum = hashlib.sha1(b"pad!" + DATA).hexdigest()
    for written in (checksum, checksum.upper()):
        path = model_at(
            folder,
            "w.bin",
            ("checksum", written),
            ("basepath", "/ignored"),
            ("length", "064"),
            ("offset", "4"),
        )
        assert nocopy.onnx.load(path, no_copy=no_copy).graph.initializer[0].raw_data == DATA


@both
@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 1_000_003, 3 << 20])
def test_checksum_when_the_file_differs_in_a_bit_then_is_refused(
    folder: Path, no_copy: bool, size: int
) -> None:
    data = bytearray(np.arange(size, dtype=np.uint32).astype(np.uint8).tobytes())
    (folder / "w.bin").write_bytes(data)
    entries = [("location", "w.bin"), ("checksum", hashlib.sha1(data).hexdigest())]
    path = write_model(folder / "m.onnx", external_tensor("weight", 0, entries))
    assert nocopy.onnx.load(path, no_copy=no_copy).graph.initializer[0].raw_data == data
    if data:
        data[size // 2] ^= 1
        (folder / "w.bin").write_bytes(data)
        refuses(path, "SHA-1", hashlib.sha1(data).hexdigest(), no_copy=no_copy)


def test_tensors_when_they_multiply_a_small_file_then_are_refused_unless_they_share_it(
    folder: Path,
) -> None:
    (folder / "w.bin").write_bytes(bytes(16 << 20))
    path = write_model(
        folder / "m.onnx",
        *(external_tensor("weight", 4 << 20, [("location", "w.bin")]) for _ in range(64)),
    )
    refuses(path, "no_copy", no_copy=False)
    assert len(nocopy.onnx.load(path, no_copy=True).graph.initializer) == 64


def test_tensors_when_they_call_a_small_file_by_many_names_then_are_refused_all_the_same(
    folder: Path,
) -> None:
    (folder / "w.bin").write_bytes(bytes(16 << 20))
    path = write_model(
        folder / "m.onnx",
        *(
            external_tensor("weight", 4 << 20, [("location", "./" * i + "w.bin")])
            for i in range(64)
        ),
    )
    refuses(path, "no_copy", no_copy=False)
    assert len(nocopy.onnx.load(path, no_copy=True).graph.initializer) == 64


# Changes meanwhile.


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("change", ["shorter", "written"])
def test_file_when_it_changes_while_it_is_copied_then_is_refused(
    folder: Path, threads: int, change: str
) -> None:
    data = folder / "weights.bin"
    save_external(model_with(numbers(4), numbers(4, 9)), folder / "m.onnx")
    os.utime(data, (1, 1))

    def interfere(tensor: Any, graph: Any) -> None:
        if change == "shorter":
            os.truncate(data, 16)
        else:
            data.write_bytes(data.read_bytes())

    with pytest.raises(ExternalDataError, match="changed"):
        nocopy.onnx.load(folder / "m.onnx", num_threads=threads, raw_data_callback=interfere)


def test_message_when_external_data_is_refused_then_nothing_is_mapped_or_open(
    folder: Path,
) -> None:
    (folder / "good.bin").write_bytes(bytes(1 << 20))
    path = write_model(
        folder / "m.onnx",
        external_tensor("good", 4, [("location", "good.bin"), ("length", "16")]),
        external_tensor("weight", 4, [("location", "bad.bin")]),
    )
    before = len(list(Path("/proc/self/fd").iterdir()))
    refuses(path, "bad.bin", no_copy=True)
    assert "good.bin" not in Path("/proc/self/maps").read_text()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_files_when_there_are_more_than_a_process_may_open_then_all_are_mapped(
    tmp_path: Path,
) -> None:
    count = 1500
    for index in range(count):
        (tmp_path / f"{index}.bin").write_bytes(struct.pack("<f", index))
    path = write_model(
        tmp_path / "m.onnx",
        *(external_tensor(str(i), 1, [("location", f"{i}.bin")]) for i in range(count)),
    )
    model = nocopy.onnx.load(path, no_copy=True)
    assert len(list(Path("/proc/self/fd").iterdir())) < 300
    assert [struct.unpack("<f", t.raw_data)[0] for t in model.graph.initializer] == list(
        range(count)
    )
    assert onnx.load(path).SerializeToString() == model.SerializeToString()
