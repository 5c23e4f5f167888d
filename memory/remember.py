"""Carrying out a decision: the rows that it makes of memories, and of their history (R12, R14, R15)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from memory.adjudicate import Coexist, Confirm, Create, Decision, Ignore, Merge, OneOff, Pend, Replace
from memory.extract.importance import restated
from memory.statement import Statement
from schemas.memory import Action, Actor, Change, Memory

NewId = Callable[[], str]
Rows = tuple[list[Memory], list[Change]]


def apply(
    decision: Decision,
    statement: Statement,
    *,
    user: str,
    turn_id: str | None,
    at: datetime,
    new_id: NewId,
    actor: Actor = "rule",
    import_id: str | None = None,
) -> Rows:
    """The memories to write (new and changed) and the changes that say why; both empty where nothing is kept.

    Idempotent over a turn: what this turn has confirmed already is not confirmed by it again. A memory whose text changed comes
    without a vector: the caller embeds it.
    """
    return _Writer(statement, user, turn_id, at, new_id, actor, import_id).carry_out(decision)


class _Writer:
    def __init__(
        self, statement: Statement, user: str, turn: str | None, at: datetime, new_id: NewId, actor: Actor, import_id: str | None
    ) -> None:
        self.statement, self.user, self.turn, self.at = statement, user, turn, at
        self.new_id, self.actor, self.import_id = new_id, actor, import_id

    def carry_out(self, decision: Decision) -> Rows:
        match decision:
            case Create(reason):
                row = self.row()
                return [row], [self.change(row.id, "create", None, row.text, reason)]
            case Coexist(beside, scene, reason):
                row = self.row(scene=scene)
                return [row], [self.change(row.id, "coexist", None, row.text, f"{reason}; beside {beside.id}")]
            case Confirm(memory, confidence, reason):
                return self.confirm(memory, confidence, reason)
            case Merge(memory, text, reason):
                row = self.touched(memory).but(text=text, previous=memory.text, version=memory.version + 1, vector=None, embedder=None)
                return [row], [self.change(memory.id, "merge", memory.text, text, reason)]
            case Replace(old, text, reason):
                return self.replace(old, text, reason)
            case Pend(against, confidence, reason):
                row = self.row(status="pending")
                shaken = against.but(confidence=confidence, updated_at=self.at)
                return [shaken, row], [
                    self.change(
                        against.id, "demote", against.text, against.text, f"{reason}: confidence {against.confidence:g} → {confidence:g}"
                    ),
                    self.change(row.id, "create", None, row.text, f"{reason}; waits until it is confirmed, against {against.id}"),
                ]
            case OneOff() | Ignore():
                return [], []

    def confirm(self, memory: Memory, confidence: float, reason: str) -> Rows:
        if self.turn is not None and self.turn in memory.turns:
            return [], []
        status = "active" if self.statement.source == "explicit" and memory.status == "probation" else memory.status
        row = self.touched(memory).but(
            confidence=confidence, confirmations=memory.confirmations + 1, importance=restated(memory.importance), status=status
        )
        return [row], [self.change(memory.id, "confirm", memory.text, memory.text, reason)]

    def replace(self, old: Memory, text: str, reason: str) -> Rows:
        known_since = old.valid_from or old.created_at
        if self.at < known_since:  # an old log read late: history, not news
            row = self.row(status="deprecated", valid_to=known_since)
            return [row], [self.change(row.id, "create", None, row.text, f"said before what is known now, {old.id}: kept as history")]
        row = self.row(text=text, previous=old.text, version=old.version + 1, importance=max(self.statement.importance, old.importance))
        retired = old.but(status="deprecated", valid_to=self.at, updated_at=self.at)
        return [retired, row], [
            self.change(old.id, "replace", old.text, row.text, f"{reason}; replaced by {row.id}"),
            self.change(row.id, "create", old.text, row.text, f"{reason}; replaces {old.id}"),
        ]

    def row(self, **fields: object) -> Memory:
        said = self.statement
        return Memory(
            id=self.new_id(), user=self.user, kind=said.kind, key=said.key, scene=said.scene, subject=said.subject, text=said.text,
            source=said.source, confidence=said.confidence, importance=said.importance, priority=said.priority,
            status="probation" if said.source == "inferred" else "active", turns=[self.turn] if self.turn else [], import_id=self.import_id,
            created_at=self.at, updated_at=self.at, verified_at=self.at, valid_from=self.at,
        ).but(**fields)  # fmt: skip

    def touched(self, memory: Memory) -> Memory:
        turns = memory.turns if self.turn is None or self.turn in memory.turns else [*memory.turns, self.turn]
        seen = max(self.at, memory.verified_at or memory.created_at)  # an old log that is read late confirms, and makes nothing older
        return memory.but(updated_at=max(self.at, memory.updated_at), verified_at=seen, turns=turns)

    def change(self, memory: str, action: Action, before: str | None, after: str | None, reason: str) -> Change:
        return Change(
            id=self.new_id(), user=self.user, memory=memory, at=self.at, action=action, before=before, after=after,
            reason=reason, actor=self.actor, turn=self.turn,
        )  # fmt: skip
