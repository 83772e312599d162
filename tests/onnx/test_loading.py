"""Who owns what was loaded: each way of loading, seen from outside."""

from __future__ import annotations

import gc
import io
import mmap
import os
import sys
from pathlib import Path
from typing import Any

import nocopy.onnx
import numpy as np
import pytest
from children import run_python
from nocopy import _core
from onnx_models import (
    external_tensor,
    model_with,
    numbers,
    save_external,
    write_model,
)

import onnx

COUNT = 4096  # float32 values: well above every threshold


def address(tensor: Any) -> int:
    """Return where a tensor's bytes are."""
    return np.frombuffer(_core.onnx_raw_data(tensor), np.uint8).ctypes.data


def is_borrowed(tensor: Any) -> bool:
    return _core.onnx_raw_data(tensor).readonly


def mappings_of(path: Path) -> list[tuple[int, int]]:
    """Return the address ranges where a file is mapped, all of them read-only."""
    found = []
    with Path("/proc/self/maps").open() as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and fields[5].rstrip("\n").split(" (deleted)")[0] == str(path):
                assert fields[1] == "r--p"
                first, last = fields[0].split("-")
                found.append((int(first, 16), int(last, 16)))
    return found


def lies_in(tensor: Any, ranges: list[tuple[int, int]]) -> bool:
    return any(first <= address(tensor) < last for first, last in ranges)


def values(tensor: Any) -> list[float]:
    return np.frombuffer(tensor.raw_data, np.float32).tolist()


@pytest.fixture
def single(tmp_path: Path) -> Path:
    """Two large tensors and one below the threshold, in the model itself."""
    path = tmp_path.resolve() / "single.onnx"
    onnx.save(model_with(numbers(COUNT), numbers(3, 7), numbers(COUNT, COUNT)), path)
    return path


@pytest.fixture
def external(tmp_path: Path) -> Path:
    """The same, in a file beside the model."""
    path = tmp_path.resolve() / "external.onnx"
    save_external(model_with(numbers(COUNT), numbers(3, 7), numbers(COUNT, COUNT)), path)
    return path


def assert_has_all(model: Any) -> None:
    w0, w1, w2 = model.graph.initializer
    assert values(w0) == numbers(COUNT).tolist()
    assert values(w1) == numbers(3, 7).tolist()
    assert values(w2) == numbers(COUNT, COUNT).tolist()


# The table of loading scenarios.


def test_load_single_file_when_copying_then_tensors_own_and_nothing_is_mapped(
    single: Path,
) -> None:
    model = nocopy.onnx.load(single)
    assert_has_all(model)
    assert not any(is_borrowed(tensor) for tensor in model.graph.initializer)
    assert mappings_of(single) == []


def test_load_single_file_when_no_copy_then_large_tensors_borrow_from_one_mapping(
    single: Path,
) -> None:
    model = nocopy.onnx.load(single, no_copy=True)
    assert_has_all(model)
    mapped = mappings_of(single)
    assert len(mapped) == 1
    w0, w1, w2 = model.graph.initializer
    assert [is_borrowed(t) for t in (w0, w1, w2)] == [True, False, True]
    assert lies_in(w0, mapped)
    assert lies_in(w2, mapped)
    assert not lies_in(w1, mapped)


def test_load_bytes_when_copying_then_tensors_own_and_the_bytes_are_not_held(
    single: Path,
) -> None:
    data = single.read_bytes()
    before = sys.getrefcount(data)
    model = nocopy.onnx.load(data, no_copy=False)
    assert sys.getrefcount(data) == before
    assert not any(is_borrowed(tensor) for tensor in model.graph.initializer)
    assert_has_all(model)


def test_load_bytes_when_no_copy_then_the_model_holds_the_bytes_until_it_goes(
    single: Path,
) -> None:
    data = single.read_bytes()
    before = sys.getrefcount(data)
    model = nocopy.onnx.load(data, no_copy=True)
    assert sys.getrefcount(data) > before
    start = np.frombuffer(data, np.uint8).ctypes.data
    w0, w1, w2 = model.graph.initializer
    assert start <= address(w0) < start + len(data)
    assert start <= address(w2) < start + len(data)
    assert not is_borrowed(w1)
    del w0, w1, w2, model
    assert sys.getrefcount(data) == before


def test_load_bytes_when_no_copy_and_the_bytes_are_dropped_then_the_model_has_them(
    single: Path,
) -> None:
    model = nocopy.onnx.load(single.read_bytes(), no_copy=True)
    gc.collect()
    assert_has_all(model)


