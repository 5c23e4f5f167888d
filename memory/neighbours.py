"""Which turns were said just before and after each turn of the same conversation."""

from __future__ import annotations

from bisect import insort

import numpy as np
from numpy.typing import NDArray

from memory.ports import Floats
from memory.rows import Rows

REACH = 2
"""Neighbours on each side that count."""
NOBODY = -1


class Neighbours:
    """A table of neighbour rows, kept in step with puts and drops of a :class:`Rows`; also the length of each turn's mixed vector.

    A turn at the end of its conversation costs a few cells; one in the middle, or a drop, rewrites its conversation's cells.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._order: dict[str, list[tuple[float, str]]] = {}
        self._cells: NDArray[np.int32] = np.full((0, 2 * REACH), NOBODY, dtype=np.int32)
        self._norms: Floats = np.zeros(0, dtype=np.float32)
        self._stale: set[int] = set()
        self._weight: float | None = None

    @property
    def table(self) -> NDArray[np.int32]:
        """Rows of the neighbours, two before and two after, shape (n, 4); NOBODY where there is none."""
        return self._cells[: len(self._rows)]

    @property
    def nbytes(self) -> int:
        """Memory held, bytes."""
        return self._cells.nbytes + self._norms.nbytes

    def conversation_rows(self, conversation: str) -> NDArray[np.intp]:
        """The rows of a conversation in time order."""
        found = [self._rows.row(key) for _, key in self._order.get(conversation, ())]
        return np.array([row for row in found if row is not None], dtype=np.intp)

    def put(self, row: int, key: str, conversation: str, at: float) -> None:
        """Places a new turn (``row`` is the last one of the rows) by its time."""
        self._reserve(row + 1)
        self._cells[row] = NOBODY
        self._stale.add(row)
        order = self._order.setdefault(conversation, [])
        if order and order[-1] > (at, key):
            insort(order, (at, key))
            self._link(self.conversation_rows(conversation))
            return
        order.append((at, key))
        tail = [self._rows.row(other) for _, other in order[-1 - REACH :]]
        self._link_last([other for other in tail if other is not None])

    def drop(self, row: int, last: int, key: str, conversation: str, at: float, moved_conversation: str | None) -> None:
        """Forgets a turn after the rows dropped it; ``last`` is the row that moved to ``row``, of ``moved_conversation``."""
        order = self._order[conversation]
        order.remove((at, key))
        if not order:
            del self._order[conversation]
        self._cells[row] = NOBODY
        self._cells[last] = NOBODY
        self._stale.discard(last)
        self._link(self.conversation_rows(conversation))
        if moved_conversation is not None and moved_conversation != conversation:
            self._link(self.conversation_rows(moved_conversation))

    def changed(self, row: int) -> None:
        """Tells that the vector of a row is another now."""
        self._stale.add(row)
        self._stale.update(int(other) for other in self._cells[row] if other != NOBODY)

    def mixed_norms(self, matrix: Floats, weight: float) -> Floats:
        """The length of each vector of ``matrix`` plus ``weight`` x those of its neighbours, shape (n,)."""
        if weight != self._weight:
            self._weight = weight
            self._stale = set(range(len(self._rows)))
        if self._stale:
            rows = np.array(sorted(self._stale), dtype=np.intp)
            for start in range(0, len(rows), 4096):
                self._measure(matrix, rows[start : start + 4096], weight)
            self._stale.clear()
        return self._norms[: len(self._rows)]

    def spread(self, values: Floats) -> Floats:
        """The sum of the neighbours' values of each row, shape (n,)."""
        padded = np.append(values, np.float32(0))
        return np.asarray(padded[self.table].sum(axis=1), dtype=np.float32)

    def before(self, values: Floats) -> Floats:
        """The value of the turn right before each row, 0 where there is none, shape (n,)."""
        return np.asarray(np.append(values, np.float32(0))[self.table[:, REACH - 1]], dtype=np.float32)

    def _measure(self, matrix: Floats, rows: NDArray[np.intp], weight: float) -> None:
        mixed = matrix[rows]
        for column in self._cells[rows].T:
            present = (column != NOBODY)[:, None]
            mixed += np.float32(weight) * np.where(present, matrix[column], 0)
        self._norms[rows] = np.maximum(np.linalg.norm(mixed, axis=1), 1e-6)

    def _link(self, rows: NDArray[np.intp]) -> None:
        self._cells[rows] = NOBODY
        for distance in range(1, REACH + 1):
            self._cells[rows[distance:], REACH - distance] = rows[:-distance]
            self._cells[rows[:-distance], REACH + distance - 1] = rows[distance:]
        self._stale.update(rows.tolist())

    def _link_last(self, tail: list[int]) -> None:
        newest = tail[-1]
        for distance, row in enumerate(reversed(tail[:-1]), start=1):
            self._cells[newest, REACH - distance] = row
            self._cells[row, REACH + distance - 1] = newest
            self._stale.add(row)

    def _reserve(self, rows: int) -> None:
        held = len(self._cells)
        if rows <= held:
            return
        capacity = max(64, rows, held * 3 // 2)
        cells = np.full((capacity, 2 * REACH), NOBODY, dtype=np.int32)
        cells[:held] = self._cells
        norms = np.zeros(capacity, dtype=np.float32)
        norms[:held] = self._norms
        self._cells, self._norms = cells, norms
