"""The MemoryBank suite: Chinese chat logs of many days, each row a user's turn and its reply (R35)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from eval.metrics import recall_at
from eval.suite import Case, Grouped, Parted, SuiteResult, failures, find
from eval.turn_finding import found_turns, unanswered
from memory.ports import Embedder
from memory.sentences import sentences
from schemas.recall import FoundTurn
from schemas.settings import Settings
from schemas.turn import Turn


@dataclass(frozen=True)
class Asked:
    """A question, the rows that answer it, and its kind."""

    id: str
    text: str
    kind: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class MemoryBankPart:
    """One user's rows and questions."""

    name: str
    turns: list[Turn]
    asked: list[Asked]

    @property
    def passages(self) -> list[str]:
        """The rows."""
        return [sentence for turn in self.turns for sentence in sentences(turn.content)]

    @property
    def questions(self) -> list[str]:
        """The questions: no speakers are named in these rows."""
        return [question.text for question in self.asked]

    async def measure(self, home: Path, embedder: Embedder, settings: Settings) -> list[Case]:
        """``recall_at_1``, ``recall_at_5``, ``recall_at_10``; a question that misses evidence among five failed."""
        found = await found_turns(self.turns, self.questions, home, embedder, settings)
        return [_case(question, hits, self.turns) for question, hits in zip(self.asked, found, strict=True)]


@dataclass(frozen=True)
class MemoryBankSuite(Parted):
    """``logs.json`` and ``evidence.jsonl`` of a folder; candidates of a question are its user's rows."""

    name: str = "memorybank_cn"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "memorybank_cn", holds="evidence.jsonl")

    def parts(self, data: Path, settings: Settings) -> Sequence[MemoryBankPart]:
        """A part a user."""
        folder = find(data, "memorybank_cn", holds="evidence.jsonl")
        evidence = {row["id"]: row for row in map(json.loads, (folder / "evidence.jsonl").read_text(encoding="utf-8").splitlines())}
        parts = []
        for number, user in enumerate(json.loads((folder / "logs.json").read_text(encoding="utf-8"))):
            turns = [_turn(row, place, settings.zone) for place, row in enumerate(user["turns"])]
            asked = [_asked(question, evidence) for question in user["questions"] if question["id"] in evidence]
            parts.append(MemoryBankPart(str(user.get("user", number)), turns, asked))
        return parts

    def summary(self, cases: Sequence[Case]) -> SuiteResult:
        """Means over all questions; ``by`` the kind of question."""
        grouped = Grouped.of(cases)
        return SuiteResult(suite=self.name, n=len(cases), metrics=grouped.overall, by=grouped.by, failures=failures(cases))


def _asked(question: dict[str, Any], evidence: dict[str, Any]) -> Asked:
    known = evidence[question["id"]]
    return Asked(question["id"], question["question"], known["type"], frozenset(known["evidence"]))


def _turn(row: dict[str, Any], number: int, zone: str) -> Turn:
    """A row as one turn that nothing is learnt from (``other``): only the search over it is measured."""
    at = datetime.fromisoformat(f"{row['date']}T12:00:00").replace(tzinfo=ZoneInfo(zone)) + timedelta(minutes=number)
    text = f"{row['user']}\n{row['assistant']}"
    return Turn(id=row["id"], user="eval", conversation=row["date"], exchange=row["id"], at=at, role="other", content=text, origin="eval")


def _case(question: Asked, found: Sequence[FoundTurn], turns: Sequence[Turn]) -> Case:
    ids = [turn.id for turn in found]
    row = {f"recall_at_{k}": recall_at(ids, question.evidence, k) for k in (1, 5, 10)}
    failure = unanswered(question.id, question.text, question.evidence, found, turns) if row["recall_at_5"] < 1 else None
    return Case(question.id, question.kind, row, failure)
