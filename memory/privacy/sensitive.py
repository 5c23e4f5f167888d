"""Matters that are kept only with the user's leave (R32): health, religion, politics, dealings with authorities; and affairs of state
that are not public, which are never kept. Told by what a clause says about a person, not by a mere word.

Food allergies and intolerances count as demands on food, not as health: an assistant that forgets them does harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from memory.privacy.matters import (
    AGENCY,
    AGREES,
    AUTHORITIES,
    FOUND_OUT,
    ILLNESS,
    NO_ILLNESS,
    NOT_A_PERSON,
    NOT_PUBLIC,
    PERSON,
    POLITICS,
    QUESTION,
    REFUSES,
    RELIGION,
)
from memory.privacy.pattern import rx
from memory.privacy.plain import Plain

Sensitive = Literal["health", "religion", "politics", "government"]
SENSITIVE: frozenset[Sensitive] = frozenset(get_args(Sensitive))
Matter = Literal["health", "religion", "politics", "government", "state"]

_SENTENCE = rx(r"[^。!?;\n]+[。!?;\n]*")
_CLAUSE = rx(r"[^,]+,?")
_LONGEST = 300
_DOT = rx(r"(?<=[a-z\d][.])(?= )")

_MARKS: dict[Matter, tuple[str, str]] = {
    "health": ("[健康情况]", "[health matter]"),
    "religion": ("[信仰]", "[faith]"),
    "politics": ("[政治立场]", "[political view]"),
    "government": ("[涉官事务]", "[official matter]"),
    "state": ("[未公开政务]", "[non-public affair]"),
}
WITHHELD_MARKS = frozenset(mark for both in _MARKS.values() for mark in both)


def matters_left_out(stored: str) -> frozenset[Matter]:
    """Which matters the marks in a stored text stand for."""
    return frozenset(matter for matter, marks in _MARKS.items() if any(mark in stored for mark in marks))


@dataclass(frozen=True)
class Told:
    """One clause about such a matter: its place in the original text."""

    matter: Matter
    start: int
    end: int


@dataclass(frozen=True)
class Withheld:
    """``text`` without what may not be kept; ``matters`` says of what kind it was."""

    text: str
    matters: frozenset[Matter]


def agrees(text: str) -> bool:
    """Whether the text itself gives leave to keep what it says."""
    low = Plain(text).low
    return AGREES.search(low) is not None and REFUSES.search(low) is None


def withhold(text: str, matters: frozenset[Sensitive] = SENSITIVE, *, of_anyone: bool = False) -> Withheld:
    """``text`` with each clause about one of ``matters`` replaced by a mark, and non-public affairs of state always.

    ``of_anyone``: whether or not the clause says of whom it speaks, as in a reply to somebody who spoke of such a matter.
    """
    parts = [_withheld(part, matters, of_anyone) for part in _parts(text)]
    return Withheld("".join(part.text for part in parts), frozenset().union(*(part.matters for part in parts)))


def _parts(text: str) -> Iterator[str]:
    """A long text in pieces that end with a sentence: the cost of a character stays the same, and other threads get their turn."""
    start = 0
    while len(text) - start > _PART:
        ends = [text.rfind(mark, start + _PART // 2, start + _PART) for mark in "\n。！？.!?"]
        stop = max(ends) + 1 or start + _PART
        yield text[start:stop]
        start = stop
    yield text[start:]


_PART = 8_192


def _withheld(text: str, matters: frozenset[Sensitive], of_anyone: bool) -> Withheld:
    if _ANY.search(text) is None and text.isascii() is False and _ANY.search(Plain(text).low) is None:
        return Withheld(text, frozenset())
    plain = Plain(text)
    told = [one for one in _told(plain, of_anyone) if one.matter == "state" or one.matter in matters]
    if not told:
        return Withheld(text, frozenset())
    chinese = any("\u3400" <= char <= "\u9fff" for char in text)
    pieces: list[str] = []
    end = 0
    for one in told:
        mark = _MARKS[one.matter][0 if chinese else 1]
        if one.start >= end:
            pieces += [text[end : one.start], mark]
        end = max(end, one.end)
    return Withheld("".join([*pieces, text[end:]]), frozenset(one.matter for one in told))


def _told(plain: Plain, of_anyone: bool) -> Iterator[Told]:
    low = plain.low
    for start, end in _sentences(low):
        sentence = low[start:end]
        if AGENCY.search(sentence) and NOT_PUBLIC.search(sentence):
            yield Told("state", *plain.span(*_trimmed(low, start, end)))
            continue
        yield from (Told(matter, *plain.span(*_trimmed(low, a, b))) for matter, a, b in _personal(sentence, start, of_anyone))


def _personal(sentence: str, offset: int, of_anyone: bool) -> Iterator[tuple[Matter, int, int]]:
    about = of_anyone or PERSON.search(sentence) or FOUND_OUT.search(sentence)
    for clause in _CLAUSE.finditer(sentence):
        words = clause.group()
        matter: Matter | None = None
        asked = QUESTION.search(sentence) and not PERSON.search(sentence) and not of_anyone
        if about and not asked and _is_illness(words, sentence):
            matter = "health"
        elif RELIGION.search(words):
            matter = "religion"
        elif POLITICS.search(words):
            matter = "politics"
        elif AUTHORITIES.search(words) and PERSON.search(sentence):
            matter = "government"
        if matter is not None:
            yield matter, offset + clause.start(), offset + clause.end()


def _is_illness(clause: str, sentence: str) -> bool:
    if NOT_A_PERSON.search(sentence):
        return False
    return ILLNESS.search(NO_ILLNESS.sub(lambda word: "·" * len(word.group()), clause)) is not None


def _sentences(low: str) -> Iterator[tuple[int, int]]:
    for long in _SENTENCE.finditer(low):
        start = long.start()
        for stop in [*(dot.start() for dot in _DOT.finditer(low, *long.span())), long.end()]:
            while stop - start > _LONGEST:  # no sentence that anybody says
                yield start, start + _LONGEST
                start += _LONGEST
            if start < stop:
                yield start, stop
            start = stop


def _trimmed(low: str, start: int, end: int) -> tuple[int, int]:
    """Without the white space at the head and the marks at the tail."""
    while start < end - 1 and low[start] in " \n":
        start += 1
    while end > start + 1 and low[end - 1] in " \n,。!?;.":
        end -= 1
    return start, end


_ANY = re.compile("|".join(pattern.pattern for pattern in (ILLNESS, RELIGION, POLITICS, AUTHORITIES, NOT_PUBLIC)), re.ASCII | re.IGNORECASE)
