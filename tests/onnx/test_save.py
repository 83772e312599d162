"""Saving: files that others read, what is there after a failure, a model that does not change."""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nocopy.onnx
import numpy as np
import onnx.numpy_helper
import onnx.parser
import pytest
from children import run_python
from nocopy.errors import ExternalDataError
from nocopy.onnx import ParseOptions, SerializeOptions

import onnx

CHAIN = """
<ir_version: 10, opset_import: ["" : 20]>
chain (float[N, 8] x) => (float[N, 8] y) {
  a = MatMul(x, w0)
  b = Add(a, w1)
  y = MatMul(b, w2)
}
"""
WEIGHTS = {"w0": (8, 24), "w1": (24,), "w2": (24, 8)}


def weight(name: str, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
    shape = WEIGHTS[name]
    values = np.arange(np.prod(shape), dtype=np.float32) / 7 + seed + int(name[1])
    return values.reshape(shape)


def chain(seed: int = 0) -> Any:
    """Make a model with three weights, in our classes."""
    theirs = onnx.parser.parse_model(CHAIN)
    for name in WEIGHTS:
        theirs.graph.initializer.append(onnx.numpy_helper.from_array(weight(name, seed), name))
    theirs.graph.name = f"chain {seed}"
    return nocopy.onnx.ModelProto.FromString(theirs.SerializeToString())


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def assert_is_chain(path: Path, seed: int = 0) -> None:
    """Read a model with the onnx package and compare its weights."""
    theirs = onnx.load(path)
    assert theirs.graph.name == f"chain {seed}"
    for tensor in theirs.graph.initializer:
        assert np.array_equal(onnx.numpy_helper.to_array(tensor), weight(tensor.name, seed))


def entries(tensor: Any) -> dict[str, str]:
    return {entry.key: entry.value for entry in tensor.external_data}


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        ({}, {"m.onnx"}),
        ({"save_as_external_data": True, "size_threshold": 0}, {"m.onnx", "m.onnx.data"}),
        ({"save_as_external_data": True, "location": "w", "size_threshold": 97}, {"m.onnx", "w"}),
        (
            {
                "save_as_external_data": True,
                "all_tensors_to_one_file": False,
                "size_threshold": 97,
            },
            {"m.onnx", "w0", "w2"},
        ),
        ({"options": SerializeOptions(location="w", alignment=4096)}, {"m.onnx", "w"}),
        (
            {"options": SerializeOptions(location="w", max_external_file_size=800)},
            {"m.onnx", "w", "w.1", "w.2"},
        ),
        ({"options": SerializeOptions(file_per_tensor=True)}, {"m.onnx", "w0", "w1", "w2"}),
    ],
    ids=["inline", "default", "location", "each", "aligned", "several", "options each"],
)
def test_model_when_saved_then_onnx_and_onnxruntime_read_it(
    tmp_path: Path, arguments: dict[str, Any], files: set[str]
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    model = chain()
    before = model.SerializeToString()
    nocopy.onnx.save(model, tmp_path / "m.onnx", **arguments)
    assert model.SerializeToString() == before
    assert names(tmp_path) == files
    assert_is_chain(tmp_path / "m.onnx")
    onnx.checker.check_model(str(tmp_path / "m.onnx"))
    x = np.arange(16, dtype=np.float32).reshape(2, 8)
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    expected = (x @ weight("w0") + weight("w1")) @ weight("w2")
    assert np.allclose(session.run(None, {"x": x})[0], expected, rtol=1e-5)


def test_keywords_when_saved_then_take_out_what_onnx_takes_out(tmp_path: Path) -> None:
    model = chain()
    model.graph.node[0].attribute.add(name="t", type="TENSOR").t.raw_data = b"abcd" * 9
    model.functions.add(name="f").node.add().attribute.add(name="t").t.raw_data = b"efgh" * 9
    for convert_attribute, count in ((False, 2), (True, 4)):
        nocopy.onnx.save(
            model,
            tmp_path / "m.onnx",
            save_as_external_data=True,
            size_threshold=100 if not convert_attribute else 36,
            convert_attribute=convert_attribute,
        )
        saved = onnx.load(tmp_path / "m.onnx", load_external_data=False)
        tensors = list(onnx.external_data_helper._get_all_tensors(saved))
        external = [t for t in tensors if onnx.external_data_helper.uses_external_data(t)]
        assert len(external) == count + convert_attribute


def test_offsets_when_saved_by_keywords_then_are_multiples_of_64(tmp_path: Path) -> None:
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0)
    saved = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    offsets = [int(entries(tensor)["offset"]) for tensor in saved.graph.initializer]
    assert len(set(offsets)) == 3
    assert all(offset % 64 == 0 for offset in offsets)
    assert (tmp_path / "m.onnx.data").stat().st_size % 64 == 0


