"""What of a text is embedded (R8): pieces of bounded length, and questions without the names that would drown their meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from memory.ports import Floats

MAX_CHARS = 256
_POSSESSIVE = r"(?:'s|’s|的)?"


def pieces(text: str, max_chars: int = MAX_CHARS) -> list[str]:
    """``text`` in pieces of at most ``max_chars`` characters, cut after sentences, else clauses, else words, else anywhere.

    At least one piece, unless the text is blank: then none, and there is nothing to embed.
    """
    rest = " ".join(text.split())
    found = []
    while len(rest) > max_chars:
        cut = _cut(rest, max_chars)
        found.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*found, rest] if rest else found


def joined(vectors: Floats) -> Floats:
    """One vector for a text's pieces, shape (pieces, dim) to (dim,): their mean, of length 1."""
    if len(vectors) == 1:
        return np.asarray(vectors[0], dtype=np.float32)
    mean = vectors.mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-6), dtype=np.float32)


def question_text(text: str, names: Iterable[str], max_chars: int = MAX_CHARS) -> str:
    """What of a question is embedded: without the speakers' names (they would match every turn that names them), at most ``max_chars``.

    Of a longer text the end, where the question stands. The text itself where nothing else would be left.
    """
    bare = text
    for name in sorted(names, key=len, reverse=True):
        bare = re.sub(_name_pattern(name), " ", bare, flags=re.IGNORECASE)
    bare = " ".join(bare.split())
    if not re.search(r"\w", bare):
        bare = " ".join(text.split())
    return bare if len(bare) <= max_chars else bare[-max_chars:]


def named(text: str, names: Sequence[str]) -> list[str]:
    """Those of ``names`` that a text mentions."""
    return [name for name in names if re.search(_name_pattern(name), text, re.IGNORECASE)]


def _name_pattern(name: str) -> str:
    escaped = re.escape(name)
    return rf"(?<!\w){escaped}(?!\w){_POSSESSIVE}" if name.isascii() else escaped + _POSSESSIVE


def _cut(text: str, max_chars: int) -> int:
    """Where to cut: the last break in the second half of the window, the strongest kind of break first."""
    window = text[:max_chars]
    for marks in (r"[.!?;。！？；]", r"[,，、：:]", r"\s"):
        ends = [match.end() for match in re.finditer(marks, window)]
        if ends and ends[-1] > max_chars // 2:
            return ends[-1]
    return max_chars
