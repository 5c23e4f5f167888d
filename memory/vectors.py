"""Exact nearest neighbours over one matrix in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.ports import Floats
from memory.rows import Rows

_FIRST_ROWS = 64


class VectorIndex:
    """A growable (n, dim) float32 matrix, contiguous and without holes; one search is one dot product.

    Not safe for concurrent writes: one owner.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.rows = Rows()
        self._matrix: Floats = np.zeros((0, dim), dtype=np.float32)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def matrix(self) -> Floats:
        """The vectors, shape (n, dim): a view, row i belongs to ``rows.ids[i]``."""
        return self._matrix[: len(self.rows)]

    @property
    def nbytes(self) -> int:
        """Memory held, spare capacity included, bytes."""
        return self._matrix.nbytes

    def get(self, key: str) -> Floats | None:
        """The vector of an id (a view), None where it is not held."""
        row = self.rows.row(key)
        return None if row is None else self._matrix[row]

    def put(self, key: str, vector: Floats) -> int:
        """Adds or overwrites one vector, shape (dim,); returns its row. ValueError where the shape is another."""
        if vector.shape != (self.dim,):
            raise ValueError(f"a vector of shape {vector.shape} in an index of {self.dim} dimensions")
        row, new = self.rows.put(key)
        if new:
            self._reserve(row + 1)
        self._matrix[row] = vector
        return row

    def put_many(self, keys: Sequence[str], vectors: Floats) -> None:
        """Adds or overwrites vectors, shape (len(keys), dim)."""
        self._reserve(len(self.rows) + len(keys))
        for key, vector in zip(keys, vectors, strict=True):
            self.put(key, vector)

    def drop(self, key: str) -> bool:
        """Removes one; the last row takes its place. False where it was not held."""
        moved = self.rows.drop(key)
        if moved is None:
            return False
        row, last = moved
        self._matrix[row] = self._matrix[last]
        self._matrix[last] = 0.0
        return True

    def dot(self, vector: Floats) -> Floats:
        """Dot product with every row, shape (n,)."""
        return self.matrix @ vector

    def search(self, vector: Floats, limit: int) -> list[tuple[str, float]]:
        """The ``limit`` ids of the greatest dot product, best first."""
        scores = self.dot(vector)
        return [(self.rows.ids[row], float(scores[row])) for row in best_rows(scores, limit).tolist()]

    def _reserve(self, rows: int) -> None:
        if rows <= len(self._matrix):
            return
        capacity = max(_FIRST_ROWS, rows, len(self._matrix) * 3 // 2)
        grown = np.zeros((capacity, self.dim), dtype=np.float32)
        grown[: len(self._matrix)] = self._matrix
        self._matrix = grown


def best_rows(scores: NDArray[np.floating], limit: int) -> NDArray[np.intp]:
    """Rows of the ``limit`` greatest scores, best first; equal scores in row order, so that a result never depends on chance."""
    count = min(limit, len(scores))
    if count <= 0:
        return np.zeros(0, dtype=np.intp)
    if count == len(scores):
        return np.argsort(-scores, kind="stable")
    bound = np.partition(scores, len(scores) - count)[len(scores) - count]
    rows = np.flatnonzero(scores >= bound)
    return rows[np.argsort(-scores[rows], kind="stable")[:count]]