def test_load_external_when_copying_then_tensors_own_and_nothing_is_mapped(
    external: Path,
) -> None:
    model = nocopy.onnx.load(external)
    assert_has_all(model)
    assert not any(is_borrowed(tensor) for tensor in model.graph.initializer)
    assert mappings_of(external.with_name("weights.bin")) == []


def test_load_external_when_no_copy_then_all_tensors_borrow_from_one_mapping(
    external: Path,
) -> None:
    model = nocopy.onnx.load(external, no_copy=True)
    assert_has_all(model)
    mapped = mappings_of(external.with_name("weights.bin"))
    assert len(mapped) == 1
    assert all(lies_in(tensor, mapped) for tensor in model.graph.initializer)
    assert all(is_borrowed(tensor) for tensor in model.graph.initializer)


def test_load_external_when_not_asked_to_then_tensors_say_where_their_data_is(
    external: Path,
) -> None:
    model = nocopy.onnx.load(external, load_external_data=False)
    theirs = onnx.load(external, load_external_data=False)
    assert model.SerializeToString() == theirs.SerializeToString()
    assert model.graph.initializer[0].data_location == nocopy.onnx.TensorProto.EXTERNAL


# When memory is released, and what moving and copying do.


def test_mapping_when_the_model_goes_then_lasts_until_the_last_tensor_goes(
    external: Path,
) -> None:
    weights = external.with_name("weights.bin")
    model = nocopy.onnx.load(external, no_copy=True)
    kept = model.graph.initializer[2]
    copied = nocopy.onnx.TensorProto()
    copied.CopyFrom(kept)
    del model
    gc.collect()
    assert len(mappings_of(weights)) == 1
    del kept
    assert lies_in(copied, mappings_of(weights))
    assert values(copied) == numbers(COUNT, COUNT).tolist()
    del copied
    assert mappings_of(weights) == []


def test_mapping_when_raw_data_is_overwritten_or_cleared_then_goes(external: Path) -> None:
    weights = external.with_name("weights.bin")
    model = nocopy.onnx.load(external, no_copy=True)
    w0, w1, w2 = model.graph.initializer
    w0.raw_data = b"other"
    w1.ClearField("raw_data")
    assert len(mappings_of(weights)) == 1
    w2.Clear()
    assert mappings_of(weights) == []


def test_mapping_when_the_files_are_deleted_then_stays(external: Path) -> None:
    model = nocopy.onnx.load(external, no_copy=True)
    external.with_name("weights.bin").unlink()
    external.unlink()
    assert_has_all(model)


def test_borrowed_tensor_when_changed_then_the_file_is_not(external: Path) -> None:
    weights = external.with_name("weights.bin")
    before = weights.read_bytes()
    model = nocopy.onnx.load(external, no_copy=True)
    model.graph.initializer[0].raw_data = b"\xff" * 4 * COUNT
    array = np.frombuffer(_core.onnx_raw_data(model.graph.initializer[2]), np.uint8)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    assert weights.read_bytes() == before


def test_bytearray_when_lent_then_cannot_be_resized_until_the_model_goes(single: Path) -> None:
    data = bytearray(single.read_bytes())
    model = nocopy.onnx.ModelProto()
    size = model.ParseFromString(data, nocopy.onnx.ParseOptions(no_copy=True))
    assert size == len(data)
    with pytest.raises(BufferError):
        data.append(0)
    assert_has_all(model)
    model.Clear()
    data.append(0)


@pytest.mark.parametrize("method", ["ParseFromString", "MergeFromString"])
def test_parse_methods_when_given_options_then_borrow(single: Path, method: str) -> None:
    data = single.read_bytes()
    model = nocopy.onnx.ModelProto()
    getattr(model, method)(data, options=nocopy.onnx.ParseOptions(no_copy=True))
    assert is_borrowed(model.graph.initializer[0])
    assert_has_all(model)


def test_from_string_when_the_threshold_is_zero_then_borrows_every_tensor(single: Path) -> None:
    options = nocopy.onnx.ParseOptions(no_copy=True, raw_data_threshold=0)
    data = single.read_bytes()
    for model in (
        nocopy.onnx.ModelProto.FromString(data, options),
        nocopy.onnx.load_from_string(data, options=options),
        nocopy.onnx.load(io.BytesIO(data), options=options),
    ):
        assert all(is_borrowed(tensor) for tensor in model.graph.initializer)
        assert_has_all(model)


def test_mmap_when_no_copy_then_is_borrowed_and_cannot_be_closed_meanwhile(single: Path) -> None:
    with single.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        model = nocopy.onnx.load(mapped, no_copy=True)
        assert_has_all(model)
        assert is_borrowed(model.graph.initializer[0])
        with pytest.raises(BufferError):
            mapped.close()
        del model


