"""The shape of an extraction rule: a pattern over one mirrored clause, and the slot that it fills."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memory.normalise import fold
from schemas.memory import USER_SUBJECT, Kind

Groups = Mapping[str, str]


@dataclass(frozen=True)
class Rule:
    """``pattern`` names its parts: ``value`` fills the slot, ``what`` and ``who`` go into its path, ``no`` present turns the sign.

    ``key`` is a path with ``{value}``, ``{what}``, ``{who}`` in it, or a function of the (folded) parts.
    ``about`` is the subject where the clause names none by a relation ("I report to …" is about the boss).
    ``lasting``: "tomorrow" in it is a date, not a limit; ``only_if_known``: it changes a slot, and says nothing where there is none.
    ``refuse`` and ``refuse_what`` are values and attributes that mean nothing.
    """

    cue: str
    pattern: re.Pattern[str]
    kind: Kind
    key: str | Callable[[Groups], str]
    priority: int = 0
    about: str = USER_SUBJECT
    asks: bool = False
    timebound: bool = False
    correction: bool = False
    lasting: bool = False
    only_if_known: bool = False
    refuse: re.Pattern[str] | None = None
    refuse_what: re.Pattern[str] | None = None


@dataclass(frozen=True)
class Found:
    """What a rule read in a clause: slot, value (as said), subject and sign."""

    rule: Rule
    key: str
    value: str
    subject: str
    polarity: bool


def read(rule: Rule, clause: str, mirrored: str, tidy: Callable[[str], str], relation: Callable[[str], str]) -> Found | None:
    """Match ``rule`` on a clause.

    ``tidy`` strips what a value has around it, ``relation`` gives the one name of a relation ("老婆": "妻子").
    """
    hit = rule.pattern.search(mirrored)
    if hit is None:
        return None
    spans = {name: hit.span(name) for name, part in hit.groupdict().items() if part}
    parts = {name: tidy(clause[start:end]) for name, (start, end) in spans.items()}
    value = parts.get("value", "")
    folded = {name: path_part(part) for name, part in parts.items()}
    if not folded.get("value") or (rule.refuse and rule.refuse.search(fold(value))):
        return None
    if rule.refuse_what and rule.refuse_what.search(folded.get("what", "")):
        return None
    subject = relation(folded["who"]) if folded.get("who") else rule.about
    folded["who"] = subject
    key = rule.key(folded) if callable(rule.key) else rule.key.format_map(folded)
    return Found(rule, key, value, subject, "no" not in spans)


def path_part(text: str) -> str:
    """A text as one part of a slot path: folded, no slash, not too long."""
    return fold(text).replace("/", "／")[:40]
