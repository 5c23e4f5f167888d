"""Which memories contradict each other, and which of two is told (R26): a briefing that says both says nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memory.adjudicate import is_open, polarity
from memory.normalise import mirror, statement_key
from memory.persons import persons
from memory.words import tokens
from schemas.memory import Memory

_SAME_MATTER = 0.6
"""Share of words in common, signs and likings aside, from which an affirmed and a denied text are about one matter."""
_SIGN = re.compile(
    r"最?喜欢|最?爱|讨厌|厌恶|反感|受不了|现在|以前|已经|不再|从不|[不没别很太真]"
    r"|\b(?:not|never|no longer|any ?more|really|now|do|does|did|don't|doesn't|didn't|can't|cannot|can't stand|likes?|loves?|enjoys?"
    r"|hates?|dislikes?|avoids?)\b"
)


def contradict(one: Memory, other: Memory) -> bool:
    """Whether both can't hold of the same person in the same scene. Events have days of their own: they contradict nothing."""
    if one.subject != other.subject or one.scene != other.scene or "event" in (one.kind, other.kind):
        return False
    first, second = statement_key(one.text), statement_key(other.text)
    if first in second or second in first or persons(one.text) != persons(other.text):
        return False
    if one.key == other.key and not is_open(one.key):
        return True
    return polarity(one.text) != polarity(other.text) and _in_common(one.text, other.text) >= _SAME_MATTER


def told_of_each(memories: Sequence[Memory]) -> list[Memory]:
    """``memories`` in their order, without those that a surer one contradicts: explicit first, then confidence, then the newer."""
    kept: list[Memory] = []
    for memory in sorted(memories, key=_surety, reverse=True):
        if not any(contradict(memory, other) for other in kept):
            kept.append(memory)
    ids = {memory.id for memory in kept}
    return [memory for memory in memories if memory.id in ids]


def _surety(memory: Memory) -> tuple[bool, bool, float, datetime, str]:
    said = memory.verified_at or memory.created_at
    return memory.status == "active", memory.source == "explicit", round(memory.confidence, 1), said, memory.id


def _in_common(one: str, other: str) -> float:
    first, second = (set(tokens(_SIGN.sub(" ", mirror(text)))) for text in (statement_key(one), statement_key(other)))
    return len(first & second) / len(first | second) if first and second else 0.0
