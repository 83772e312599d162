"""Shared by all tests.

Models come from ``models``, child processes from ``children``, both by name.
"""

from __future__ import annotations

import importlib.util
from importlib.metadata import PackageNotFoundError, version


def pytest_report_header() -> list[str]:
    """Says which nocopy is tested and what it is compared with."""
    spec = importlib.util.find_spec("nocopy")
    where = spec.origin if spec else "not installed, run `pip install '.[test]'`"
    others = []
    for package in ("numpy", "torch", "executorch", "onnx", "ml_dtypes"):
        try:
            others.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            others.append(f"no {package}")
    return [f"nocopy: {where}", f"compared with: {', '.join(others)}"]
