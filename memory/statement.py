"""A statement: what one clause of a user's turn says for longer than the conversation, before anything is decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schemas.memory import GENERAL_SCENE, USER_SUBJECT, Kind, Source

Mood = Literal["plain", "once", "hedged"]
"""``once``: only for this time ("这周不…"); ``hedged``: an intention or a doubt ("我可能要…"); else it holds from now on."""


@dataclass(frozen=True)
class Statement:
    """One atomic statement with its slot (R8).

    ``key`` is the slot path: one slot holds one value, so what can be had several times (an allergy, a pet) has its value in the path
    (``健康/过敏/花生``). ``value`` is the part of ``text`` that fills the slot, ``polarity`` its sign (False: dislikes, refuses, not).
    ``cue`` names the rule that found it. ``text`` is cut from the turn byte for byte. ``correction``: it mends what was said before (R5);
    ``only_if_known``: it changes a slot ("把地点改到五楼") and means nothing lasting where that slot is unknown.
    """

    kind: Kind
    key: str
    text: str
    value: str
    cue: str
    scene: str = GENERAL_SCENE
    subject: str = USER_SUBJECT
    source: Source = "explicit"
    confidence: float = 0.9
    importance: int = 40
    priority: int = 0
    polarity: bool = True
    correction: bool = False
    mood: Mood = "plain"
    only_if_known: bool = False