def test_parse_when_options_are_not_options_then_says_so() -> None:
    with pytest.raises(TypeError, match="ParseOptions"):
        nocopy.onnx.ModelProto().ParseFromString(b"", {"no_copy": True})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="options=None"):
        nocopy.onnx.ModelProto().ParseFromString(b"", no_copy=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="ParseOptions"):
        nocopy.onnx.load(b"", options=nocopy.onnx.TensorBufferOptions())  # type: ignore[arg-type]


def test_load_when_options_and_arguments_are_given_then_arguments_win(single: Path) -> None:
    options = nocopy.onnx.ParseOptions(no_copy=True)
    assert not is_borrowed(
        nocopy.onnx.load(single, no_copy=False, options=options).graph.initializer[0]
    )
    assert options.no_copy is True


# What is loaded.


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("no_copy", [False, True])
def test_external_data_when_loaded_then_the_message_is_what_onnx_makes_of_it(
    external: Path, threads: int, no_copy: bool
) -> None:
    ours = nocopy.onnx.load(external, no_copy=no_copy, num_threads=threads)
    assert ours.SerializeToString() == onnx.load(external).SerializeToString()
    assert ours.graph.initializer[0].HasField("data_location")


def test_external_data_when_in_a_file_for_each_tensor_then_all_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    model = model_with(*(numbers(300, 300 * i) for i in range(40)))
    onnx.save(
        model,
        path,
        save_as_external_data=True,
        all_tensors_to_one_file=False,
        size_threshold=0,
    )
    assert len(list(tmp_path.iterdir())) == 41
    for no_copy in (False, True):
        ours = nocopy.onnx.load(path, no_copy=no_copy, num_threads=3)
        assert ours.SerializeToString() == onnx.load(path).SerializeToString()


def test_external_data_when_a_tensor_is_larger_than_a_piece_then_threads_share_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "model.onnx"
    save_external(model_with(numbers(7_000_001), numbers(3), numbers(5_000_000, 9)), path)
    ours = nocopy.onnx.load(path, num_threads=2)
    w0, w1, w2 = ours.graph.initializer
    assert np.array_equal(np.frombuffer(w0.raw_data, np.float32), numbers(7_000_001))
    assert values(w1) == [0, 1, 2]
    assert np.array_equal(np.frombuffer(w2.raw_data, np.float32), numbers(5_000_000, 9))


def every_place(entries: list[tuple[str, str]]) -> onnx.ModelProto:
    """Return a model with an external tensor in each place that can hold a tensor."""
    names = iter(range(100))

    def tensor() -> onnx.TensorProto:
        index = next(names)
        return external_tensor(
            f"t{index}", 2, [*entries, ("offset", str(8 * index)), ("length", "8")]
        )

    def sparse() -> onnx.SparseTensorProto:
        return onnx.SparseTensorProto(values=tensor(), indices=tensor(), dims=[4])

    def graph(depth: int) -> onnx.GraphProto:
        attributes = [
            onnx.AttributeProto(name="t", type=onnx.AttributeProto.TENSOR, t=tensor()),
            onnx.AttributeProto(
                name="ts", type=onnx.AttributeProto.TENSORS, tensors=[tensor(), tensor()]
            ),
            onnx.AttributeProto(
                name="s", type=onnx.AttributeProto.SPARSE_TENSOR, sparse_tensor=sparse()
            ),
            onnx.AttributeProto(
                name="ss", type=onnx.AttributeProto.SPARSE_TENSORS, sparse_tensors=[sparse()]
            ),
        ]
        if depth:
            attributes += [
                onnx.AttributeProto(name="g", type=onnx.AttributeProto.GRAPH, g=graph(depth - 1)),
                onnx.AttributeProto(
                    name="gs", type=onnx.AttributeProto.GRAPHS, graphs=[graph(depth - 1)]
                ),
            ]
        return onnx.GraphProto(
            name=f"g{next(names)}",
            node=[onnx.NodeProto(op_type="X", attribute=attributes)],
            initializer=[tensor()],
            sparse_initializer=[sparse()],
        )

    return onnx.ModelProto(
        ir_version=10,
        graph=graph(1),
        functions=[
            onnx.FunctionProto(
                name="f",
                node=[
                    onnx.NodeProto(
                        op_type="X", attribute=[onnx.AttributeProto(name="t", t=tensor())]
                    )
                ],
            )
        ],
        training_info=[onnx.TrainingInfoProto(initialization=graph(0), algorithm=graph(0))],
    )


