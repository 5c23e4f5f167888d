"""Masks texts before they are stored (R32): what a client sends again and again is masked once, long texts beside the event loop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory.normalise import digest
from memory.privacy import redact
from serve.shard.resources import Resources
from serve.unicode import whole

_SHORT = 2_000
_HASH = 16
"""Hex digits that keep masked ids apart: of the conversations of one user, and of the users of one agent."""
_MASKED_ID = re.compile(rf"\]~[0-9a-f]{{{_HASH}}}$")
_INLINE_CHARS = 20_000
"""About 40 ms of work: more goes to a thread."""


async def masked(resources: Resources, texts: Sequence[str]) -> list[str]:
    """The texts as they may be stored, in their order."""
    if sum(map(len, texts)) <= _INLINE_CHARS:
        return [mask(text) for text in texts]
    return await resources.in_thread(lambda: [mask(text) for text in texts])


def mask(text: str) -> str:
    """One text as it may be stored, whole Unicode."""
    return _masked_short(text) if len(text) <= _SHORT else redact(whole(text)).text


def masked_id(user: str, id: str) -> str:
    """A client's own id as it may be stored: one that holds a secret, or a phone number, is known by its mask and a hash.

    The same id always becomes the same one, and the masked one stays as it is, so a client may go on with either.
    """
    shown = mask(id)
    if shown == id or _MASKED_ID.search(id):
        return shown
    return f"{shown}~{digest(user, id)[:_HASH]}"


@lru_cache(maxsize=4096)
def _masked_short(text: str) -> str:
    return redact(whole(text)).text