def test_sparse_and_training_tensors_when_options_say_all_then_are_written_out(
    tmp_path: Path,
) -> None:
    model = chain()
    sparse = model.graph.sparse_initializer.add(dims=[100])
    sparse.values.raw_data = bytes(range(80))
    sparse.indices.raw_data = bytes(range(100, 180))
    model.training_info.add().algorithm.initializer.add(raw_data=bytes(range(50, 130)))
    nocopy.onnx.save(model, tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    data = (tmp_path / "w").read_bytes()
    saved = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    found = saved.graph.sparse_initializer[0]
    for tensor, first in (
        (found.values, 0),
        (found.indices, 100),
        (saved.training_info[0].algorithm.initializer[0], 50),
    ):
        at = int(entries(tensor)["offset"])
        assert data[at : at + int(entries(tensor)["length"])] == bytes(range(first, first + 80))
        assert not tensor.HasField("raw_data")


def test_model_when_saved_twice_then_files_are_the_same(tmp_path: Path) -> None:
    def save() -> dict[str, bytes]:
        nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
        return {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    assert save() == save()


def test_other_model_when_saved_over_then_files_are_replaced(tmp_path: Path) -> None:
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    with (tmp_path / "w").open("rb") as old:
        nocopy.onnx.save(chain(2), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
        assert names(tmp_path) == {"m.onnx", "w"}
        assert_is_chain(tmp_path / "m.onnx", 2)
        # Whoever has the old file keeps it.
        assert old.read().startswith(weight("w0", 1).tobytes())
    assert (tmp_path / "w").stat().st_nlink == 1


TO_W = SerializeOptions(location="w")
EACH = SerializeOptions(file_per_tensor=True)


def test_tensors_when_the_models_of_a_folder_have_equal_names_then_each_keeps_its_files(
    tmp_path: Path,
) -> None:
    for _ in range(2):
        for seed, name in enumerate("abc", start=1):
            nocopy.onnx.save(chain(seed), tmp_path / f"{name}.onnx", options=EACH)
        for seed, name in enumerate("abc", start=1):
            assert_is_chain(tmp_path / f"{name}.onnx", seed)
        files = {f"w{k}{end}" for k in range(3) for end in ("", ".1", ".2")}
        assert names(tmp_path) == {"a.onnx", "b.onnx", "c.onnx"} | files


@pytest.mark.parametrize("there", ["no model", "another", "no ONNX", "inline"])
def test_location_when_the_file_of_another_model_is_there_then_it_is_refused(
    tmp_path: Path, there: str
) -> None:
    nocopy.onnx.save(chain(1), tmp_path / "a.onnx", options=TO_W)
    if there == "another":
        nocopy.onnx.save(chain(3), tmp_path / "b.onnx", options=SerializeOptions(location="v"))
    elif there == "no ONNX":
        (tmp_path / "b.onnx").write_bytes(b"no model")
    elif there == "inline":
        nocopy.onnx.save(chain(3), tmp_path / "b.onnx")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ExternalDataError, match=r"cannot go to 'w'.*another location"):
        nocopy.onnx.save(chain(2), tmp_path / "b.onnx", options=TO_W)
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    # Several files: the second is in the way.
    several = SerializeOptions(location="u", max_external_file_size=800)
    (tmp_path / "u.1").write_bytes(b"no weights")
    with pytest.raises(ExternalDataError, match=r"cannot go to 'u\.1'"):
        nocopy.onnx.save(chain(2), tmp_path / "b.onnx", options=several)
    assert before | {"u.1": b"no weights"} == {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    # The same data is nobody's loss.
    nocopy.onnx.save(chain(1), tmp_path / "b.onnx", options=TO_W)
    assert_is_chain(tmp_path / "b.onnx", 1)
    assert_is_chain(tmp_path / "a.onnx", 1)


def test_renamed_model_when_its_old_name_is_saved_to_then_keeps_its_data(tmp_path: Path) -> None:
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0)
    (tmp_path / "m.onnx").rename(tmp_path / "old.onnx")
    with pytest.raises(ExternalDataError, match=r"'m\.onnx\.data'.*there is no model at"):
        nocopy.onnx.save(
            chain(2), tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0
        )
    assert_is_chain(tmp_path / "old.onnx", 1)


def test_own_file_when_the_old_model_spells_it_in_another_way_then_it_is_replaced(
    tmp_path: Path,
) -> None:
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", options=TO_W)
    model = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    for tensor in model.graph.initializer:
        tensor.external_data[0].value = "./w"
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    nocopy.onnx.save(chain(2), tmp_path / "m.onnx", options=TO_W)
    assert_is_chain(tmp_path / "m.onnx", 2)


LAYOUTS = {"inline": None, "external": SerializeOptions(location="w", raw_data_threshold=0)}


@pytest.mark.parametrize("before", LAYOUTS)
@pytest.mark.parametrize("after", LAYOUTS)
@pytest.mark.parametrize("same", [True, False], ids=["same data", "other data"])
def test_model_when_saved_over_the_files_it_is_mapped_from_then_both_are_valid(
    tmp_path: Path, before: str, after: str, same: bool
) -> None:
    path = tmp_path / "m.onnx"
    nocopy.onnx.save(chain(1), path, options=LAYOUTS[before])
    model = nocopy.onnx.load(path, no_copy=True, options=ParseOptions(raw_data_threshold=0))
    model.graph.name = "chain 2"
    if not same:
        model.graph.initializer[0].raw_data = (weight("w0", 1) * 2).tobytes()
    expected = [t.raw_data for t in model.graph.initializer]
    nocopy.onnx.save(model, path, options=LAYOUTS[after])
    assert [t.raw_data for t in model.graph.initializer] == expected
    saved = onnx.load(path)
    assert saved.graph.name == "chain 2"
    assert [t.raw_data for t in saved.graph.initializer] == expected
    assert names(tmp_path) == {"m.onnx"} | ({"w"} if "external" in (before, after) else set())


def test_data_file_when_it_is_as_it_should_be_then_is_not_written(tmp_path: Path) -> None:
    options = SerializeOptions(location="w", alignment=512)
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", options=options)
    first = (tmp_path / "w").stat()
    model = nocopy.onnx.load(tmp_path / "m.onnx", no_copy=True)
    model.graph.name = "chain 2"
    nocopy.onnx.save(model, tmp_path / "m.onnx", options=options)
    second = (tmp_path / "w").stat()
    assert (first.st_ino, first.st_mtime_ns) == (second.st_ino, second.st_mtime_ns)
    with (tmp_path / "w").open("r+b") as data:  # a gap that is not zeros
        data.seek(-1, os.SEEK_END)
        data.write(b"x")
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", options=options)
    assert (tmp_path / "w").stat().st_ino != first.st_ino
    assert_is_chain(tmp_path / "m.onnx", 1)


def test_permissions_when_saved_over_then_stay(tmp_path: Path) -> None:
    options = SerializeOptions(location="w")
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", options=options)
    (tmp_path / "w").chmod(0o640)
    (tmp_path / "m.onnx").chmod(0o600)
    nocopy.onnx.save(chain(2), tmp_path / "m.onnx", options=options)
    assert (tmp_path / "w").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "m.onnx").stat().st_mode & 0o777 == 0o600


def test_link_when_saved_over_without_data_files_then_leads_to_the_new_model(
    tmp_path: Path,
) -> None:
    (tmp_path / "blobs").mkdir()
    nocopy.onnx.save(chain(1), tmp_path / "blobs" / "m.onnx")
    (tmp_path / "m.onnx").symlink_to("blobs/m.onnx")
    nocopy.onnx.save(chain(2), tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").is_symlink()
    assert_is_chain(tmp_path / "blobs" / "m.onnx", 2)


def test_links_when_saved_over_with_data_files_then_what_they_lead_to_stays(
    tmp_path: Path,
) -> None:
    blobs = tmp_path / "blobs"
    snapshot = tmp_path / "snapshot"
    blobs.mkdir()
    snapshot.mkdir()
    nocopy.onnx.save(chain(1), blobs / "m.onnx", options=SerializeOptions(location="w"))
    for name in ("m.onnx", "w"):
        (snapshot / name).symlink_to(blobs / name)
    nocopy.onnx.save(chain(2), snapshot / "m.onnx", options=SerializeOptions(location="w"))
    assert not (snapshot / "m.onnx").is_symlink()
    assert not (snapshot / "w").is_symlink()
    assert_is_chain(snapshot / "m.onnx", 2)
    assert_is_chain(blobs / "m.onnx", 1)


FULL = """
import resource, signal
import nocopy.onnx
from nocopy.onnx import SerializeOptions
model = nocopy.onnx.load(argv[0])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
errors = []
for options in (None, SerializeOptions(location="w"), SerializeOptions(location="v")):
    try:
        nocopy.onnx.save(model, argv[1], options=options)
    except OSError as error:
        errors.append(error.errno)
report(errors)
"""


def test_files_when_the_disk_is_full_then_old_ones_stay_and_no_others(tmp_path: Path) -> None:
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    other = tmp_path / "other"
    other.mkdir()
    nocopy.onnx.save(chain(2), other / "m.onnx")
    child = run_python(FULL, other / "m.onnx", tmp_path / "m.onnx").check()
    assert child.reports == [[errno.EFBIG] * 3]
    assert names(tmp_path) == {"m.onnx", "w", "other"}
    assert_is_chain(tmp_path / "m.onnx", 1)


KILLED = """
import os, signal, threading, time
import nocopy.onnx
from nocopy.onnx import SerializeOptions
model = nocopy.onnx.ModelProto()
data = bytes(64 << 20)
for i in range(8):
    model.graph.initializer.add(raw_data=data[: len(data) - i])
print("@report 1", flush=True)
nocopy.onnx.save(model, argv[0], options=SerializeOptions(location="w"))
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without names are Linux's")
def test_files_when_killed_while_writing_then_old_ones_stay_and_no_others(tmp_path: Path) -> None:
    nocopy.onnx.save(chain(1), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    code = "import sys\nargv = sys.argv[1:]\n" + KILLED
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "m.onnx")], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()
    assert names(tmp_path) == {"m.onnx", "w"}
    assert_is_chain(tmp_path / "m.onnx", 1)


def test_tensors_that_were_not_loaded_when_saved_beside_their_data_then_refer_to_it(
    tmp_path: Path,
) -> None:
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    model = nocopy.onnx.ModelProto.FromString((tmp_path / "m.onnx").read_bytes())
    nocopy.onnx.save(model, tmp_path / "again.onnx")
    assert_is_chain(tmp_path / "again.onnx")


def test_tensors_that_were_not_loaded_when_saved_elsewhere_then_it_is_refused(
    tmp_path: Path,
) -> None:
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    model = nocopy.onnx.ModelProto.FromString((tmp_path / "m.onnx").read_bytes())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(
        ExternalDataError, match="not loaded; tensor 'w0': external data in 'w': cannot open"
    ):
        nocopy.onnx.save(model, elsewhere / "m.onnx")
    assert names(elsewhere) == set()
    options = SerializeOptions(allow_missing_external_data=True)
    nocopy.onnx.save(model, elsewhere / "m.onnx", options=options)
    shutil.copy(tmp_path / "w", elsewhere / "w")
    assert_is_chain(elsewhere / "m.onnx")


def test_tensors_that_were_not_loaded_when_given_raw_data_then_must_not_refer_to_the_file(
    tmp_path: Path,
) -> None:
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    model = nocopy.onnx.load(tmp_path / "m.onnx", load_external_data=False)
    tensor = model.graph.initializer[0]
    tensor.raw_data = weight("w0", seed=5).tobytes()
    for options in (None, SerializeOptions(location="other")):
        with pytest.raises(ExternalDataError, match="also has raw data, which would be lost"):
            nocopy.onnx.save(model, tmp_path / "m.onnx", options=options)
    assert_is_chain(tmp_path / "m.onnx")
    tensor.ClearField("data_location")
    tensor.ClearField("external_data")
    nocopy.onnx.save(model, tmp_path / "m.onnx", options=SerializeOptions(location="other"))
    loaded = onnx.load(tmp_path / "m.onnx").graph.initializer
    assert [each.raw_data for each in loaded] == [
        weight("w0", seed=5).tobytes(),
        weight("w1").tobytes(),
        weight("w2").tobytes(),
    ]


def test_data_file_when_tensors_that_were_not_loaded_need_it_then_is_not_replaced(
    tmp_path: Path,
) -> None:
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    model = nocopy.onnx.ModelProto.FromString((tmp_path / "m.onnx").read_bytes())
    model.graph.initializer.add(name="more", raw_data=bytes(range(100)))
    with pytest.raises(ExternalDataError, match="its file is to be replaced"):
        nocopy.onnx.save(model, tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    assert_is_chain(tmp_path / "m.onnx")


@pytest.mark.parametrize("location", ["/tmp/w", "../w", "a/../../w", "..", "./w", "w/", "\udcff"])
def test_location_when_not_in_the_models_folder_then_it_is_refused(
    tmp_path: Path, location: str
) -> None:
    with pytest.raises(ExternalDataError, match="relative to the model's folder"):
        nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location=location))
    assert names(tmp_path) == set()


def test_location_when_in_a_folder_below_then_data_goes_there(tmp_path: Path) -> None:
    options = SerializeOptions(location="weights/w")
    with pytest.raises(FileNotFoundError):
        nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=options)
    (tmp_path / "weights").mkdir()
    for seed in (1, 2):
        nocopy.onnx.save(chain(seed), tmp_path / "m.onnx", options=options)
        assert names(tmp_path / "weights") == {"w"}
        assert_is_chain(tmp_path / "m.onnx", seed)


@pytest.mark.parametrize(
    ("link", "location", "why"),
    [("../outside", "below/w", "leads to"), (".", "below/m.onnx", "the model's own file")],
    ids=["out", "to the model"],
)
def test_location_when_a_link_leads_where_readers_refuse_it_then_it_is_refused(
    tmp_path: Path, link: str, location: str, why: str
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    (folder / "below").symlink_to(link)
    nocopy.onnx.save(chain(1), folder / "m.onnx")
    with pytest.raises(ExternalDataError, match=why):
        nocopy.onnx.save(chain(2), folder / "m.onnx", options=SerializeOptions(location=location))
    assert names(folder) == {"below", "m.onnx"}
    assert names(tmp_path / "outside") == set()
    assert_is_chain(folder / "m.onnx", 1)


def test_location_when_a_link_stays_inside_then_data_goes_there(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "below").symlink_to("weights")
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location="below/w"))
    assert names(tmp_path / "weights") == {"w"}
    loaded = nocopy.onnx.load(tmp_path / "m.onnx")
    assert loaded.graph.initializer[0].raw_data == weight("w0").tobytes()


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("letter", ["\u00e9", "\u6c34", "\U0001f30a"])
def test_file_when_named_after_a_long_tensor_then_its_name_is_text(
    tmp_path: Path, before: str, letter: str
) -> None:
    model = chain()
    name = before + letter * 150
    model.graph.initializer[0].name = name
    options = SerializeOptions(file_per_tensor=True)
    nocopy.onnx.save(model, tmp_path / "m.onnx", options=options)
    for load in (nocopy.onnx.load, onnx.load):
        tensor = load(tmp_path / "m.onnx").graph.initializer[0]
        assert (tensor.name, tensor.raw_data) == (name, weight("w0").tobytes())
    (long,) = (each for each in names(tmp_path) if len(each) > 40)
    assert name.startswith(long)


def test_model_when_the_file_it_is_mapped_from_was_cut_off_then_is_not_saved(
    tmp_path: Path,
) -> None:
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", options=SerializeOptions(location="w"))
    model = nocopy.onnx.load(tmp_path / "m.onnx", no_copy=True)
    os.truncate(tmp_path / "w", 100)
    for location in (None, "w", "other"):
        with pytest.raises(ExternalDataError, match="cut off"):
            nocopy.onnx.save(
                model, tmp_path / "m.onnx", options=SerializeOptions(location=location)
            )
    assert names(tmp_path) == {"m.onnx", "w"}


def test_pipe_when_saved_to_then_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # and neither would a device be
    for path, options in (("pipe", None), ("m.onnx", SerializeOptions(location="pipe"))):
        with pytest.raises(nocopy.errors.NocopyError, match="not a regular file"):
            nocopy.onnx.save(chain(), tmp_path / path, options=options)
    assert names(tmp_path) == {"pipe"}
    assert (tmp_path / "pipe").is_fifo()


def test_options_that_cannot_be_used_then_errors_say_so(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    with pytest.raises(TypeError, match=r"options must be a nocopy\.onnx\.SerializeOptions"):
        nocopy.onnx.save(chain(), path, options=nocopy.onnx.ParseOptions())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give them alone"):
        nocopy.onnx.save(
            chain(), path, save_as_external_data=True, options=SerializeOptions(location="w")
        )
    with pytest.raises(ValueError, match="needs the model's path"):
        nocopy.onnx.save(chain(), io.BytesIO(), save_as_external_data=True)
    with pytest.raises(ValueError, match="format 'json' is not"):
        nocopy.onnx.save(chain(), tmp_path / "m.json")
    with pytest.raises(ValueError, match="for the format 'protobuf' only"):
        nocopy.onnx.save(chain(), tmp_path / "m.textproto", save_as_external_data=True)
    assert names(tmp_path) == set()


def test_bytes_when_made_with_options_then_are_the_same_and_files_are_refused() -> None:
    model = chain()
    expected = model.SerializeToString()
    assert model.SerializeToString(options=SerializeOptions(alignment=64)) == expected
    for options in (SerializeOptions(location="w"), SerializeOptions(file_per_tensor=True)):
        with pytest.raises(ExternalDataError, match="save the model to a file"):
            model.SerializeToString(options=options)
    with pytest.raises(TypeError, match=r"options must be a nocopy\.onnx\.SerializeOptions"):
        model.SerializeToString(options=ParseOptions())  # type: ignore[arg-type]


def test_bytes_when_saved_then_weights_go_out(tmp_path: Path) -> None:
    nocopy.onnx.save(
        chain().SerializeToString(), tmp_path / "m.onnx", options=SerializeOptions(location="w")
    )
    assert names(tmp_path) == {"m.onnx", "w"}
    assert_is_chain(tmp_path / "m.onnx")


def test_text_when_saved_then_onnx_reads_it(tmp_path: Path) -> None:
    nocopy.onnx.save(chain(), tmp_path / "m.textproto")
    nocopy.onnx.save(chain(), tmp_path / "m.onnx", "textproto")
    stream = io.BytesIO()
    nocopy.onnx.save(chain(), stream, format="textproto")
    assert_is_chain(tmp_path / "m.textproto")
    text = (tmp_path / "m.textproto").read_bytes()
    assert text == (tmp_path / "m.onnx").read_bytes() == stream.getvalue()
