"""The PEP 517 hooks: what they hand to scikit-build-core and what a failure looks like."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

WheelMaker = Callable[..., Path]
ROOT = "cmake.define.NOCOPY_EXECUTORCH_ROOT"


class FakeScikitBuild(ModuleType):
    """Stands for scikit-build-core: notes what it was given instead of building."""

    def __init__(self) -> None:
        super().__init__("scikit_build_core.build")
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.root_was_there = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def hook(_directory: str, settings: dict[str, Any], _metadata: str | None) -> str:
            self.calls.append((name, settings))
            self.root_was_there = (Path(settings[ROOT]) / "version.py").is_file()
            return f"{name}.whl"

        return hook


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeScikitBuild]:
    module = FakeScikitBuild()
    package = ModuleType("scikit_build_core")
    package.build = module  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "scikit_build_core", package)
    monkeypatch.setitem(sys.modules, "scikit_build_core.build", module)
    monkeypatch.delitem(sys.modules, "nocopy_build", raising=False)
    yield module
    sys.modules.pop("nocopy_build", None)


@pytest.mark.parametrize("hook", ["build_wheel", "build_editable"])
def test_build_when_the_runtime_is_there_then_passes_its_folder_and_the_users_settings(
    fake: FakeScikitBuild,
    isolated: Path,
    tmp_path: Path,
    make_wheel: WheelMaker,
    monkeypatch: pytest.MonkeyPatch,
    hook: str,
) -> None:
    import nocopy_build

    monkeypatch.setenv("NOCOPY_EXECUTORCH", str(make_wheel(tmp_path)))
    assert getattr(nocopy_build, hook)("out", {"build.verbose": "true"}) == f"{hook}.whl"
    [(called, settings)] = fake.calls
    assert called == hook
    assert settings["build.verbose"] == "true"
    assert fake.root_was_there
    assert not Path(settings[ROOT]).exists()


def test_build_when_the_user_sets_the_folder_then_fetches_nothing(
    fake: FakeScikitBuild, isolated: Path
) -> None:
    import nocopy_build

    nocopy_build.build_wheel("out", {ROOT: "/my/own/executorch"})
    assert fake.calls == [("build_wheel", {ROOT: "/my/own/executorch"})]


@pytest.mark.parametrize("hook", ["build_wheel", "build_editable"])
def test_build_when_the_runtime_cannot_be_had_then_exits_with_one_sentence(
    fake: FakeScikitBuild, isolated: Path, monkeypatch: pytest.MonkeyPatch, hook: str
) -> None:
    import nocopy_build

    monkeypatch.setenv("NOCOPY_EXECUTORCH", "/nowhere")
    with pytest.raises(SystemExit) as caught:
        getattr(nocopy_build, hook)("out")
    assert str(caught.value).startswith(
        "nocopy: NOCOPY_EXECUTORCH is /nowhere, which does not exist"
    )
    # What would be printed is the message; a traceback of the cause would follow it otherwise.
    assert caught.value.__suppress_context__
    assert fake.calls == []
