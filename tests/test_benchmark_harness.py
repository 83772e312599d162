"""The arithmetic that the benchmarks' figures go through."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def harness() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("harness", BENCHMARKS / "harness.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["harness"] = module  # where its dataclasses look for their annotations
    spec.loader.exec_module(module)
    yield module
    del sys.modules["harness"]


def side(*samples: float):
    values = iter(samples)
    return lambda: next(values)


def test_compare_takes_ratios_within_a_round_and_drops_the_first(harness: ModuleType) -> None:
    report = harness.Report("t", rounds=3)
    row = report.compare(
        "work",
        {"a": side(99, 1, 10, 2), "nocopy": side(0, 3, 30, 8), "absent": None},
        unit="s",
        reference="a",
        bar=3.0,
    )
    assert row.medians == {"a": 2, "nocopy": 8}
    assert row.relative == {"nocopy": 3}
    assert row.within is True


def test_compare_by_difference_judges_the_difference(harness: ModuleType) -> None:
    report = harness.Report("t", rounds=2)
    row = report.compare(
        "work",
        {"a": side(9, 1, 5), "nocopy": side(9, 4, 8)},
        unit="ms",
        scale=10,
        reference="a",
        difference=True,
        bar=29,
    )
    assert row.relative == {"nocopy": 30}
    assert row.within is False


def test_write_keeps_every_sample_and_show_prints_each_side(
    harness: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = harness.Report("title")
    report.figure("size", {"nocopy": 3.14159, "peer": 1234.5}, unit="MB", bar=5)
    report.write(tmp_path / "out.json")
    report.show()
    row = json.loads((tmp_path / "out.json").read_text())["rows"][0]
    assert row["samples"] == {"nocopy": [3.14159], "peer": [1234.5]} and row["within"] is True
    printed = capsys.readouterr().out
    assert "3.14 MB" in printed and "1234 MB" in printed and "<= 5.00 MB" in printed


def test_a_worker_answers_line_by_line_and_its_end_is_an_error(harness: ModuleType) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n"
        "from harness import serve\n"
        "serve({'twice': lambda x: 2 * float(x), 'end': lambda: sys.exit(3)})"
    )
    with harness.Worker([sys.executable, "-c", code]) as worker:
        assert worker.ask_number("twice 2.5") == 5
        assert worker.ask_number("twice 4") == 8
        with pytest.raises(RuntimeError, match=r"\(3\)"):
            worker.ask("end")
