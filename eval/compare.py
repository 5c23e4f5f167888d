"""Holds a run against an earlier one, measure by measure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from eval.suite import SuiteResult
from schemas.errors import InvalidRequest

LESS_IS_BETTER = {
    "injected_when_irrelevant", "forbidden_stored", "stale_injected", "leaks", "false_blocks", "forbidden_missed", "noise_share",
}  # fmt: skip
"""Measures of DESIGN §8 that count what went wrong; of all others more is better."""


@dataclass(frozen=True)
class Row:
    """One measure in both runs; None where a run lacks it. ``fell`` where it is worse by more than the tolerance, or gone."""

    suite: str
    measure: str
    before: float | None
    now: float | None
    fell: bool

    @property
    def verdict(self) -> str:
        """In a word."""
        if self.before is None:
            return "new"
        if self.now is None:
            return "gone"
        return "FELL" if self.fell else "same" if self.now == self.before else "better" if self._gain(self.before, self.now) else "within"

    def _gain(self, before: float, now: float) -> bool:
        return (now < before) if self.measure in LESS_IS_BETTER else (now > before)


def compare(before: Sequence[SuiteResult], now: Sequence[SuiteResult], tolerance: float) -> list[Row]:
    """Every measure of the suites that were run now. Suites that only the earlier run has are left out."""
    earlier = {result.suite: result.metrics for result in before}
    rows = []
    for result in now:
        known = earlier.get(result.suite, {})
        for measure in [*result.metrics, *(name for name in known if name not in result.metrics)]:
            old, new = known.get(measure), result.metrics.get(measure)
            rows.append(Row(result.suite, measure, old, new, _fell(measure, old, new, tolerance)))
    return rows


def read(path: Path) -> list[SuiteResult]:
    """What ``--json`` wrote: one outcome, or a list. Raises InvalidRequest where the file is something else."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return TypeAdapter(list[SuiteResult]).validate_python(held if isinstance(held, list) else [held])
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, ValidationError):
        raise InvalidRequest(f"{path} is no outcome of `laoma eval … --json FILE`") from None


def _fell(measure: str, old: float | None, new: float | None, tolerance: float) -> bool:
    if old is None:
        return False
    if new is None:
        return True
    worse = new - old if measure in LESS_IS_BETTER else old - new
    return worse > tolerance + 1e-9
