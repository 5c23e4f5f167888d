"""The standing profile: what every conversation should know (R21), and the picture of the user that ``GET /v1/profile`` shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.normalise import statement_key
from memory.style import is_style
from schemas.memory import USER_SUBJECT, Memory, Source
from schemas.settings import Briefing

_ADDRESS = ("资料/称呼", "资料/姓名")
_BASE = ("profile",)
PROMOTED_FROM = 3
"""Confirmations from which a memory that was used stands in the profile, whatever its slot (R11)."""


@dataclass(frozen=True)
class Preference:
    """One preference with where it comes from."""

    id: str
    key: str
    text: str
    scene: str
    subject: str
    source: Source
    confidence: float


@dataclass(frozen=True)
class Profile:
    """Base attributes by name ("姓名": the statement), and preferences, surest first."""

    attributes: dict[str, str]
    preferences: list[Preference]


def standing(memories: Iterable[Memory], settings: Briefing, at: datetime) -> list[Memory]:
    """The memories of the standing profile in a stable order: form of address, hard constraints, style (R21).

    At most ``profile_lines`` lines and ``profile_chars`` characters; explicit and sure ones only, whatever else is known.
    """
    fit = [memory for memory in memories if may_stand(memory) and memory.confidence >= settings.sure and _valid(memory, at)]
    ranked = sorted(fit, key=lambda memory: (_rank(memory), memory.created_at, memory.id))
    chosen: list[Memory] = []
    said: set[str] = set()
    room = settings.profile_chars
    for memory in ranked:
        key = statement_key(memory.text)
        if len(chosen) == settings.profile_lines or key in said or len(memory.text) > room:
            continue
        chosen.append(memory)
        said.add(key)
        room -= len(memory.text)
    return chosen


def may_stand(memory: Memory) -> bool:
    """Whether a memory can be in the standing profile while it is valid and sure: what :func:`standing` needs to look at."""
    return memory.status == "active" and (memory.source == "explicit" or memory.kind == "profile") and _rank(memory) is not None


def describe(memories: Sequence[Memory], at: datetime) -> Profile:
    """Base attributes and preferences of the user as known at ``at``."""
    valid = [memory for memory in memories if memory.status == "active" and _valid(memory, at)]
    base = sorted(
        (memory for memory in valid if memory.kind in _BASE and memory.subject == USER_SUBJECT), key=lambda memory: memory.updated_at
    )
    preferences = sorted(
        (memory for memory in valid if memory.kind == "preference"), key=lambda memory: (-memory.confidence, memory.key, memory.id)
    )
    return Profile(
        attributes={memory.key.removeprefix("资料/"): memory.text for memory in base},
        preferences=[Preference(one.id, one.key, one.text, one.scene, one.subject, one.source, one.confidence) for one in preferences],
    )


def _valid(memory: Memory, at: datetime) -> bool:
    started = memory.valid_from is None or memory.valid_from <= at
    return started and (memory.valid_to is None or memory.valid_to > at) and (memory.expires_at is None or memory.expires_at > at)


def _rank(memory: Memory) -> int | None:
    """Order of the profile's lines; None: not part of it."""
    if memory.subject == USER_SUBJECT and memory.key in _ADDRESS:
        return _ADDRESS.index(memory.key)
    if memory.priority >= 2:
        return 2
    if is_style(memory):
        return 3
    if memory.key.startswith("要求/"):
        return 4
    if memory.confirmations >= PROMOTED_FROM and memory.access_count > 0:
        return 5
    return None
