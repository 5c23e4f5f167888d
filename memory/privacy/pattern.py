"""How finders are written: patterns over the folded text, and what the words shortly before a hit call it."""

from __future__ import annotations

import re
from collections.abc import Iterator

Spans = Iterator[tuple[int, int]]
NEAR = 24
"""How far back a word may stand that says what a number is."""


def rx(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Words and boundaries are ASCII ones, so that a number right after a Chinese character begins there."""
    return re.compile(pattern, flags | re.ASCII)


def called(low: str, start: int, cue: re.Pattern[str], near: int = NEAR) -> bool:
    """Whether the cue stands shortly before ``start``."""
    return cue.search(low, max(0, start - near), start) is not None
