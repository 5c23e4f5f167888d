"""One user's memories at hand: rows, vectors and words, kept in step with every write."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory.calibration import Calibration, calibration_of
from memory.memory_columns import MemoryColumns
from memory.ports import Floats
from memory.profile import may_stand
from memory.vectors import VectorIndex
from memory.word_index import WordIndex
from schemas.memory import Memory

_BYTES_A_MEMORY = 1600


class MemoryIndex:
    """All memories of one user, whatever their status: what may be recalled is decided by each question (R20).

    Vectors are kept centred (:mod:`memory.calibration`). Not safe for concurrent use: one owner, one thread.
    """

    def __init__(self, embedder_name: str, dim: int, calibration: Calibration | None = None) -> None:
        self.embedder = embedder_name
        self.calibration = calibration or calibration_of(embedder_name, dim)
        self.vectors = VectorIndex(dim)
        self.words = WordIndex()
        self.columns = MemoryColumns()
        self._memories: list[Memory] = []
        self._standing: dict[str, Memory] = {}
        self._text_bytes = 0

    def __len__(self) -> int:
        return len(self._memories)

    @property
    def nbytes(self) -> int:
        """Memory held, estimated for the rows and words, bytes."""
        rows = len(self) * _BYTES_A_MEMORY + self._text_bytes
        return rows + self.vectors.nbytes + self.words.nbytes + self.columns.nbytes

    def put(self, memory: Memory, vector: Floats | None) -> None:
        """Adds or overwrites a memory. ``vector`` has shape (dim,); None (not embedded, or by another embedder): found by words only."""
        dim = self.vectors.dim
        centred = np.zeros(dim, dtype=np.float32) if vector is None else self.calibration.passage(vector, memory.text)
        row = self.vectors.put(memory.id, centred)
        self.words.put(memory.id, memory.text)
        self.columns.put(row, memory)
        self._text_bytes += len(memory.text) * 4
        kept = memory if memory.vector is None else memory.model_copy(update={"vector": None})
        if row == len(self._memories):
            self._memories.append(kept)
        else:
            self._text_bytes -= len(self._memories[row].text) * 4
            self._memories[row] = kept
        self._note(kept)

    def put_many(self, memories: Sequence[Memory], vectors: Sequence[Floats | None]) -> None:
        """Adds or overwrites many; one vector (or None) for each."""
        for memory, vector in zip(memories, vectors, strict=True):
            self.put(memory, vector)

    def drop(self, memory_id: str) -> bool:
        """Removes a memory at once from every route. False where it was not held."""
        row = self.vectors.rows.row(memory_id)
        if row is None:
            return False
        self.vectors.drop(memory_id)
        self.words.drop(memory_id)
        self.columns.drop(row)
        self._text_bytes -= len(self._memories[row].text) * 4
        self._standing.pop(memory_id, None)
        last = self._memories.pop()
        if row < len(self._memories):
            self._memories[row] = last
        return True

    def get(self, memory_id: str) -> Memory | None:
        """A memory (without its vector), None where it is not held."""
        row = self.vectors.rows.row(memory_id)
        return None if row is None else self._memories[row]

    def at(self, row: int) -> Memory:
        """The memory in a row."""
        return self._memories[row]

    def all(self) -> list[Memory]:
        """All memories (without vectors), in row order."""
        return list(self._memories)

    def renew(self, memory: Memory) -> None:
        """Overwrites a held memory whose text did not change: its vector and words stay. KeyError where it is not held."""
        row = self.vectors.rows.row(memory.id)
        if row is None:
            raise KeyError(memory.id)
        self.columns.put(row, memory)
        self._memories[row] = memory if memory.vector is None else memory.model_copy(update={"vector": None})
        self._note(self._memories[row])

    def may_stand(self) -> list[Memory]:
        """The few that the standing profile is chosen from (R21): so that a reply need not look at all."""
        return list(self._standing.values())

    def _note(self, memory: Memory) -> None:
        if may_stand(memory):
            self._standing[memory.id] = memory
        else:
            self._standing.pop(memory.id, None)
