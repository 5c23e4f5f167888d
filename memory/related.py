"""What a new statement does to a known one that fills no slot in common: a head over both vectors and word hints (R14)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memory.extract import filter
from memory.heads import Head, hints, load
from memory.normalise import is_chinese, mirror
from memory.persons import name_given, persons
from memory.ports import Embedder
from schemas.memory import USER_SUBJECT, Memory

Relation = Literal["replace", "merge", "coexist", "pending", "once", "none", "other"]
RELATIONS: tuple[Relation, ...] = ("replace", "merge", "coexist", "pending", "once", "none", "other")
"""``none``: talk about the same thing that states nothing; ``other``: another matter."""
_LASTING: tuple[Relation, ...] = ("replace", "merge", "coexist")
HEAD = "pairs"
NEAREST = 8
"""So many of the nearest known memories are looked at."""
_LONG = {True: 20, False: 60}


@dataclass(frozen=True)
class Related:
    """The known memory that a statement has to do with, how, and how surely (0-1)."""

    memory: Memory
    relation: Relation
    share: float


class Relations:
    """Reads the relation of a statement to known memories. Without a head for its embedder it knows none."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._head = embedder, load("memory", HEAD, embedder.name)

    def of(self, said: str, near: Sequence[Memory], subject: str = USER_SUBJECT) -> Related | None:
        """The surest relation to any of ``near`` but ``other`` and ``none``; None where there is none (blocking).

        More about somebody named completes what gave the name, whoever that is; else only memories of the same subject count.
        """
        if named := next((memory for memory in near if _speaks_of(said, memory)), None):
            return Related(named, "merge", 1.0)
        known = [memory for memory in near if memory.subject == subject]
        if self._head is None or not known:
            return None
        pairs = [(memory, text) for memory in known for text in (memory.text, memory.previous) if text]
        shares = self._head.shares(table([(text, said) for _, text in pairs], self._embedder, self._head))
        found = [_related(memory, row, former=text != memory.text) for (memory, text), row in zip(pairs, shares, strict=True)]
        return max((one for one in found if one is not None), key=lambda one: one.share, default=None)


def _related(memory: Memory, shares: NDArray[np.float64], *, former: bool) -> Related | None:
    """What the shares (classes,) say; a ``former`` text of the memory tells only that something goes back to it."""
    best = RELATIONS[int(shares.argmax())]
    if best in ("other", "none") or (former and best != "replace"):
        return None
    counted = _LASTING if best in _LASTING else (best,)  # whichever of the lasting ones it is, it has to do with the memory
    return Related(memory, best, 1.0 - float(np.prod([1.0 - shares[RELATIONS.index(one)] for one in counted])))


def _speaks_of(said: str, memory: Memory) -> bool:
    """Whether a statement tells more of somebody whom the memory has given a name ("豆包是柯基，四岁了")."""
    name = name_given(memory.text)
    return name is not None and said.startswith(name) and name_given(said) is None and persons(said) <= persons(memory.text)


def table(pairs: Sequence[tuple[str, str]], embedder: Embedder, head: Head) -> NDArray[np.float64]:
    """Features of the head for pairs (known, said), shape (n, features)."""
    texts = [text for pair in pairs for text in pair]
    chinese = np.array([is_chinese(text) for text in texts])
    vectors = head.centred(np.asarray(embedder.query(texts), dtype=np.float64), chinese)
    known, said = vectors[::2], vectors[1::2]
    near = (known * said).sum(1)
    form = np.array([_form(a, b) for a, b in pairs])
    return np.hstack([2.0 * said, 8.0 * known * said, 3.0 * np.c_[near, near**2], 1.2 * form])


def _form(known: str, said: str) -> list[float]:
    before, now = mirror(known), mirror(said)
    marks = [(bool(hint.search(before)), bool(hint.search(now))) for hint in hints("memory", "pairs").values()]
    one, other = _letters(before), _letters(now)
    shared = len(one & other)
    mood = filter.mood(now)
    return [
        *(float(new) for _, new in marks),
        *(float(old != new) for old, new in marks),
        shared / max(1, len(one)),
        shared / max(1, len(other)),
        float(shared > 0),
        min(len(said) / _LONG[is_chinese(said)], 2.0),
        float(mood == "once"),
        float(mood == "hedged"),
        float(bool(hints("memory", "statements")["like"].search(now))),
        float(is_chinese(known) == is_chinese(said)),
    ]


def _letters(text: str) -> set[str]:
    plain = re.sub(r"\W", "", text)
    return {plain[i : i + 2] for i in range(len(plain) - 1)}
