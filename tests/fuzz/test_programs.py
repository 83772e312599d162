"""The part of the program fuzzing that every test run does; see `programs` for the long run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import programs


def test_damaged_programs_when_loaded_and_run_run_or_raise() -> None:
    summary = programs.run(500, seed=20240229)
    print(summary)
    assert summary.cases == 500
    assert not summary.ended, str(summary)
    assert summary.count("ran") > 20
    assert summary.count("raised") > 200
