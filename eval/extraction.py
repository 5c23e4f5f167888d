"""The extraction suite: does the offline tier keep what lasts, and nothing else (R5-R10)?"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from eval.house import START
from eval.matching import holds, occurring
from eval.suite import Failure, SuiteResult, find
from memory.adjudicate import adjudicate
from memory.extract.offline import OfflineExtractor
from memory.extract.protocol import Passage, Said
from memory.ports import Embedder
from memory.remember import apply
from schemas.memory import Memory
from schemas.settings import Settings


@dataclass(frozen=True)
class ExtractionSuite:
    """``extraction.jsonl``: dialogues, what of each must be stored, and strings that must not. Each dialogue is a user of its own."""

    name: str = "extraction"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "extraction.jsonl", inside="evalsets")

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``precision, recall, f1`` over expected statements by their values, ``type_accuracy`` of those found, ``forbidden_stored``;
        ``by`` category, language, and odd and even lines."""
        rows = [
            json.loads(line) for line in find(data, "extraction.jsonl", inside="evalsets").read_text("utf-8").splitlines() if line.strip()
        ]
        reader = OfflineExtractor(embedder)
        zone = ZoneInfo(settings.zone)
        outcomes = [_outcome(row, line, _stored(row["dialogue"], reader, zone)) for line, row in enumerate(rows, 1)]
        failures = [failure for outcome in outcomes if (failure := outcome.failure) is not None]
        by = {part: _measures([one for one in outcomes if part in one.parts]) for part in sorted(_parts(outcomes))}
        return SuiteResult(suite=self.name, n=len(rows), metrics=_measures(outcomes), by=by, failures=failures)


@dataclass(frozen=True)
class _Outcome:
    parts: tuple[str, ...]
    expected: int
    found: int
    right: int
    stored: int
    typed: int
    forbidden: int
    failure: Failure | None


def _stored(dialogue: Sequence[dict[str, str]], reader: OfflineExtractor, zone: ZoneInfo) -> list[Memory]:
    """What is remembered after a dialogue: each of the user's turns is read, decided on and carried out as the shard does."""
    held: dict[str, Memory] = {}
    before: list[Said] = []
    numbers = itertools.count(1)
    for message in dialogue:
        if message["role"] == "user":
            for statement in reader.extract(Passage(message["content"], START, zone, tuple(before))):
                decision = adjudicate(statement, list(held.values()), START)
                rows, _ = apply(decision, statement, user="u", turn_id=str(len(before)), at=START, new_id=lambda: f"m{next(numbers)}")
                held |= {row.id: row for row in rows}
        before.append(Said("user" if message["role"] == "user" else "assistant", message["content"]))
    return [memory for memory in held.values() if memory.status in ("active", "probation")]


def _outcome(row: dict[str, Any], line: int, stored: Sequence[Memory]) -> _Outcome:
    texts = [memory.text for memory in stored]
    expected = row["expect"]
    hits = [[memory for memory in stored if holds(memory.text, one["value_contains"])] for one in expected]
    right = {memory.id for found in hits for memory in found}
    forbidden = occurring(texts, row["forbid"])
    missed = [one for one, found in zip(expected, hits, strict=True) if not found]
    failure = None
    if missed or len(right) < len(stored) or forbidden:
        said = " / ".join(message["content"] for message in row["dialogue"] if message["role"] == "user")
        failure = Failure(
            id=row["id"], query=said, wanted=[json.dumps(one["value_contains"], ensure_ascii=False) for one in expected], got=texts
        )
    typed = sum(any(memory.kind == one["type"] for memory in found) for one, found in zip(expected, hits, strict=True))
    parts = (row["category"], row["lang"], "odd lines" if line % 2 else "even lines")
    return _Outcome(parts, len(expected), len(expected) - len(missed), len(right), len(stored), typed, len(forbidden), failure)


def _parts(outcomes: Sequence[_Outcome]) -> set[str]:
    return {part for one in outcomes for part in one.parts}


def _measures(outcomes: Sequence[_Outcome]) -> dict[str, float]:
    expected, found = sum(one.expected for one in outcomes), sum(one.found for one in outcomes)
    stored, right = sum(one.stored for one in outcomes), sum(one.right for one in outcomes)
    precision, recall = right / stored if stored else 1.0, found / expected if expected else 1.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "type_accuracy": sum(one.typed for one in outcomes) / found if found else 1.0,
        "forbidden_stored": float(sum(one.forbidden for one in outcomes)),
    }
