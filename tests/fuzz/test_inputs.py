"""The part of the input fuzzing that every test run does; see `inputs` for the long run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import inputs


def test_inputs_of_any_kind_run_right_or_raise() -> None:
    summary = inputs.run(4 * inputs.BATCH // 2, seed=20240229)
    print(summary)
    assert not summary.ended, str(summary)
    assert not summary.wrong, str(summary)
    assert summary.counts["ran"] > 500
    assert summary.cases == 2000
