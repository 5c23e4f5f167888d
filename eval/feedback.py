"""The feedback suite: is what a user says about a reply heard as what it is (E1)?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.suite import Failure, SuiteResult, find
from evolution.signals import Heard, Signal, read
from memory.ports import Embedder
from schemas.settings import Settings


@dataclass(frozen=True)
class FeedbackSuite:
    """``feedback.jsonl``: dialogues, each with the signal that its last message is."""

    name: str = "feedback"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "feedback.jsonl", inside="evalsets")

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``accuracy, macro_f1``, the ``least_f1`` of any signal, and ``missing_named``: omissions whose thing is named."""
        rows = [
            json.loads(line) for line in find(data, "feedback.jsonl", inside="evalsets").read_text("utf-8").splitlines() if line.strip()
        ]
        found = read([_heard(row["dialogue"]) for row in rows], embedder)
        wanted = [row["expect"]["signal"] for row in rows]
        failures = [
            Failure(id=row["id"], query=_told(row["dialogue"]), wanted=[want], got=[f"{signal.kind} {signal.share:.2f}"])
            for row, want, signal in zip(rows, wanted, found, strict=True)
            if signal.kind != want
        ]
        by = {part: _measures(*_only(rows, wanted, found, part)) for part in sorted({row["lang"] for row in rows})}
        by |= {kind: {"f1": f1} for kind, f1 in _f1s(wanted, found).items()}
        named = [
            any(name in " ".join(signal.missing) for name in row["expect"]["missing"])
            for row, signal in zip(rows, found, strict=True)
            if row["expect"].get("missing")
        ]
        metrics = {**_measures(wanted, found), "missing_named": sum(named) / len(named) if named else 1.0}
        return SuiteResult(suite=self.name, n=len(rows), metrics=metrics, by=by, failures=failures)


def _heard(dialogue: Sequence[dict[str, Any]]) -> Heard:
    """The last reply, the request before it, and what was said next."""
    said = dialogue[-1]["content"] if dialogue[-1]["role"] == "user" else None
    before = list(dialogue[:-1] if said is not None else dialogue)
    reply = before.pop() if before and before[-1]["role"] == "assistant" else {"content": ""}
    asked = before[-1]["content"] if before else ""
    return Heard(asked, reply["content"], said, bool(reply.get("interrupted")))


def _told(dialogue: Sequence[dict[str, Any]]) -> str:
    return " / ".join(message["content"] for message in dialogue)


def _only(rows: Sequence[dict[str, Any]], wanted: Sequence[str], found: Sequence[Signal], lang: str) -> tuple[list[str], list[Signal]]:
    kept = [number for number, row in enumerate(rows) if row["lang"] == lang]
    return [wanted[number] for number in kept], [found[number] for number in kept]


def _f1s(wanted: Sequence[str], found: Sequence[Signal]) -> dict[str, float]:
    scores = {}
    for kind in sorted(set(wanted)):
        right = sum(want == kind == signal.kind for want, signal in zip(wanted, found, strict=True))
        scores[kind] = 2 * right / (wanted.count(kind) + sum(signal.kind == kind for signal in found))
    return scores


def _measures(wanted: Sequence[str], found: Sequence[Signal]) -> dict[str, float]:
    scores = _f1s(wanted, found)
    right = sum(want == signal.kind for want, signal in zip(wanted, found, strict=True))
    return {"accuracy": right / len(wanted), "macro_f1": sum(scores.values()) / len(scores), "least_f1": min(scores.values())}
