"""The MemoryBank suite: Chinese chat logs of many days, each row a user's turn and its reply (R35)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from eval.metrics import means, recall_at
from eval.suite import Failure, SuiteResult, find
from eval.turn_finding import index_of, ranked_turns
from memory.ports import Embedder
from schemas.settings import Settings
from schemas.turn import Turn


@dataclass(frozen=True)
class MemoryBankSuite:
    """``logs.json`` and ``evidence.jsonl`` of a folder; candidates of a question are its user's rows."""

    name: str = "memorybank_cn"

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``recall_at_1``, ``recall_at_5``, ``recall_at_10``; ``by`` the kind of question."""
        folder = find(data, "memorybank_cn")
        evidence = {row["id"]: row for row in map(json.loads, (folder / "evidence.jsonl").read_text(encoding="utf-8").splitlines())}
        rows: dict[str, list[dict[str, float]]] = {}
        failures = []
        for user in json.loads((folder / "logs.json").read_text(encoding="utf-8")):
            turns = [_turn(row, number, settings.zone) for number, row in enumerate(user["turns"])]
            asked = [question for question in user["questions"] if question["id"] in evidence]
            ranked = ranked_turns(
                index_of(turns, embedder, settings), turns, [question["question"] for question in asked], embedder, settings
            )
            for question, ids in zip(asked, ranked, strict=True):
                wanted = set(evidence[question["id"]]["evidence"])
                row = {f"recall_at_{k}": recall_at(ids, wanted, k) for k in (1, 5, 10)}
                rows.setdefault(evidence[question["id"]]["type"], []).append(row)
                if row["recall_at_5"] < 1:
                    failures.append(Failure(id=question["id"], query=question["question"], wanted=sorted(wanted), got=ids))
        every = [row for part in rows.values() for row in part]
        by = {kind: means(part) for kind, part in sorted(rows.items())}
        return SuiteResult(suite=self.name, n=len(every), metrics=means(every), by=by, failures=failures)


def _turn(row: dict[str, Any], number: int, zone: str) -> Turn:
    at = datetime.fromisoformat(f"{row['date']}T12:00:00").replace(tzinfo=ZoneInfo(zone)) + timedelta(minutes=number)
    text = f"{row['user']}\n{row['assistant']}"
    return Turn(id=row["id"], user="eval", conversation=row["date"], exchange=row["id"], at=at, role="user", content=text, origin="eval")
