"""The sentences of a turn: what is said in one of them is found though the others speak of something else (R8, R35)."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from memory.embedding_text import MAX_CHARS, pieces
from memory.ports import Floats

MOST = 16
"""A longer turn is a document: it is found as a whole."""
_END = re.compile(r"(?:[!?;。！？；\n]|\.+(?=\s|$))+[\"'”’）)]*")
_SHORT = 12
_TOO_SHORT_TO_STAND = 20
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WIDE_COUNTS = 3
"""A Chinese character says as much as so many letters."""


def sentences(text: str, max_chars: int = MAX_CHARS) -> list[str]:
    """``text`` in sentences, none over ``max_chars`` characters; a very short one goes with the one before it.

    At least one, unless the text is blank. Of a text of more than :data:`MOST` sentences the pieces of
    :func:`memory.embedding_text.pieces`.
    """
    found: list[str] = []
    for sentence in _cut(text):
        bare = " ".join(sentence.split())
        if not bare:
            continue
        small = found and (width(found[-1]) < _TOO_SHORT_TO_STAND or width(bare) < _SHORT)
        if small and len(found[-1]) + 1 + len(bare) <= max_chars:
            found[-1] += " " + bare
        else:
            found += pieces(bare, max_chars)
    return found if found and len(found) <= MOST else pieces(text, max_chars)


def width(text: str) -> int:
    """How much a text says, in letters."""
    return len(text) + (_WIDE_COUNTS - 1) * len(_WIDE.findall(text))


def whole(vectors: Floats, texts: Sequence[str]) -> Floats:
    """The vector of a turn from those of its sentences, shape (n, dim) to (dim,): their mean by length, of length 1."""
    if len(vectors) == 1:
        return np.asarray(vectors[0], dtype=np.float32)
    mean = np.array([width(text) for text in texts], dtype=np.float32) @ vectors
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-6), dtype=np.float32)


def packed(vectors: Floats) -> str | None:
    """Sentence vectors as they are stored, half precision in base64; None where there is one alone, or too many."""
    if not 1 < len(vectors) <= MOST:
        return None
    return base64.b64encode(np.asarray(vectors, dtype="<f2").tobytes()).decode("ascii")


def unpacked(text: str | None, dim: int) -> Floats | None:
    """The vectors of :func:`packed`, shape (n, dim). None where there are none, or they are of another length."""
    if text is None:
        return None
    flat = np.frombuffer(base64.b64decode(text), dtype="<f2")
    return flat.reshape(-1, dim).astype(np.float32) if flat.size and flat.size % dim == 0 else None


def _cut(text: str) -> list[str]:
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]
