"""Consolidation: where the bytes are afterwards, who keeps them, and what it takes meanwhile."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import nocopy.onnx
import numpy as np
import pytest
from children import run_python
from nocopy.errors import ExternalDataError
from nocopy.onnx import (
    ParseOptions,
    SerializeOptions,
    TensorBufferOptions,
    consolidate_tensors_to_buffer,
    numpy_helper,
)


def model_of(*sizes: int) -> Any:
    """Make a model whose initializers have these sizes and bytes that are all different."""
    model = nocopy.onnx.ModelProto(ir_version=10)
    for seed, size in enumerate(sizes):
        values = (np.arange(size) * 7 + seed * 31).astype(np.uint8)
        model.graph.initializer.add(
            name=f"w{seed}", data_type=2, dims=[size], raw_data=values.tobytes()
        )
    return model


def address(tensor: Any) -> int:
    return int(numpy_helper.to_array(tensor).ctypes.data)


def test_model_when_consolidated_then_is_equal_and_contiguous() -> None:
    model = model_of(1000, 10, 3000)
    before = model.SerializeToString()
    assert consolidate_tensors_to_buffer(model) is None
    assert model.SerializeToString() == before
    first = address(model.graph.initializer[0])
    assert [address(t) - first for t in model.graph.initializer] == [0, 1000, 1010]


@pytest.mark.parametrize("alignment", [1, 64, 100, 4096, 1 << 21])
def test_tensors_when_aligned_then_start_at_multiples(alignment: int) -> None:
    model = model_of(1000, 10, 3000)
    before = model.SerializeToString()
    consolidate_tensors_to_buffer(model, TensorBufferOptions(alignment=alignment))
    assert model.SerializeToString() == before
    assert all(address(t) % alignment == 0 for t in model.graph.initializer)


def test_tensors_when_below_the_threshold_then_stay_where_they_are() -> None:
    model = model_of(100, 99)
    before = [address(t) for t in model.graph.initializer]
    consolidate_tensors_to_buffer(model, TensorBufferOptions(raw_data_threshold=100))
    after = [address(t) for t in model.graph.initializer]
    assert (after[0] != before[0], after[1] != before[1]) == (True, False)
    consolidate_tensors_to_buffer(model, TensorBufferOptions(raw_data_threshold=101))
    assert [address(t) for t in model.graph.initializer] == after


@pytest.mark.parametrize(
    ("options", "moved"),
    [(None, 3), (ParseOptions(), 1), (SerializeOptions(), 2), (TensorBufferOptions(), 3)],
)
def test_options_when_of_any_class_then_their_threshold_holds(options: Any, moved: int) -> None:
    model = model_of(10, 100, 2000)
    before = [address(t) for t in model.graph.initializer]
    consolidate_tensors_to_buffer(model, options)
    after = [address(t) for t in model.graph.initializer]
    assert [a != b for a, b in zip(after, before, strict=True)] == [False] * (3 - moved) + [
        True
    ] * moved


def test_what_cannot_be_consolidated_then_errors_say_so() -> None:
    with pytest.raises(TypeError, match=r"options must be a nocopy\.onnx\.TensorBufferOptions"):
        consolidate_tensors_to_buffer(model_of(10), {"alignment": 64})  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"expected a nocopy\.onnx\.ModelProto, not nocopy\.onnx\.GraphProto"
    ):
        consolidate_tensors_to_buffer(model_of(10).graph)
    with pytest.raises(TypeError, match=r"expected a nocopy\.onnx\.ModelProto, not str"):
        consolidate_tensors_to_buffer("model.onnx")  # type: ignore[arg-type]


def test_arrays_when_made_before_then_keep_the_old_bytes_and_after_are_read_only() -> None:
    model = model_of(5000)
    tensor = model.graph.initializer[0]
    before = numpy_helper.to_array(tensor)
    copy = before.copy()
    consolidate_tensors_to_buffer(model)
    gc.collect()
    assert np.array_equal(before, copy)
    after = numpy_helper.to_array(tensor)
    assert not np.shares_memory(before, after)
    assert not after.flags.writeable
    del model, tensor
    gc.collect()
    assert np.array_equal(after, copy)


def test_copies_when_made_before_then_stay_and_when_made_after_then_share() -> None:
    model = model_of(5000)
    before = nocopy.onnx.ModelProto()
    before.CopyFrom(model)
    at = address(before.graph.initializer[0])
    consolidate_tensors_to_buffer(model)
    assert address(before.graph.initializer[0]) == at
    after = nocopy.onnx.ModelProto()
    after.CopyFrom(model)
    assert address(after.graph.initializer[0]) == address(model.graph.initializer[0])
    data = model.graph.initializer[0].raw_data
    del model
    gc.collect()
    assert after.graph.initializer[0].raw_data == data == before.graph.initializer[0].raw_data


def test_tensor_when_assigned_after_then_the_others_stay() -> None:
    model = model_of(1000, 1000)
    expected = model.graph.initializer[1].raw_data
    consolidate_tensors_to_buffer(model)
    model.graph.initializer[0].raw_data = b"\xff" * 1000
    assert model.graph.initializer[1].raw_data == expected
    del model.graph.initializer[0]
    gc.collect()
    assert model.graph.initializer[0].raw_data == expected


def test_deleters_when_consolidated_then_run_once_each() -> None:
    ran: list[str] = []

    def on_tensor(tensor: Any, graph: Any) -> Any:
        name = tensor.name
        return lambda: ran.append(name)

    data = model_of(1000, 2000).SerializeToString()
    for no_copy in (False, True):
        ran.clear()
        options = ParseOptions(no_copy=no_copy, raw_data_callback=on_tensor)
        model = nocopy.onnx.ModelProto.FromString(data, options)
        copy = nocopy.onnx.ModelProto()
        copy.graph.initializer.add().CopyFrom(model.graph.initializer[1])
        consolidate_tensors_to_buffer(model)
        assert ran == ["w0"]
        del copy
        gc.collect()
        assert ran == ["w0", "w1"]
        del model
        gc.collect()
        assert ran == ["w0", "w1"]


def test_deleter_that_raises_when_consolidated_then_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    def fail() -> None:
        raise RuntimeError("from a deleter")

    data = model_of(1000, 2000).SerializeToString()
    options = ParseOptions(raw_data_callback=lambda tensor, graph: fail)
    model = nocopy.onnx.ModelProto.FromString(data, options)
    consolidate_tensors_to_buffer(model)
    assert model.SerializeToString() == data
    assert [str(each.exc_value) for each in reported] == ["from a deleter"] * 2


def test_deleter_that_takes_the_model_apart_when_consolidated_then_nothing_is_lost() -> None:
    model = nocopy.onnx.ModelProto()

    def take_apart() -> None:
        del model.graph.initializer[1:]

    def on_tensor(tensor: Any, graph: Any) -> Any:
        return take_apart if tensor.name == "w0" else None

    data = model_of(1000, 2000, 3000).SerializeToString()
    model.ParseFromString(data, ParseOptions(raw_data_callback=on_tensor))
    expected = model.graph.initializer[0].raw_data
    consolidate_tensors_to_buffer(model)
    assert [t.name for t in model.graph.initializer] == ["w0"]
    assert model.graph.initializer[0].raw_data == expected


MAPPED = """
import nocopy.onnx
def mapped():
    with open("/proc/self/maps") as maps:
        return sum(argv[1] in line for line in maps)
