"""The formats of model files, named and recognized as in the ``onnx`` package."""

from __future__ import annotations

__all__ = ["is_text"]

# By the path's extension; others are protobuf.
_FORMATS = {
    "txtpb": "textproto",
    "textproto": "textproto",
    "prototxt": "textproto",
    "pbtxt": "textproto",
    "json": "json",
    "onnxjson": "json",
    "onnxtxt": "onnxtxt",
    "onnxtext": "onnxtxt",
}


def is_text(format: str | None, path: str | None) -> bool:
    """Return whether a model is in protobuf's text format rather than in its binary one.

    Parameters
    ----------
    format : {"protobuf", "textproto"} or None
        None for what the path's extension says.
    path : str or None

    Raises
    ------
    ValueError
        For a format that is not one of the two.
    """
    if format is None:
        extension = "" if path is None else path.rpartition(".")[2]
        format = _FORMATS.get(extension, "protobuf")
    if format not in ("protobuf", "textproto"):
        raise ValueError(
            f"format {format!r} is not one of 'protobuf' and 'textproto'; for others use the onnx"
            " package, and nocopy.onnx.compat to convert"
        )
    return format == "textproto"
