"""The PEP 517 backend: gets the runtime's libraries, then hands over to scikit-build-core.

Only building a wheel needs them; making an sdist or asking for the metadata does not.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import scikit_build_core.build as delegate
from executorch_wheel import BuildError, prepare_runtime
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = Mapping[str, "list[str] | str"]
_ROOT = "cmake.define.NOCOPY_EXECUTORCH_ROOT"


def build_wheel(
    wheel_directory: str,
    config_settings: Settings | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the wheel, with the runtime's libraries in it."""
    return _build(delegate.build_wheel, wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: Settings | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the wheel of an editable installation, with the runtime's libraries in it."""
    return _build(delegate.build_editable, wheel_directory, config_settings, metadata_directory)


def _build(
    build: Callable[..., str],
    wheel_directory: str,
    config_settings: Settings | None,
    metadata_directory: str | None,
) -> str:
    settings: dict[str, list[str] | str] = dict(config_settings or {})
    if sys.platform == "darwin":
        # What the bundled libraries were built for; a wheel that claims less would not load there.
        os.environ.setdefault("MACOSX_DEPLOYMENT_TARGET", "14.0")
        os.environ.setdefault("ARCHFLAGS", "-arch arm64")
    with tempfile.TemporaryDirectory(prefix="nocopy-executorch-") as folder:
        if _ROOT not in settings:
            try:
                settings[_ROOT] = str(prepare_runtime(Path(folder)))
            except BuildError as error:
                # Not an exception to trace: the frontend shows this line and nothing else of ours.
                raise SystemExit(f"nocopy: {error}") from None
        return build(wheel_directory, settings, metadata_directory)
