"""Invented memories in any number: texts of Chinese and English words as frequent as words are, and vectors that need no embedding."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from memory.ports import Floats
from schemas.memory import Kind, Memory

AT: Final = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
_KINDS: Final[tuple[Kind, ...]] = ("fact", "preference", "event")
_WORDS = 20_000
_FIRST_HAN, _HAN = 0x4E00, 5000
_LETTERS = "etaoinshrdlucmfwypvbgk"


def memories(user: str, count: int, seed: int) -> list[Memory]:
    """``count`` memories of a user, 6-14 words each, half of them Chinese, confirmed within the last year."""
    random = np.random.default_rng(seed)
    days = random.integers(0, 365, count)
    return [
        Memory(
            id=f"{user}-{number}",
            user=user,
            kind=_KINDS[number % len(_KINDS)],
            key=f"bench/{number}",
            text=_text(random, number % 2 == 0),
            created_at=AT - timedelta(days=int(days[number])),
            updated_at=AT,
        )
        for number in range(count)
    ]


def vectors(count: int, dim: int, seed: int) -> Floats:
    """Random directions, shape (count, dim), of length 1."""
    drawn = np.random.default_rng(seed).standard_normal((count, dim), dtype=np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def questions(count: int, seed: int) -> list[str]:
    """``count`` different questions, half of them Chinese."""
    random = np.random.default_rng(seed)
    return [
        (f"我的{_text(random, True)[:12]}是什么？" if n % 2 == 0 else f"what did I say about {_text(random, False)[:30]}?")
        for n in range(count)
    ]


def _text(random: np.random.Generator, chinese: bool) -> str:
    # Zipf: a few words in most texts, most words in few
    ranks = np.minimum((_WORDS ** random.random(int(random.integers(6, 15)))).astype(int), _WORDS - 1)
    return "".join(_han(rank) for rank in ranks) + "。" if chinese else " ".join(_word(rank) for rank in ranks)


def _han(rank: int) -> str:
    return chr(_FIRST_HAN + rank * 7 % _HAN) + chr(_FIRST_HAN + rank * 13 % _HAN)


def _word(rank: int) -> str:
    letters = ""
    rest = rank + len(_LETTERS) ** 2
    while rest:
        rest, place = divmod(rest, len(_LETTERS))
        letters += _LETTERS[place]
    return letters
