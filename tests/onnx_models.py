"""Models with external data for the tests, written by the onnx package or by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx.numpy_helper

import onnx


def numbers(count: int, start: int = 0) -> np.ndarray:
    """Return float32 values that are all different."""
    return np.arange(start, start + count, dtype=np.float32)


def model_with(*arrays: np.ndarray) -> onnx.ModelProto:
    """Return a model of the onnx package with initializers w0, w1, ..."""
    return onnx.ModelProto(
        ir_version=10,
        opset_import=[onnx.OperatorSetIdProto(version=20)],
        graph=onnx.GraphProto(
            name="weights",
            initializer=[onnx.numpy_helper.from_array(a, f"w{i}") for i, a in enumerate(arrays)],
        ),
    )


def save_external(model: onnx.ModelProto, path: Path, location: str = "weights.bin") -> None:
    """Save with all initializers in a file beside the model, as the onnx package does it."""
    onnx.save(model, path, save_as_external_data=True, location=location, size_threshold=0)


def external_tensor(name: str, count: int, entries: list[tuple[str, str]]) -> onnx.TensorProto:
    """Return a float32 tensor that says of its external data what `entries` say."""
    return onnx.TensorProto(
        name=name,
        data_type=onnx.TensorProto.FLOAT,
        dims=[count],
        data_location=onnx.TensorProto.EXTERNAL,
        external_data=[onnx.StringStringEntryProto(key=k, value=v) for k, v in entries],
    )


def write_model(path: Path, *tensors: onnx.TensorProto) -> Path:
    """Write a model with these initializers and return its path."""
    path.write_bytes(
        onnx.ModelProto(
            ir_version=10, graph=onnx.GraphProto(name="g", initializer=tensors)
        ).SerializeToString()
    )
    return path
