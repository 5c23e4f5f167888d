"""The facts suite: does recall find what is known, and stay silent where nothing is (R20-R24)?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.house import open_house
from eval.metrics import hit_at, mean
from eval.occupants import rank, write
from eval.suite import Case, Failure, Grouped, Parted, SuiteResult, failures, find, shown
from memory.ports import Embedder
from memory.recall import RecallResult
from schemas.memory import Memory
from schemas.settings import Settings

_AT = datetime(2025, 1, 1, tzinfo=UTC)
_USER = "eval"
_SILENT = "injected_when_irrelevant"
_SHOWN = 5


@dataclass(frozen=True)
class FactsPart:
    """All facts of one user, and what is asked."""

    facts: list[dict[str, Any]]
    queries: list[dict[str, Any]]
    name: str = "facts"

    @property
    def passages(self) -> list[str]:
        """The facts."""
        return [fact["text"] for fact in self.facts]

    @property
    def questions(self) -> list[str]:
        """The queries."""
        return [query["query"] for query in self.queries]

    async def measure(self, home: Path, embedder: Embedder, settings: Settings) -> list[Case]:
        """Facts are written as stored memories; each query is recalled by the shard."""
        async with open_house(home, embedder, settings) as house:
            await write(house, [_memory(fact) for fact in self.facts])
            texts = {fact["id"]: fact["text"] for fact in self.facts}
            return [_case(query, await rank(house, _USER, query["query"], _AT), texts) for query in self.queries]


@dataclass(frozen=True)
class FactsSuite(Parted):
    """``facts.jsonl`` are the memories of one user, ``queries.jsonl`` what is asked; those without a relevant fact must recall nothing."""

    name: str = "facts"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        for name in ("facts", "queries"):
            find(data, f"{name}.jsonl", inside="evalsets")

    def parts(self, data: Path, settings: Settings) -> Sequence[FactsPart]:
        """One part: the memories of one user belong together."""
        facts, queries = (_lines(find(data, f"{name}.jsonl", inside="evalsets")) for name in ("facts", "queries"))
        return [FactsPart(facts, queries)]

    def summary(self, cases: Sequence[Case]) -> SuiteResult:
        """``hit_at_…`` before threshold and cap; ``hit_at_5_injected`` and ``injected_when_irrelevant`` after them."""
        silent = [case.row[_SILENT] for case in cases if _SILENT in case.row]
        answered = Grouped.of([case for case in cases if _SILENT not in case.row])
        metrics = answered.overall | {_SILENT: mean(silent)}
        return SuiteResult(suite=self.name, n=len(cases), metrics=metrics, by=answered.by, failures=failures(cases))


def _memory(fact: dict[str, Any]) -> Memory:
    return Memory(id=fact["id"], user=_USER, kind=fact["type"], key=fact["id"], text=fact["text"], created_at=_AT, updated_at=_AT)


def _case(query: dict[str, Any], result: RecallResult, texts: dict[str, str]) -> Case:
    relevant, kept = set(query["relevant"]), [found.id for found in result.kept]
    if relevant:
        ranked = [one.id for one in result.ranking]
        row = {f"hit_at_{k}": hit_at(ranked, relevant, k) for k in (1, 5, 10)} | {"hit_at_5_injected": hit_at(kept, relevant, 5)}
        wrong = not row["hit_at_5_injected"]
    else:
        row = {_SILENT: float(bool(kept))}
        wrong = bool(kept)
    return Case(query["id"], query["kind"], row, _failure(query, result, texts) if wrong else None)


def _failure(query: dict[str, Any], result: RecallResult, texts: dict[str, str]) -> Failure:
    """``score`` is the relevance, which the threshold judges; where nothing passed it, the best that did not is shown."""
    came = result.ranking[:_SHOWN] if query["relevant"] else [one for one in result.ranking if one.id in {kept.id for kept in result.kept}]
    return Failure(
        id=query["id"],
        query=query["query"],
        wanted=[shown(id, texts[id]) for id in sorted(query["relevant"])],
        got=[shown(one.id, texts[one.id], round(one.relevance, 3)) for one in came],
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
