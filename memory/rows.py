"""Ids in dense rows 0..n-1: what vectors, words and columns of one index share."""

from __future__ import annotations


class Rows:
    """Which row holds which id. A dropped row is filled by the last one, so rows stay dense.

    Indexes that see the same puts and drops in the same order keep the same rows.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._row: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, key: str) -> bool:
        return key in self._row

    def row(self, key: str) -> int | None:
        """The row of an id, None where it is not held."""
        return self._row.get(key)

    def put(self, key: str) -> tuple[int, bool]:
        """The id's row and whether it is new (then the last row)."""
        row = self._row.get(key)
        if row is not None:
            return row, False
        self._row[key] = row = len(self.ids)
        self.ids.append(key)
        return row, True

    def drop(self, key: str) -> tuple[int, int] | None:
        """Removes an id. Returns (its row, the row that moved there); both are equal where it was the last. None: not held."""
        row = self._row.pop(key, None)
        if row is None:
            return None
        last = len(self.ids) - 1
        moved = self.ids.pop()
        if row != last:
            self.ids[row] = moved
            self._row[moved] = row
        return row, last
