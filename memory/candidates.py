"""Which memories a new statement can touch: those that :func:`memory.adjudicate.adjudicate` need look at, of ten thousand a few hundred."""

from __future__ import annotations

import numpy as np

from memory.memory_index import MemoryIndex
from memory.normalise import fold
from memory.ports import Floats
from memory.statement import Statement
from memory.vectors import best_rows
from schemas.memory import Memory

_FEW = 500
"""So many are looked at one by one: nothing is gained by choosing."""
_NEAREST = 200
_FAMILY = 2


def candidates(index: MemoryIndex, statement: Statement, vector: Floats | None) -> list[Memory]:
    """Memories of the statement's slot family (the first two parts of its key), those of the same text, and the nearest by meaning.

    ``vector`` is the passage vector of the statement's text, shape (dim,); None, or few memories: all of them.
    """
    if vector is None or len(index) <= _FEW:
        return index.all()
    near = best_rows(index.vectors.dot(index.calibration.passage(vector, statement.text)), _NEAREST)
    same = np.flatnonzero(index.columns["same_text"] == hash(fold(statement.text)))
    family = "/".join(statement.key.split("/")[:_FAMILY])
    below = f"{family}/"
    slots = [row for row, memory in enumerate(index.all()) if (key := memory.key).startswith(below) or key == family]
    return [index.at(row) for row in sorted({*near.tolist(), *same.tolist(), *slots})]


def nearest(index: MemoryIndex, statement: Statement, vector: Floats | None, count: int) -> list[Memory]:
    """The ``count`` living memories that lie nearest to a statement by meaning, nearest first; none without a vector."""
    if vector is None or not len(index):
        return []
    order = best_rows(index.vectors.dot(index.calibration.passage(vector, statement.text)), min(len(index), count * 4))
    found = (index.at(row) for row in order.tolist())
    return [one for one in found if one.status in ("active", "probation")][:count]
