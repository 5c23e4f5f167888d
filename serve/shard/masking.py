"""Masks texts before they are stored (R32): what a client sends again and again is masked once, long texts beside the event loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memory.privacy import redact
from serve.shard.resources import Resources
from serve.unicode import whole

_SHORT = 2_000
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


@lru_cache(maxsize=4096)
def _masked_short(text: str) -> str:
    return redact(whole(text)).text
