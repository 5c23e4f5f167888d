from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.compare import compare, read
from eval.suite import SuiteResult
from schemas.errors import InvalidRequest


def outcome(**metrics: float) -> SuiteResult:
    return SuiteResult(suite="facts", n=10, metrics=metrics)


def verdicts(before: SuiteResult, now: SuiteResult, tolerance: float = 0.01) -> dict[str, tuple[str, bool]]:
    return {row.measure: (row.verdict, row.fell) for row in compare([before], [now], tolerance)}


def test_a_measure_that_falls_beyond_the_tolerance_is_named() -> None:
    assert verdicts(outcome(hit_at_5=0.90, hit_at_10=0.95), outcome(hit_at_5=0.88, hit_at_10=0.94)) == {
        "hit_at_5": ("FELL", True),
        "hit_at_10": ("within", False),
    }


def test_of_what_counts_errors_less_is_better() -> None:
    assert verdicts(outcome(injected_when_irrelevant=0.1, leaks=1), outcome(injected_when_irrelevant=0.2, leaks=0)) == {
        "injected_when_irrelevant": ("FELL", True),
        "leaks": ("better", False),
    }


def test_a_measure_that_is_gone_counts_as_fallen_and_a_new_one_does_not() -> None:
    assert verdicts(outcome(old=1.0), outcome(new=0.0)) == {"new": ("new", False), "old": ("gone", True)}


def test_a_suite_that_was_not_run_before_has_nothing_to_fall_from() -> None:
    earlier = SuiteResult(suite="locomo", n=1, metrics={"recall_at_5": 1.0})
    assert [row.verdict for row in compare([earlier], [outcome(hit_at_1=0.5)], 0.0)] == ["new"]


def test_one_outcome_or_a_list_is_read_and_anything_else_is_refused_in_words(tmp_path: Path) -> None:
    one, many, other = (tmp_path / name for name in ("one.json", "many.json", "other.json"))
    one.write_text(outcome(a=1.0).model_dump_json(), encoding="utf-8")
    many.write_text(json.dumps([outcome(a=1.0).model_dump()] * 2), encoding="utf-8")
    other.write_text('{"x": 1}', encoding="utf-8")
    assert [len(read(path)) for path in (one, many)] == [1, 2]
    with pytest.raises(InvalidRequest, match="no outcome of `laoma eval"):
        read(other)
    with pytest.raises(InvalidRequest, match="cannot read"):
        read(tmp_path / "absent.json")
