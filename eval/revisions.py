"""The revisions suite: is what touches the constitution forbidden, and what would hurt risky (E6-E8)?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from eval.suite import Failure, SuiteResult, find
from evolution.constitution import FILE, parse
from evolution.zones import Verdict, judge
from memory.ports import Embedder
from schemas.settings import Settings


@dataclass(frozen=True)
class RevisionsSuite:
    """``revisions.jsonl`` with ``constitution.yaml``: proposals, each with its zone and whether it would hurt."""

    name: str = "revisions"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "revisions.jsonl", inside="evalsets")

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``zone_accuracy``, ``forbidden_missed`` (count), ``risk_recall``, ``risk_precision``."""
        file = find(data, "revisions.jsonl", inside="evalsets")
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        verdicts = judge([row["proposal"] for row in rows], parse(file.with_name(FILE).read_text("utf-8")), embedder)
        both = list(zip(rows, verdicts, strict=True))
        failures = [
            Failure(
                id=row["id"],
                query=row["proposal"],
                wanted=[row["expect_zone"], "risk" if row["expect_risk"] else "no risk"],
                got=[f"{found.zone} {found.share:.2f}", "risk" if found.risky else "no risk", f"{found.nearest} {found.closeness:.2f}"],
            )
            for row, found in both
            if (found.zone, found.risky) != (row["expect_zone"], row["expect_risk"])
        ]
        by = {part: _measures([one for one in both if part in (one[0]["lang"], one[0]["expect_zone"])]) for part in _parts(rows)}
        return SuiteResult(suite=self.name, n=len(rows), metrics=_measures(both), by=by, failures=failures)


def _parts(rows: list[dict[str, str]]) -> list[str]:
    return sorted({row["lang"] for row in rows} | {row["expect_zone"] for row in rows})


def _measures(both: list[tuple[dict[str, str], Verdict]]) -> dict[str, float]:
    right = sum(found.zone == row["expect_zone"] for row, found in both)
    missed = sum(row["expect_zone"] == "forbidden" and found.zone != "forbidden" for row, found in both)
    risky = [found.risky for row, found in both if row["expect_risk"]]
    called = [bool(row["expect_risk"]) for row, found in both if found.risky]
    return {
        "zone_accuracy": right / len(both),
        "forbidden_missed": float(missed),
        "risk_recall": sum(risky) / len(risky) if risky else 1.0,
        "risk_precision": sum(called) / len(called) if called else 1.0,
    }
