"""Which turns were said just before and after each turn of the same conversation."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from memory.ports import Floats
from memory.rows import Rows

REACH = 2
"""Neighbours on each side that count."""
NOBODY = -1


class Neighbours:
    """A table of neighbour rows, kept in step with puts and drops of a :class:`Rows`; also the length of each turn's mixed vector.

    A turn that comes or goes costs a few cells around its place.
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
        place = bisect_left(order, (at, key))
        order.insert(place, (at, key))
        self._link(order, place)

    def drop(self, row: int, last: int, key: str, conversation: str, at: float) -> None:
        """Forgets a turn after the rows dropped it; ``last`` is the row that moved to ``row``."""
        order = self._order[conversation]
        place = bisect_left(order, (at, key))
        del order[place]
        if not order:
            del self._order[conversation]
        if last != row:
            self._move(last, row)
        self._cells[last] = NOBODY
        self._stale.discard(last)
        self._link(order, place)

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

    def _move(self, last: int, row: int) -> None:
        """The turn of ``last`` has ``row`` now: so its neighbours name it."""
        self._cells[row] = self._cells[last]
        around = self._cells[row]
        for other in around[(around != NOBODY) & (around != row)]:
            self._cells[other][self._cells[other] == last] = row
        self._stale.add(row)

    def _link(self, order: list[tuple[float, str]], place: int) -> None:
        """Writes the cells of those that stand around a place where a turn came or went."""
        start = max(0, place - 2 * REACH)
        rows = [NOBODY if (row := self._rows.row(key)) is None else row for _, key in order[start : place + 2 * REACH + 1]]
        for at in range(max(0, place - REACH) - start, min(len(order), place + REACH + 1) - start):
            row = rows[at]
            self._stale.add(row)
            for distance in range(1, REACH + 1):
                self._cells[row, REACH - distance] = rows[at - distance] if at >= distance else NOBODY
                self._cells[row, REACH + distance - 1] = rows[at + distance] if at + distance < len(rows) else NOBODY

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