@pytest.mark.parametrize("no_copy", [False, True])
def test_external_data_when_in_every_place_that_holds_a_tensor_then_all_are_loaded(
    tmp_path: Path, no_copy: bool
) -> None:
    model = every_place([("location", "all.bin")])
    (tmp_path / "all.bin").write_bytes(numbers(200).tobytes())
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    seen: dict[str, list[float]] = {}
    ours = nocopy.onnx.load(
        tmp_path / "model.onnx",
        no_copy=no_copy,
        raw_data_callback=nocopy.onnx.RawDataCallback(lambda t: seen.update({t.name: values(t)})),
    )
    expected = model.SerializeToString().count(b"all.bin")
    assert len(seen) == expected > 50
    assert all(
        found == [2.0 * int(name[1:]), 2.0 * int(name[1:]) + 1] for name, found in seen.items()
    )
    assert b"all.bin" not in ours.SerializeToString()


def test_external_data_when_offset_and_length_are_missing_then_is_the_whole_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "w.bin").write_bytes(numbers(5).tobytes())
    path = write_model(tmp_path / "m.onnx", external_tensor("w", 5, [("location", "w.bin")]))
    for no_copy in (False, True):
        assert values(nocopy.onnx.load(path, no_copy=no_copy).graph.initializer[0]) == [
            0,
            1,
            2,
            3,
            4,
        ]


def test_external_data_when_empty_then_the_tensor_has_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"")
    path = write_model(
        tmp_path / "m.onnx", external_tensor("w", 0, [("location", "w.bin"), ("length", "0")])
    )
    for no_copy in (False, True):
        tensor = nocopy.onnx.load(path, no_copy=no_copy).graph.initializer[0]
        assert tensor.HasField("raw_data")
        assert tensor.raw_data == b""


def test_external_data_when_ranges_overlap_then_each_tensor_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(numbers(6).tobytes())
    ranges = [(0, 4), (2, 3), (2, 3)]
    path = write_model(
        tmp_path / "m.onnx",
        *(
            external_tensor(
                "w",
                count,
                [("location", "w.bin"), ("offset", str(4 * at)), ("length", str(4 * count))],
            )
            for at, count in ranges
        ),
    )
    for no_copy in (False, True):
        model = nocopy.onnx.load(path, no_copy=no_copy)
        assert [values(t) for t in model.graph.initializer] == [
            [0, 1, 2, 3],
            [2, 3, 4],
            [2, 3, 4],
        ]


