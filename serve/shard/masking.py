"""Masks texts before they are stored (R32): what a client sends again and again is masked once, long texts beside the event loop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from memory.normalise import digest
from memory.privacy import SENSITIVE, Sensitive, agrees, matters_left_out, neighbours, redact, withhold
from memory.privacy.redact import MARKS
from memory.privacy.sensitive import WITHHELD_MARKS
from serve.shard.resources import Resources
from serve.unicode import whole

Spoke = tuple[str, str]
"""Who, and what."""
_SHORT = 2_000
_MARK = re.compile(r"\[[^\[\]\n]{1,20}\]")
_ALL_MARKS = WITHHELD_MARKS | {mark for both in MARKS.values() for mark in both}
_QUESTION = 120
_HASH = 16
"""Hex digits that keep masked ids apart: of the conversations of one user, and of the users of one agent."""
_MASKED_ID = re.compile(rf"\]~[0-9a-f]{{{_HASH}}}$")
INLINE_CHARS = 20_000
"""About 20 ms of work: more goes to a thread."""


async def masked(resources: Resources, said: Sequence[Spoke], *, looks_ahead: bool = True) -> list[str]:
    """What was said as it may be stored, in its order; each speaker's words are read as one text, see :func:`masked_together`."""
    if sum(len(text) for _, text in said) <= INLINE_CHARS:
        return masked_by_speaker(said, looks_ahead=looks_ahead)
    return await resources.in_thread(lambda: masked_by_speaker(said, looks_ahead=looks_ahead))


def masked_by_speaker(said: Sequence[Spoke], *, looks_ahead: bool = True) -> list[str]:
    """Each speaker's texts masked together: what somebody says in between does not hide how a number goes on."""
    masks = [""] * len(said)
    for speaker in dict.fromkeys(speaker for speaker, _ in said):
        places = [place for place, (one, _) in enumerate(said) if one == speaker]
        questions = [said[place - 1][1][-_QUESTION:] if place and said[place - 1][0] != speaker else "" for place in places]
        texts = masked_together([said[place][1] for place in places], questions, looks_ahead=looks_ahead)
        for place, text in zip(places, texts, strict=True):
            masks[place] = text
    return masks


def masked_together(texts: Sequence[str], questions: Sequence[str] = (), *, looks_ahead: bool = True) -> list[str]:
    """Texts that follow one another: a secret cut between two is masked in both. ``questions``: what each answers, if anything.

    Without ``looks_ahead`` a text depends on those before it only, so that a history that grows keeps its masks.
    """
    said = [whole(text) for text in texts]
    beside = neighbours(said)
    asked = [whole(question) for question in questions] or [""] * len(said)
    return [
        _mask(text, before, after if looks_ahead else "", question)
        for text, (before, after), question in zip(said, beside, asked, strict=True)
    ]


def storable(text: str, agreed: frozenset[Sensitive], *, of_anyone: bool = False) -> str:
    """A masked text without what its speaker has not agreed to have kept; leave given in the text itself counts for it."""
    return (_storable_short if len(text) <= _SHORT else _storable)(text, agreed, of_anyone)


def storable_dialogue(said: Sequence[Spoke], agreed: frozenset[Sensitive]) -> list[str]:
    """:func:`storable` of each; of a reply also what it says of anyone, where the question before it was cut."""
    kept: list[str] = []
    cut = False
    for speaker, text in said:
        kept.append(storable(text, agreed, of_anyone=cut and speaker == "assistant"))
        cut = leaves_out(kept[-1]) if speaker == "user" else cut
    return kept


def _storable(text: str, agreed: frozenset[Sensitive], of_anyone: bool) -> str:
    unasked = SENSITIVE - agreed
    held = withhold(text, unasked, of_anyone=of_anyone)
    return withhold(text, frozenset()).text if held.matters - {"state"} and not of_anyone and agrees(text) else held.text


_storable_short = lru_cache(maxsize=4096)(_storable)


def marks_in(text: str) -> Counter[str]:
    """The marks that stand for something in a stored text."""
    return Counter(mark for mark in _MARK.findall(text) if mark in _ALL_MARKS)


def leaves_out(text: str) -> bool:
    """Whether something was left out of a stored text for want of the user's leave."""
    return bool(matters_left_out(text))


def mask(text: str) -> str:
    """One text as it may be stored, whole Unicode."""
    return _mask(whole(text))


def _mask(text: str, before: str = "", after: str = "", question: str = "") -> str:
    return (_masked_short if len(text) <= _SHORT else _masked)(text, before, after, question)


def _masked(text: str, before: str, after: str, question: str) -> str:
    return redact(text, before=before, after=after, question=question).text


def masked_id(user: str, id: str) -> str:
    """A client's own id as it may be stored: one that holds a secret, or a phone number, is known by its mask and a hash.

    The same id always becomes the same one, and the masked one stays as it is, so a client may go on with either.
    """
    shown = mask(id)
    if shown == id or _MASKED_ID.search(id):
        return shown
    return f"{shown}~{digest(user, id)[:_HASH]}"


_masked_short = lru_cache(maxsize=4096)(_masked)
