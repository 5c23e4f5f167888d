"""Masks texts before they are stored (R32): what a client sends again and again is masked once, long texts beside the event loop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory.normalise import digest
from memory.privacy import neighbours, redact
from serve.shard.resources import Resources
from serve.unicode import whole

_SHORT = 2_000
_HASH = 16
"""Hex digits that keep masked ids apart: of the conversations of one user, and of the users of one agent."""
_MASKED_ID = re.compile(rf"\]~[0-9a-f]{{{_HASH}}}$")
_INLINE_CHARS = 20_000
"""About 20 ms of work: more goes to a thread."""


async def masked(resources: Resources, texts: Sequence[str], *, before: str = "", looks_ahead: bool = True) -> list[str]:
    """The texts as they may be stored, in their order, read as one conversation: a secret cut between two is masked in both.

    ``before``: what was said last. Without ``looks_ahead`` a text depends on those before it only, so that a history that grows
    keeps its masks.
    """
    if sum(map(len, texts)) <= _INLINE_CHARS:
        return masked_together(texts, before=before, looks_ahead=looks_ahead)
    return await resources.in_thread(lambda: masked_together(texts, before=before, looks_ahead=looks_ahead))


def masked_together(texts: Sequence[str], *, before: str = "", looks_ahead: bool = True) -> list[str]:
    """Texts that follow one another, each masked with what stands beside it."""
    said = [whole(before), *map(whole, texts)]
    beside = neighbours(said)
    return [_mask(text, *(beside[number] if looks_ahead else (beside[number][0], ""))) for number, text in enumerate(said)][1:]


def mask(text: str) -> str:
    """One text as it may be stored, whole Unicode."""
    return _mask(whole(text), "", "")


def _mask(text: str, before: str, after: str) -> str:
    return (_masked_short if len(text) <= _SHORT else _masked)(text, before, after)


def _masked(text: str, before: str, after: str) -> str:
    return redact(text, before=before, after=after).text


def masked_id(user: str, id: str) -> str:
    """A client's own id as it may be stored: one that holds a secret, or a phone number, is known by its mask and a hash.

    The same id always becomes the same one, and the masked one stays as it is, so a client may go on with either.
    """
    shown = mask(id)
    if shown == id or _MASKED_ID.search(id):
        return shown
    return f"{shown}~{digest(user, id)[:_HASH]}"


_masked_short = lru_cache(maxsize=4096)(_masked)