model = nocopy.onnx.load(argv[0], no_copy=True)
before = mapped()
small = nocopy.onnx.TensorBufferOptions(raw_data_threshold=3000)
nocopy.onnx.consolidate_tensors_to_buffer(model, small)
between = mapped()
nocopy.onnx.consolidate_tensors_to_buffer(model)
expected = nocopy.onnx.load(argv[2]).graph.initializer
same = [a.raw_data == b.raw_data for a, b in zip(model.graph.initializer, expected)]
report([before, between, mapped(), same])
"""


def test_mapping_when_its_last_tensor_has_moved_then_is_gone(tmp_path: Path) -> None:
    model = model_of(2000, 4000, 3000)
    nocopy.onnx.save(model, tmp_path / "inline.onnx")
    options = SerializeOptions(location="weights.data")
    nocopy.onnx.save(model, tmp_path / "external.onnx", options=options)
    for name, mapped in (("external.onnx", "weights.data"), ("inline.onnx", "inline.onnx")):
        child = run_python(MAPPED, tmp_path / name, mapped, tmp_path / "inline.onnx").check()
        assert child.reports == [[1, 1, 0, [True] * 3]]


PEAK = """
import nocopy.onnx
from pathlib import Path
def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
count, size = int(argv[0]), int(argv[1])
model = nocopy.onnx.ModelProto()
data = bytes(range(256)) * (size // 256)
for i in range(count):
    model.graph.initializer.add(raw_data=data)
before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
nocopy.onnx.consolidate_tensors_to_buffer(model)
report([status("VmHWM") - before, status("VmRSS") - before])
assert all(tensor.raw_data == data for tensor in model.graph.initializer)
"""


@pytest.mark.parametrize(("count", "size"), [(8, 16 << 20), (128, 1 << 20), (1000, 128 << 10)])
def test_memory_when_consolidated_then_peaks_at_the_weights_and_the_largest_tensor(
    count: int, size: int
) -> None:
    child = run_python(PEAK, count, size).check()
    peak, after = child.reports[0]
    # The ends of old buffers stay on pages that they share, and new pages may be of 2 MiB.
    slack = count * 8192 + (6 << 20)
    assert peak <= size + slack
    assert after <= slack


FULL = """
import resource
import numpy  # while there is memory for it
import nocopy.onnx
model = nocopy.onnx.load(argv[0])
from nocopy.onnx import numpy_helper
with open("/proc/self/statm") as statm:
    now = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (4 << 20), now + (4 << 20)))
try:
    nocopy.onnx.consolidate_tensors_to_buffer(model)
except MemoryError:
    report([numpy_helper.to_array(t).flags.writeable for t in model.graph.initializer])
"""


def test_model_when_there_is_no_memory_then_is_unchanged(tmp_path: Path) -> None:
    nocopy.onnx.save(model_of(8 << 20, 8 << 20), tmp_path / "m.onnx")
    child = run_python(FULL, tmp_path / "m.onnx").check()
    assert child.reports == [[True, True]]  # owned as before


def test_model_when_the_file_it_is_mapped_from_was_cut_off_then_is_unchanged(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.onnx"
    nocopy.onnx.save(model_of(5000, 9000), path)
    model = nocopy.onnx.load(path, no_copy=True)
    before = [address(tensor) for tensor in model.graph.initializer]
    size = path.stat().st_size
    os.truncate(path, 6000)
    with pytest.raises(ExternalDataError, match="cut off"):
        consolidate_tensors_to_buffer(model)
    os.truncate(path, size)
    assert [address(tensor) for tensor in model.graph.initializer] == before
