"""The life of a memory: probation, promotion, spans, decay, archive (R10, R11, R16-R18). Pure: time comes in, a year takes a second."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from memory.profile import PROMOTED_FROM
from schemas.memory import Action, Change, Memory
from schemas.settings import Life
from schemas.turn import Turn

SITUATION = "近况/"
"""Slots of what holds for a while: where someone is staying, what keeps them busy."""
_FIRM = 2
"""Priority that never leaves by itself (R16)."""


@dataclass(frozen=True)
class Step:
    """What becomes of a memory, and why: ``memory`` is its new row."""

    memory: Memory
    action: Action
    reason: str


def review(memories: Iterable[Memory], changes: Iterable[Change], at: datetime, life: Life) -> list[Step]:
    """What time alone does to a user's memories as of ``at``. Reviewing again at the same time does nothing more.

    ``changes`` are their histories: a span that has run out takes half the confidence once, until the memory is confirmed again.
    """
    held = list(memories)
    lapsed = _lapsed(changes)
    steps = [step for memory in held if (step := _step(memory, lapsed, at, life)) is not None]
    return [*steps, *_restored(held, [step.memory for step in steps], at, life)]


def seen_again(memory: Memory, sights: Sequence[Turn], life: Life) -> Step | None:
    """What seeing it again does: an inferred one that was seen in two conversations within three days stands (R10); one that was recalled
    and confirmed in three conversations belongs to the profile (R11). ``sights`` are its source turns."""
    first: dict[str, datetime] = {}
    for turn in sorted(sights, key=lambda turn: turn.at):
        first.setdefault(turn.conversation, turn.at)
    times = list(first.values())
    near = any(later - earlier <= timedelta(days=life.sight_days) for earlier, later in pairwise(times))
    if memory.status == "probation" and near:
        return Step(memory.but(status="active"), "promote", f"seen in two conversations within {life.sight_days:g} days")
    known = memory.status == "active" and memory.source == "explicit" and memory.access_count > 0
    if known and len(first) == life.promote_after:
        row = memory.but(confirmations=max(memory.confirmations, PROMOTED_FROM))
        return Step(row, "promote", f"recalled, and confirmed in {len(first)} conversations: to the profile")
    return None


def _step(memory: Memory, lapsed: Mapping[str, datetime], at: datetime, life: Life) -> Step | None:
    confirmed = memory.verified_at or memory.created_at
    idle = at - max(confirmed, memory.accessed_at or confirmed)
    if memory.status == "pending":
        return _archived(memory, at, f"not confirmed in {life.pending_days:g} days") if _past(at - confirmed, life.pending_days) else None
    if memory.status == "probation":
        return (
            _archived(memory, at, f"no second sight in {life.probation_days:g} days")
            if _past(at - confirmed, life.probation_days)
            else None
        )
    if memory.status != "active" or memory.priority >= _FIRM:
        return None
    if memory.key.startswith(SITUATION):
        return (
            _archived(memory, at, f"a situation of {life.situation_days:g} days ago")
            if _past(at - confirmed, life.situation_days)
            else None
        )
    if why := _forgotten(memory, idle, life):
        return _archived(memory, at, why)
    span = {"profile": life.identity_days, "preference": life.preference_days}.get(memory.kind)
    if span is not None and _past(at - confirmed, span) and lapsed.get(memory.id, confirmed) <= confirmed:
        faded = memory.but(confidence=round(memory.confidence * life.lapsed_share, 4), updated_at=at)
        return Step(faded, "expire", f"not confirmed in {span:g} days: confidence {memory.confidence:g} → {faded.confidence:g}")
    return None


def _forgotten(memory: Memory, idle: timedelta, life: Life) -> str | None:
    """Why a memory that nothing has touched for ``idle`` leaves recall, or None (R17, R18)."""
    if memory.kind == "profile":
        return None
    days = {"fact": life.fact_days, "event": life.event_days}.get(memory.kind)
    if days is not None and _past(idle, days):
        return f"{memory.kind} neither confirmed nor used in {days:g} days"
    if memory.source == "inferred" and memory.confidence < life.unsure and _past(idle, life.inferred_days):
        return f"inferred, unsure, and not used in {life.inferred_days:g} days"
    steps = idle // timedelta(days=life.idle_days)
    if steps * life.idle_share >= 1 - 1e-9:
        return f"its importance has faded away in {idle.days} days without use"
    return None


def _restored(held: Sequence[Memory], gone: Sequence[Memory], at: datetime, life: Life) -> list[Step]:
    """What a doubt that came to nothing had shaken gets its confidence back (R14)."""
    found = []
    for doubt in gone:
        was = next((memory for memory in held if memory.id == doubt.id), doubt)
        if was.status != "pending":
            continue
        for memory in held:
            same = (memory.subject, memory.key) == (doubt.subject, doubt.key)
            if same and memory.status == "active" and memory.confidence < life.stated:
                row = memory.but(confidence=life.stated, updated_at=at)
                found.append(Step(row, "restore", f"what spoke against it, {doubt.id}, was never confirmed"))
    return found


def _archived(memory: Memory, at: datetime, reason: str) -> Step:
    return Step(memory.but(status="archived", updated_at=at), "archive", reason)


def _past(span: timedelta, days: float) -> bool:
    return span >= timedelta(days=days)


def _lapsed(changes: Iterable[Change]) -> dict[str, datetime]:
    last: dict[str, datetime] = {}
    for change in changes:
        if change.action == "expire":
            last[change.memory] = max(change.at, last.get(change.memory, change.at))
    return last
