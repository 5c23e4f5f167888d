"""The facts suite: does recall find what is known, and stay silent where nothing is (R20-R24)?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.metrics import hit_at, mean, means
from eval.suite import Failure, SuiteResult, find
from memory.memory_index import MemoryIndex
from memory.ports import Embedder
from memory.recall import Question, RecallResult, recall
from schemas.memory import Memory
from schemas.settings import Settings

_AT = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class FactsSuite:
    """``facts.jsonl`` are the memories of one user, ``queries.jsonl`` what is asked; those without a relevant fact must recall nothing."""

    name: str = "facts"

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``hit_at_…`` before threshold and cap; ``hit_at_5_injected`` and ``injected_when_irrelevant`` after them."""
        facts = _lines(find(data, "facts.jsonl", inside="evalsets"))
        queries = _lines(find(data, "queries.jsonl", inside="evalsets"))
        index = _index(facts, embedder)
        vectors = embedder.query([query["query"] for query in queries])
        results = [
            recall(index, Question(query["query"], vector, _AT), settings.recall) for query, vector in zip(queries, vectors, strict=True)
        ]
        return _measure(queries, results)


def _index(facts: Sequence[dict[str, Any]], embedder: Embedder) -> MemoryIndex:
    index = MemoryIndex(embedder.name, embedder.dim)
    for fact, vector in zip(facts, embedder.passage([fact["text"] for fact in facts]), strict=True):
        memory = Memory(id=fact["id"], user="eval", kind=fact["type"], key=fact["id"], text=fact["text"], created_at=_AT, updated_at=_AT)
        index.put(memory, vector)
    return index


def _measure(queries: Sequence[dict[str, Any]], results: Sequence[RecallResult]) -> SuiteResult:
    rows: dict[str, list[dict[str, float]]] = {}
    silent: list[float] = []
    failures = []
    for query, result in zip(queries, results, strict=True):
        relevant, kept = set(query["relevant"]), [found.id for found in result.kept]
        if not relevant:
            silent.append(float(bool(kept)))
            wrong = bool(kept)
        else:
            row = _row([ranked.id for ranked in result.ranking], kept, relevant)
            rows.setdefault(query["kind"], []).append(row)
            wrong = not row["hit_at_5_injected"]
        if wrong:
            failures.append(Failure(id=query["id"], query=query["query"], wanted=sorted(relevant), got=kept))
    metrics = means([row for part in rows.values() for row in part]) | {"injected_when_irrelevant": mean(silent)}
    by = {kind: means(part) for kind, part in sorted(rows.items())}
    return SuiteResult(suite="facts", n=len(queries), metrics=metrics, by=by, failures=failures)


def _row(ranked: Sequence[str], kept: Sequence[str], relevant: set[str]) -> dict[str, float]:
    hits = {f"hit_at_{k}": hit_at(ranked, relevant, k) for k in (1, 5, 10)}
    return hits | {"hit_at_5_injected": hit_at(kept, relevant, 5)}


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
