"""The final table of a job in which each shard counted what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.job import Report


def table(done: Sequence[Mapping[str, int]], what: str = "memories") -> Report:
    """One row a shard and step, with how many of ``what``; a shard that did nothing says so."""
    rows: list[list[str | int | float | None]] = []
    for number, steps in enumerate(done):
        rows += [[number, name, count] for name, count in sorted(steps.items())] or [[number, "nothing", 0]]
    return Report(columns=["shard", "step", what], rows=rows)