def test_external_data_when_one_file_has_two_names_then_is_mapped_once(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    (folder / "sub").mkdir()
    (folder / "w.bin").write_bytes(numbers(2 * COUNT).tobytes())
    path = write_model(
        folder / "m.onnx",
        *(
            external_tensor("w", 2 * COUNT, [("location", location)])
            for location in ("w.bin", "./w.bin", "sub/../w.bin")
        ),
    )
    model = nocopy.onnx.load(path, no_copy=True)
    assert len({address(tensor) for tensor in model.graph.initializer}) == 1
    assert len(mappings_of(folder / "w.bin")) == 1


# Where it is.


def test_location_when_a_file_then_takes_the_place_of_the_models_own(external: Path) -> None:
    moved = external.with_name("moved")
    moved.mkdir()
    external.with_name("weights.bin").rename(moved / "other.bin")
    with pytest.raises(nocopy.errors.ExternalDataError, match=r"weights\.bin"):
        nocopy.onnx.load(external)
    assert_has_all(nocopy.onnx.load(external, location=moved / "other.bin"))
    assert_has_all(
        nocopy.onnx.load(external.read_bytes(), location=moved / "other.bin", no_copy=True)
    )


def test_location_when_a_folder_then_the_models_own_are_looked_up_there(external: Path) -> None:
    moved = external.with_name("moved")
    moved.mkdir()
    external.with_name("weights.bin").rename(moved / "weights.bin")
    assert_has_all(nocopy.onnx.load(external, location=moved))
    assert_has_all(nocopy.onnx.load(external.read_bytes(), location=str(moved)))


def test_location_when_a_file_and_the_model_has_several_then_asks_for_a_folder(
    tmp_path: Path,
) -> None:
    path = write_model(
        tmp_path / "m.onnx",
        external_tensor("a", 1, [("location", "a.bin")]),
        external_tensor("b", 1, [("location", "b.bin")]),
    )
    (tmp_path / "c.bin").write_bytes(b"1234")
    with pytest.raises(nocopy.errors.ExternalDataError, match="folder"):
        nocopy.onnx.load(path, location=tmp_path / "c.bin")


def test_open_file_when_loaded_then_external_data_is_looked_up_beside_its_name(
    external: Path,
) -> None:
    for name in (str(external), os.fsencode(external)):
        with open(name, "rb") as file:  # noqa: PTH123  # a Path cannot be made of bytes
            assert_has_all(nocopy.onnx.load(file))


def test_bytes_when_loaded_without_a_location_then_external_tensors_stay_as_they_are(
    external: Path,
) -> None:
    model = nocopy.onnx.load(external.read_bytes())
    assert model.graph.initializer[0].data_location == nocopy.onnx.TensorProto.EXTERNAL


def test_path_when_relative_then_is_loaded(external: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(external.parent)
    assert_has_all(nocopy.onnx.load("external.onnx"))
    assert_has_all(nocopy.onnx.load_model("external.onnx", None, True))


def test_path_when_its_name_is_not_text_then_is_loaded(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/m\xff.onnx"
    onnx.save(model_with(numbers(COUNT), numbers(3, 7), numbers(COUNT, COUNT)), os.fsdecode(path))
    assert_has_all(nocopy.onnx.load(os.fsdecode(path)))


def test_model_hub_cache_when_model_and_data_are_links_into_one_folder_then_loads(
    external: Path,
) -> None:
    hub = external.with_name("hub")
    blobs, snapshot = hub / "blobs", hub / "snapshots" / "0a1b" / "onnx"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    external.rename(blobs / "aaaa")
    external.with_name("weights.bin").rename(blobs / "bbbb")
    (snapshot / "model.onnx").symlink_to("../../../blobs/aaaa")
    (snapshot / "weights.bin").symlink_to("../../../blobs/bbbb")
    for no_copy in (False, True):
        assert_has_all(nocopy.onnx.load(snapshot / "model.onnx", no_copy=no_copy))


# Other formats, and data that is loaded later.


@pytest.mark.parametrize("no_copy", [False, True])
def test_text_when_loaded_then_is_the_model_with_its_external_data(
    external: Path, no_copy: bool
) -> None:
    path = external.with_suffix(".textproto")
    onnx.save(onnx.load(external, load_external_data=False), path)
    assert_has_all(nocopy.onnx.load(path, no_copy=no_copy))
    assert_has_all(nocopy.onnx.load(path.rename(external.with_suffix(".txt")), "textproto"))
    again = nocopy.onnx.load_from_string(external.with_suffix(".txt").read_bytes(), "textproto")
    assert again == nocopy.onnx.load(external, load_external_data=False)


def test_format_when_not_known_then_says_which_are(external: Path) -> None:
    with pytest.raises(ValueError, match="textproto"):
        nocopy.onnx.load(external, "onnxtxt")
    with pytest.raises(ValueError, match="textproto"):
        nocopy.onnx.load(external.with_suffix(".json"))


@pytest.mark.parametrize("no_copy", [False, True])
def test_external_data_when_loaded_later_then_is_as_when_loaded_at_once(
    external: Path, no_copy: bool
) -> None:
    model = nocopy.onnx.load(external, load_external_data=False)
    held = model.graph.initializer[0]
    entries = held.external_data
    moved = external.with_name("moved")
    moved.mkdir()
    external.with_name("weights.bin").rename(moved / "weights.bin")
    options = nocopy.onnx.ParseOptions(no_copy=no_copy)
    nocopy.onnx.load_external_data_for_model(model, moved, options)
    assert_has_all(model)
    assert is_borrowed(held) is no_copy
    assert len(entries) == 0
    assert options.location is None
    with pytest.raises(TypeError, match="message"):
        nocopy.onnx.load_external_data_for_model(b"", moved)  # type: ignore[arg-type]


# What must not dangle, in processes of their own.


@pytest.mark.parametrize("name", ["external", "single"])
def test_external_data_when_loaded_then_outlives_the_load(
    name: str, request: pytest.FixtureRequest
) -> None:
    path = request.getfixturevalue(name)
    child = run_python(
        """
import nocopy.onnx
tensor = nocopy.onnx.load(argv[0], no_copy=True).graph.initializer[2]
report(len(tensor.raw_data))
""",
        path,
    ).check()
    assert child.reports == [4 * COUNT]


def test_bytes_when_loaded_with_a_location_then_are_held(single: Path) -> None:
    data = single.read_bytes()
    before = sys.getrefcount(data)
    model = nocopy.onnx.load(data, location=single.parent, no_copy=True)
    assert sys.getrefcount(data) > before
    assert_has_all(model)
    del model
    assert sys.getrefcount(data) == before
