"""The option classes: defaults, hierarchy, what assignment accepts."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import nocopy.onnx as onnx
import pytest


@pytest.mark.parametrize(
    ("options", "threshold"),
    [
        (onnx.TensorBufferOptions, 0),
        (onnx.ParseOptions, 1024),
        (onnx.SerializeOptions, 64),
    ],
)
def test_defaults_are_the_documented_ones(options: type, threshold: int) -> None:
    made = options()
    assert (made.raw_data_threshold, made.alignment) == (threshold, 0)
    assert isinstance(made, onnx.TensorBufferOptions)


def test_parse_options_default_to_copying_and_to_loading_external_data() -> None:
    made = onnx.ParseOptions()
    assert (made.no_copy, made.num_threads, made.load_external_data) == (False, 1, True)
    assert (made.raw_data_callback, made.location, made.allow_outside) == (None, None, False)


def test_serialize_options_default_to_one_file() -> None:
    made = onnx.SerializeOptions()
    assert (made.location, made.max_external_file_size) == (None, 0)


def test_options_take_keywords_and_assignment() -> None:
    made = onnx.ParseOptions(no_copy=True, alignment=64, location=Path("elsewhere"))
    made.num_threads = 3
    assert (made.no_copy, made.alignment, made.num_threads) == (True, 64, 3)
    assert made.location == "elsewhere"
    assert repr(made) == (
        "ParseOptions(raw_data_threshold=1024, alignment=64, no_copy=True, num_threads=3, "
        "load_external_data=True, raw_data_callback=None, location='elsewhere', "
        "allow_outside=False)"
    )


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("raw_data_threshold", -1, ValueError),
        ("raw_data_threshold", 2**63, ValueError),
        ("raw_data_threshold", 1.5, TypeError),
        ("raw_data_threshold", True, TypeError),
        ("raw_data_threshold", "64", TypeError),
        ("alignment", 2**30 + 1, ValueError),
        ("no_copy", 1, TypeError),
        ("num_threads", 0, ValueError),
        ("num_threads", 1025, ValueError),
        ("load_external_data", None, TypeError),
        ("raw_data_callback", "print", TypeError),
        ("location", b"bytes", TypeError),
        ("location", "", ValueError),
        ("location", "a\0b", ValueError),
        ("allow_outside", "yes", TypeError),
    ],
)
def test_an_option_of_the_wrong_type_or_range_is_refused_and_keeps_its_value(
    name: str, value: object, error: type[Exception]
) -> None:
    made = onnx.ParseOptions()
    before = getattr(made, name)
    with pytest.raises(error, match=name):
        setattr(made, name, value)
    assert getattr(made, name) == before
    with pytest.raises(error, match=name):
        onnx.ParseOptions(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("location", "", ValueError),
        ("max_external_file_size", -1, ValueError),
        ("file_per_tensor", 1, TypeError),
        ("external_tensors", "some", ValueError),
        ("allow_missing_external_data", None, TypeError),
        ("sync", "no", TypeError),
    ],
)
def test_an_option_for_writing_of_the_wrong_type_or_range_is_refused(
    name: str, value: object, error: type[Exception]
) -> None:
    with pytest.raises(error, match=name):
        onnx.SerializeOptions(**{name: value})  # type: ignore[arg-type]


def test_an_option_that_does_not_exist_is_refused() -> None:
    made = onnx.SerializeOptions()
    with pytest.raises(AttributeError, match="max_external_file_size"):
        made.max_file_size = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        del made.alignment


def test_options_are_equal_by_class_and_values() -> None:
    assert onnx.ParseOptions(alignment=8) == onnx.ParseOptions(alignment=8)
    assert onnx.ParseOptions(alignment=8) != onnx.ParseOptions(alignment=16)
    assert onnx.ParseOptions(raw_data_threshold=0) != onnx.TensorBufferOptions()
    with pytest.raises(TypeError):
        hash(onnx.ParseOptions())


def test_options_can_be_copied_and_pickled() -> None:
    made = onnx.SerializeOptions(location="weights.bin", max_external_file_size=7)
    assert copy.copy(made) == copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made


def test_raw_data_callback_forwards_tensors_and_returns_none() -> None:
    seen: list[str] = []
    callback = onnx.RawDataCallback(lambda tensor: seen.append(tensor.name))
    assert callback(onnx.TensorProto(name="w"), None) is None
    assert seen == ["w"]
    with pytest.raises(TypeError, match="on_tensor"):
        onnx.RawDataCallback(None)  # type: ignore[arg-type]
