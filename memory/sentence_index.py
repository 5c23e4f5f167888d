"""The sentence vectors of turns that have several, beside one vector a turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.ports import Floats
from memory.rows import Rows
from memory.vectors import VectorIndex

_BYTES_A_SENTENCE = 260


class SentenceIndex:
    """Vectors by turn; ``rows`` are the turns'. Not safe for concurrent writes: one owner."""

    def __init__(self, dim: int, rows: Rows) -> None:
        self._vectors = VectorIndex(dim)
        self._turns = rows
        self._held: dict[str, int] = {}
        self._owners: NDArray[np.int32] | None = None

    @property
    def nbytes(self) -> int:
        """Memory held, bytes."""
        return self._vectors.nbytes + len(self._vectors) * _BYTES_A_SENTENCE

    def put(self, turn: str, vectors: Floats) -> None:
        """The sentence vectors of a turn, shape (n, dim), in the place of those it had."""
        self.drop(turn)
        self._vectors.put_many([_key(turn, number) for number in range(len(vectors))], vectors)
        self._held[turn] = len(vectors)
        self._owners = None

    def drop(self, turn: str) -> None:
        """Removes those of a turn, if there are any."""
        for number in range(self._held.pop(turn, 0)):
            self._vectors.drop(_key(turn, number))
            self._owners = None

    def moved(self) -> None:
        """To be called after rows of the turns changed places."""
        self._owners = None

    def best(self, query: Floats, own: Floats) -> Floats:
        """The dot product of the query with each turn's best sentence, shape (n,); ``own``, shape (n,), where it has one alone."""
        best = own.copy()
        if self._held:
            owners = self._owner_rows()
            best[owners] = -1.0
            np.maximum.at(best, owners, self._vectors.dot(query))
        return best

    def _owner_rows(self) -> NDArray[np.int32]:
        if self._owners is None:
            turns = (self._turns.row(key.rpartition(_MARK)[0]) for key in self._vectors.rows.ids)
            self._owners = np.fromiter((-1 if row is None else row for row in turns), dtype=np.int32, count=len(self._vectors))
        return self._owners


_MARK = "\x00"


def _key(turn: str, number: int) -> str:
    return f"{turn}{_MARK}{number}"
