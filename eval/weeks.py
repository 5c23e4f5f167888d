"""Invented weeks of questions: what the review is tuned and tried on, apart from the set that it is measured on (E12-E14).

The topics and their sentences lie in ``weeks.yaml``; nothing of them stands in the evaluation data.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("weeks.yaml")
_SLOT = re.compile(r"\{(\w+)\}")
NOISE = "noise"
"""The topic of questions that belong to none."""
TOPICS: tuple[str, ...] = (
    "garden", "guitar", "interview", "car", "baby_sleep", "photo", "wifi", "lease", "driving_test", "visa", "bread", "chess",
)  # fmt: skip


@dataclass(frozen=True)
class Question:
    """What somebody asked; ``repeats`` is the number of the same user's earlier question that it says in other words."""

    at: datetime
    user: str
    language: str
    text: str
    topic: str
    repeats: int | None = None
    interrupted: bool = False


def week(
    count: int,
    seed: int,
    *,
    start: datetime,
    topics: tuple[str, ...] = TOPICS,
    users: int = 1,
    noise: float = 0.15,
    english: float = 0.2,
    repeated: str | None = None,
    repeats: float = 0.45,
    night: str | None = None,
) -> list[Question]:
    """``count`` questions in order of time from ``start`` (the user's midnight), about the topics in equal parts and ``noise`` of none.

    Of the topic ``repeated`` a share of ``repeats`` says an earlier question again, of the others a tenth; ``night`` is asked after 22:00.
    """
    dice, parts = random.Random(seed), _parts()
    drawn = []
    for _ in range(count):
        topic = NOISE if dice.random() < noise else dice.choice(topics)
        hour = dice.uniform(22, 24) if topic == night else dice.uniform(8, 21.9)
        drawn.append((start + timedelta(days=dice.randrange(7), hours=hour), f"user{dice.randrange(users) + 1}", topic))
    made: list[Question] = []
    drawn_of: list[tuple[str, dict[str, str]]] = []
    asked: set[tuple[str, str]] = set()
    for at, user, topic in sorted(drawn):
        earlier = [number for number, one in enumerate(made) if (one.user, one.topic) == (user, topic) and one.repeats is None]
        language = "en" if dice.random() < english else "zh"
        again = None
        if topic != NOISE and earlier and dice.random() < (repeats if topic == repeated else 0.1):
            again = dice.choice(earlier)
            language = made[again].language
        part = parts[topic]
        chosen, filling, text = _said(part, language, dice)
        if again is not None:
            chosen, filling = drawn_of[again]
            other = part.get("same", {}).get(chosen)
            text = _filled(other or dice.choice(parts["again"][language]) + chosen, filling)
        while again is None and topic != NOISE and (user, text) in asked and dice.random() < 0.95:
            chosen, filling, text = _said(part, language, dice)
        asked.add((user, text))
        drawn_of.append((chosen, filling))
        made.append(Question(at, user, language, dice.choice(parts["manner"][language]) + text, topic, again, dice.random() < 0.1))
    return made


def _said(part: dict[str, Any], language: str, dice: random.Random) -> tuple[str, dict[str, str], str]:
    """A sentence, what fills its slots, and both together."""
    chosen = dice.choice(part[language])
    filling = {name: dice.choice(words) for name, words in part["fill"].items()}
    return chosen, filling, _filled(chosen, filling)


def _filled(template: str, filling: dict[str, str]) -> str:
    return _SLOT.sub(lambda slot: filling[slot[1]], template)


@cache
def _parts() -> dict[str, dict[str, Any]]:
    loaded = yaml.safe_load(_FILE.read_text("utf-8"))
    return {**loaded["topics"], NOISE: loaded["noise"], "manner": loaded["manner"], "again": loaded["again"]}
