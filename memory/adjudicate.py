"""What a new statement does to what is known already (R8, R14): a decision is a value, carried out by :mod:`memory.remember`.

Only memories of the same user, subject and slot can be retired; the caller passes that user's memories and nobody else's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.change_topic import with_topic
from memory.normalise import fold, is_chinese, mirror, statement_key
from memory.related import Related
from memory.statement import Statement
from schemas.memory import GENERAL_SCENE, Memory

KEPT_CONFIDENCE = 0.9
"""Share of the old confidence that a restatement keeps: max(new, 0.9 x old) (R8)."""
SHAKEN_CONFIDENCE = 0.8
"""Share of the old confidence left when something said in passing contradicts it (R14, pending)."""
_SAME_WORDS = 0.8
_SURE, _SURER = 0.4, 0.4
"""How sure the relation of two statements must be that share no slot; the second for what is no statement by itself."""
_LIVING = ("active", "probation")
_OPEN_SLOTS = ("备忘", "要求", "习惯", "计划", "日程", "经历")
_NEGATIVE = re.compile(
    r"不|没|别|讨厌|厌恶|反感|受不了|烦|怕|恨|戒|忌|无|\bnot\b|n't\b|\bnever\b|\bhate|\bdislike"
    r"|\bdetest|\bloathe|\bcan'?t stand|\bavoid|\bno longer\b|\bno\b|\bstop\b"
)
_NUMBERS = re.compile(r"\d+(?:\.\d+)?|[一二两三四五六七八九十百千万]+(?=[个点岁只次公里元块万年月日号斤杯])")


@dataclass(frozen=True)
class Create:
    """Nothing is known about this: a new memory."""

    reason: str


@dataclass(frozen=True)
class Confirm:
    """The same was said before: ``confidence`` is the new one of ``memory`` (R8)."""

    memory: Memory
    confidence: float
    reason: str


@dataclass(frozen=True)
class Replace:
    """The slot has a new value: ``old`` is retired, the statement becomes a memory with ``text``: its own, with the topic it may lack."""

    old: Memory
    text: str
    reason: str


@dataclass(frozen=True)
class Merge:
    """The statement completes ``memory``, whose text becomes ``text``."""

    memory: Memory
    text: str
    reason: str


@dataclass(frozen=True)
class Coexist:
    """Both hold, each in its ``scene``; the statement becomes a memory beside ``beside``."""

    beside: Memory
    scene: str
    reason: str


@dataclass(frozen=True)
class OneOff:
    """It holds for this time only: the conversation knows it, the lake does not."""

    beside: Memory | None
    reason: str


@dataclass(frozen=True)
class Pend:
    """It contradicts ``against`` in passing: the old one is shaken to ``confidence``, the new one waits to be confirmed."""

    against: Memory
    confidence: float
    reason: str


@dataclass(frozen=True)
class Ignore:
    """Nothing to keep."""

    reason: str


Decision = Create | Confirm | Replace | Merge | Coexist | OneOff | Pend | Ignore


def adjudicate(statement: Statement, existing: Sequence[Memory], at: datetime, related: Related | None = None) -> Decision:
    """The decision on ``statement``, said at ``at``, against the memories of the same user (any status; only living ones count).

    ``related`` is the memory that it has to do with by its meaning: it counts where no memory shares the slot.
    """
    living = [memory for memory in existing if memory.status in _LIVING and memory.subject == statement.subject and _holds(memory, at)]
    if same := _same_statement(statement, [*living, *(memory for memory in existing if memory.status == "pending")]):
        return _confirm(statement, same)
    rivals = [memory for memory in living if _same_slot(memory, statement)]
    if not rivals and related is not None and (related.memory in living or (related.relation == "merge" and related.memory in existing)):
        return _by_meaning(statement, related)
    if statement.mood == "once":
        return OneOff(rivals[0] if rivals else None, "holds for this time only")
    if statement.mood == "hedged":
        return Pend(rivals[0], _shaken(rivals[0]), "an intention, not yet a fact") if rivals else OneOff(None, "considered, not decided")
    return _against(statement, rivals)


def _against(statement: Statement, rivals: Sequence[Memory]) -> Decision:
    here = [memory for memory in rivals if memory.scene == statement.scene]
    if not here:
        if rivals:
            return Coexist(rivals[0], statement.scene, f"both hold: {_scene(rivals[0].scene)} and {_scene(statement.scene)}")
        return Ignore("changes what is not known") if statement.only_if_known else Create("first statement of this slot")
    old = max(here, key=lambda memory: (memory.updated_at, memory.id))
    if statement.source == "inferred" and old.source == "explicit":
        return Pend(old, _shaken(old), "inferred, against an explicit statement")
    if polarity(old.text) == statement.polarity and _completes(statement.text, old.text):
        return Merge(old, statement.text, "says the same with more detail")
    reason = "the user corrected it" if statement.correction else "a newer statement of the same slot"
    return Replace(old, with_topic(statement.text, old.text), reason)


def _by_meaning(statement: Statement, related: Related) -> Decision:
    """The decision where the two share no slot: as sure as the head is, and surer for what would be nothing by itself."""
    old = related.memory
    if related.share < (_SURER if statement.only_if_known else _SURE):
        if statement.mood != "plain":
            return OneOff(None, "for this time, or only considered")
        return Ignore("changes what is not known") if statement.only_if_known else Create("nothing known is about the same")
    why = f"({related.relation} {related.share:.2f}, by its meaning)"
    if related.relation == "once" or statement.mood == "once":
        return OneOff(old, f"holds for this time only {why}")
    if related.relation == "pending" or statement.mood == "hedged":
        return Pend(old, _shaken(old), f"an intention, not yet a fact {why}")
    if related.relation == "replace":
        return Replace(old, with_topic(statement.text, old.text), f"it takes the place of what was said {why}")
    if related.relation == "coexist":
        return Coexist(old, statement.scene, f"both hold {why}")
    return Merge(old, f"{old.text}{'；' if is_chinese(old.text) else '; '}{statement.text}", f"it completes what was said {why}")


def _same_statement(statement: Statement, candidates: Sequence[Memory]) -> Memory | None:
    key = statement_key(statement.text)
    for memory in candidates:
        if memory.subject == statement.subject and statement_key(memory.text) == key:
            return memory
    for memory in candidates:
        if memory.key == statement.key and memory.scene == statement.scene and _says_the_same(statement, memory):
            return memory
    return next((memory for memory in candidates if is_open(statement.key) and is_open(memory.key) and _near(statement, memory)), None)


def _says_the_same(statement: Statement, memory: Memory) -> bool:
    if is_open(statement.key):
        return _near(statement, memory)
    value = statement_key(statement.value)
    return bool(value) and _contains(fold(memory.text), value) and polarity(memory.text) == statement.polarity


def _contains(text: str, value: str) -> bool:
    if value.isascii():
        return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None
    return value in text


def _near(statement: Statement, memory: Memory) -> bool:
    """Nearly the same words, the same numbers, the same sign."""
    if sorted(_NUMBERS.findall(mirror(statement.text))) != sorted(_NUMBERS.findall(mirror(memory.text))):
        return False
    one, other = _grams(statement_key(statement.text)), _grams(statement_key(memory.text))
    return polarity(memory.text) == polarity(statement.text) and len(one & other) >= _SAME_WORDS * len(one | other)


def _grams(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(max(1, len(text) - 1))}


def _completes(new: str, old: str) -> bool:
    """The new text holds all of the old one ("我住在杭州" → "我住在杭州西湖区")."""
    short, long = statement_key(old), statement_key(new)
    return short != long and short in long


def _confirm(statement: Statement, memory: Memory) -> Confirm:
    return Confirm(memory, max(statement.confidence, KEPT_CONFIDENCE * memory.confidence), "the same statement again")


def _same_slot(memory: Memory, statement: Statement) -> bool:
    return memory.key == statement.key


def _holds(memory: Memory, at: datetime) -> bool:
    return memory.valid_to is None or memory.valid_to > at


def is_open(key: str) -> bool:
    """Whether a slot may hold several memories side by side: notes, demands, habits, plans."""
    return key.split("/", 1)[0] in _OPEN_SLOTS


def polarity(text: str) -> bool:
    """The sign of a statement: False where it denies, refuses or dislikes."""
    return not _NEGATIVE.search(mirror(text))


def _shaken(memory: Memory) -> float:
    return round(memory.confidence * SHAKEN_CONFIDENCE, 4)


def _scene(scene: str) -> str:
    return "generally" if scene == GENERAL_SCENE else scene
