"""The conflicts suite: what is known after a change of mind, through the real pipeline with simulated days (R14, R15, R20)."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from eval.house import START, House, open_house
from eval.matching import holds, occurring
from eval.metrics import mean
from eval.suite import Failure, SuiteResult, find
from memory.ports import Embedder
from schemas.dialogue import Message
from schemas.settings import Settings

_RETIRED = ("deprecated", "archived", "pending")


@dataclass(frozen=True)
class ConflictsSuite:
    """``conflicts.jsonl``: what a user says on some days, each in a conversation of its own, then a question about it."""

    name: str = "conflicts"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "conflicts.jsonl", inside="evalsets")

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``accuracy, stale_injected, history_found, reason_given``; ``by`` expect and kind."""
        path = find(data, "conflicts.jsonl", inside="evalsets")
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        with tempfile.TemporaryDirectory() as folder:
            outcomes = asyncio.run(_live(rows, Path(folder), embedder, settings))
        parts = sorted({row["expect"] for row in rows} | {row["kind"] for row in rows})
        by = {
            part: _measures([one for row, one in zip(rows, outcomes, strict=True) if part in (row["expect"], row["kind"])])
            for part in parts
        }
        return SuiteResult(
            suite=self.name,
            n=len(rows),
            metrics=_measures(outcomes),
            by=by,
            failures=[one.failure for one in outcomes if one.failure is not None],
        )


@dataclass(frozen=True)
class _Outcome:
    """``history`` and ``reason`` are None where the case asks for none."""

    right: bool
    stale: bool
    history: bool | None
    reason: bool | None
    failure: Failure | None


async def _live(rows: list[dict[str, Any]], folder: Path, embedder: Embedder, settings: Settings) -> list[_Outcome]:
    async with open_house(folder, embedder, settings) as house:
        return [await _case(house, row) for row in rows]


async def _case(house: House, row: dict[str, Any]) -> _Outcome:
    user = f"user-{row['id']}"
    await house.service.give_consent(user, "health")
    for number, (day, text) in enumerate(row["turns"]):
        house.clock.at = START + timedelta(days=day)
        await house.say(user, [Message(role="user", content=text)], conversation=f"{row['id']}-{number}")
    house.clock.at += timedelta(hours=1)
    answer = await house.ask(user, row["probe"])
    memories = await house.remembered(user)
    recalled = [one.text for one in answer.memories] + answer.briefing.splitlines()
    current = [one.text for one in memories if one.status in ("active", "probation")]
    retired = {one.id for one in memories if one.status in _RETIRED}
    changes = [change for one in memories for change in await house.history(user, one.id)]
    holding = holds("\n".join(recalled), row["current_value_contains"])
    forbidden = occurring(
        [text for text in current if any(text in line for line in recalled)], row.get("must_not_contain", []), after_not=True
    )
    told = "\n".join([*(one.text for one in memories), *(text for change in changes for text in (change.before, change.after) if text)])
    wanted = row.get("history_contains")
    history = None if wanted is None else holds(told, wanted)
    reason = None if row["expect"] != "replace" else any(change.action == "replace" and change.reason for change in changes)
    right, stale = holding and not forbidden, any(one.id in retired for one in answer.memories)
    failure = None
    if not right or stale or history is False or reason is False:
        said = " → ".join(text for _, text in row["turns"])
        states = [f"{one.status}: {one.text}" for one in memories]
        got = [*states, *(f"recalled: {text}" for text in recalled)]
        failure = Failure(
            id=row["id"], query=f"[{row['expect']}] {said} — {row['probe']}", wanted=[str(row["current_value_contains"])], got=got
        )
    return _Outcome(right, stale, history, reason, failure)


def _measures(outcomes: list[_Outcome]) -> dict[str, float]:
    return {
        "accuracy": mean([float(one.right) for one in outcomes]),
        "stale_injected": mean([float(one.stale) for one in outcomes]),
        "history_found": mean([float(one.history) for one in outcomes if one.history is not None] or [1.0]),
        "reason_given": mean([float(one.reason) for one in outcomes if one.reason is not None] or [1.0]),
    }
