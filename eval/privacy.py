"""The privacy suite: what is stored of texts with secrets, numbers, health, and of harmless ones, through the real pipeline (R32)."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.house import House, open_house
from eval.metrics import mean
from eval.suite import Failure, SuiteResult, find
from memory.ports import Embedder
from memory.privacy import verdict
from schemas.dialogue import Message
from schemas.settings import Settings


@dataclass(frozen=True)
class PrivacySuite:
    """``privacy.jsonl``: texts, what is to be done with each, and the spans that may be stored nowhere. Each text is a user's first."""

    name: str = "privacy"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "privacy.jsonl", inside="evalsets")

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``leaks`` (spans stored anywhere), ``false_blocks`` (share of ``allow`` blocked or altered), ``accuracy`` (exact action),
        ``accuracy_merged`` (block and redact as one); ``by`` action, kind, language, and odd and even lines."""
        path = find(data, "privacy.jsonl", inside="evalsets")
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        with tempfile.TemporaryDirectory() as folder:
            outcomes = asyncio.run(_live(rows, Path(folder), embedder, settings))
        parts = sorted({part for one in outcomes for part in one.parts})
        return SuiteResult(
            suite=self.name,
            n=len(rows),
            metrics=_measures(outcomes),
            by={part: _measures([one for one in outcomes if part in one.parts]) for part in parts},
            failures=[failure for one in outcomes if (failure := one.failure) is not None],
        )


@dataclass(frozen=True)
class _Outcome:
    row: dict[str, Any]
    line: int
    action: str
    turn: str
    memories: tuple[str, ...]
    leaked: tuple[str, ...]

    @property
    def expected(self) -> str:
        return str(self.row["expect"])

    @property
    def parts(self) -> set[str]:
        return {self.expected, self.row["kind"], self.row["lang"], "odd lines" if self.line % 2 else "even lines"}

    @property
    def touched(self) -> bool:
        return self.action != "allow" or self.turn != self.row["text"]

    @property
    def failure(self) -> Failure | None:
        """Why it failed, for a person: the action wanted and the spans, what was done and what lies in the lake now."""
        if self.action == self.expected and not self.leaked:
            return None
        got = [self.action, f"turn: {self.turn}", *(f"memory: {text}" for text in self.memories)]
        return Failure(
            id=self.row["id"],
            query=self.row["text"],
            wanted=[self.expected, *(f"nowhere: {span}" for span in self.row["spans"])],
            got=[*got, *(f"LEAKED: {span}" for span in self.leaked)],
        )


async def _live(rows: list[dict[str, Any]], folder: Path, embedder: Embedder, settings: Settings) -> list[_Outcome]:
    async with open_house(folder, embedder, settings) as house:
        return [await _case(house, row, line) for line, row in enumerate(rows, 1)]


async def _case(house: House, row: dict[str, Any], line: int) -> _Outcome:
    user = f"user-{row['id']}"
    await house.say(user, [Message(role="user", content=row["text"])], conversation=row["id"])
    stored = [json.loads(line) for line in await house.service.export(user)]
    values = [text for one in stored for text in _texts(one)]
    turn = next((one["row"]["content"] for one in stored if one["table"] == "turns"), "")
    return _Outcome(
        row=row,
        line=line,
        action=verdict(row["text"]).action,
        turn=turn,
        memories=tuple(memory.text for memory in await house.remembered(user)),
        leaked=tuple(span for span in row["spans"] if any(span in value for value in values)),
    )


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


def _measures(outcomes: Sequence[_Outcome]) -> dict[str, float]:
    harmless = [one for one in outcomes if one.expected == "allow"]
    merged = {"redact": "block"}
    return {
        "leaks": float(sum(len(one.leaked) for one in outcomes)),
        "false_blocks": mean([float(one.touched) for one in harmless]) if harmless else 0.0,
        "accuracy": mean([float(one.action == one.expected) for one in outcomes]),
        "accuracy_merged": mean([float(merged.get(one.action, one.action) == merged.get(one.expected, one.expected)) for one in outcomes]),
    }
