"""One user's turns at hand, each with its neighbours: what was said just before and after belongs to its meaning."""

from __future__ import annotations

from collections.abc import Set
from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.calibration import Calibration, calibration_of
from memory.embedding_text import question_text
from memory.neighbours import Neighbours
from memory.ports import Floats
from memory.sentence_index import SentenceIndex
from memory.turn_marks import asks, is_question, says_a_time
from memory.vectors import VectorIndex
from memory.word_index import WordIndex
from schemas.turn import Turn

_BYTES_A_TURN = 2400
"""A row with its ids, without its text, bytes; measured with tracemalloc."""
_NAME_ROLES = {"user", "assistant"}


class TurnIndex:
    """All turns of one user, whether embedded yet or not. Not safe for concurrent use: one owner, one thread.

    A vector is that of the turn's own text (:mod:`memory.sentences`); neighbours are mixed in while searching, so that a new turn,
    or a vector that comes late, rewrites nothing.
    """

    def __init__(self, embedder_name: str, dim: int, calibration: Calibration | None = None) -> None:
        self.embedder = embedder_name
        self.calibration = calibration or calibration_of(embedder_name, dim)
        self.vectors = VectorIndex(dim)
        self.words = WordIndex()
        self._turns: list[Turn] = []
        self.neighbours = Neighbours(self.vectors.rows)
        self.sentences = SentenceIndex(dim, self.vectors.rows)
        self._speakers: dict[str, int] = {}
        self._columns = np.zeros(0, dtype=_ROW)
        self._text_bytes = 0
        self._waiting: set[str] = set()

    def __len__(self) -> int:
        return len(self._turns)

    @property
    def nbytes(self) -> int:
        """Memory held, estimated for the turns and words, bytes."""
        rows = len(self) * _BYTES_A_TURN + self._text_bytes
        return rows + self.vectors.nbytes + self.sentences.nbytes + self.words.nbytes + self.neighbours.nbytes + self._columns.nbytes

    @property
    def complete(self) -> bool:
        """Whether every turn has its vector."""
        return not self._waiting

    @property
    def waiting(self) -> Set[str]:
        """Turns without a vector yet: the set itself, to be read and not kept."""
        return self._waiting

    @property
    def names(self) -> list[str]:
        """The speakers' names that occur."""
        return list(self._speakers)

    @property
    def columns(self) -> NDArray[Any]:
        """By row: ``at`` epoch seconds, ``speaker`` (index in :attr:`names`, -1 none), ``assistant``, ``question`` (ends as
        one), ``asks`` (anything), ``timed`` (says a time)."""
        return self._columns[: len(self._turns)]

    def question_text(self, text: str) -> str:
        """What of a question is to be embedded before :func:`memory.turn_search.search`."""
        return question_text(text, self.names)

    def put(self, turn: Turn, vector: Floats | None = None, sentences: Floats | None = None) -> None:
        """Adds or overwrites a turn; words are found at once.

        ``vector``, shape (dim,), and the vectors of its ``sentences``, shape (n, dim), may come later with :meth:`set_vector`.
        """
        if turn.id in self.vectors.rows:
            self.drop(turn.id)
        row = self.vectors.put(turn.id, self._centred(turn, vector))
        self._put_sentences(turn, sentences)
        self.words.put(turn.id, turn.content)
        self._turns.append(turn)
        self._text_bytes += getsizeof(turn.content)
        if vector is None:
            self._waiting.add(turn.id)
        self._write_columns(row, turn)
        self.neighbours.put(row, turn.id, turn.conversation, turn.at.timestamp())

    def set_vector(self, turn_id: str, vector: Floats, sentences: Floats | None = None) -> bool:
        """Gives a turn its vector, shape (dim,), and those of its sentences, shape (n, dim). False where the turn is not held."""
        row = self.vectors.rows.row(turn_id)
        if row is None:
            return False
        self.vectors.put(turn_id, self._centred(self._turns[row], vector))
        self._put_sentences(self._turns[row], sentences)
        self._waiting.discard(turn_id)
        self.neighbours.changed(row)
        return True

    def drop(self, turn_id: str) -> bool:
        """Removes a turn at once. False where it was not held."""
        row = self.vectors.rows.row(turn_id)
        if row is None:
            return False
        turn = self._turns[row]
        self.vectors.drop(turn_id)
        self.sentences.drop(turn_id)
        self.sentences.moved()
        self.words.drop(turn_id)
        self._waiting.discard(turn_id)
        self._text_bytes -= getsizeof(turn.content)
        self._columns[row] = self._columns[len(self._turns) - 1]
        last = self._turns.pop()
        if row < len(self._turns):
            self._turns[row] = last
        self.neighbours.drop(row, len(self._turns), turn_id, turn.conversation, turn.at.timestamp())
        return True

    def get(self, turn_id: str) -> Turn | None:
        """A turn, None where it is not held."""
        row = self.vectors.rows.row(turn_id)
        return None if row is None else self._turns[row]

    def at(self, row: int) -> Turn:
        """The turn in a row."""
        return self._turns[row]

    def _centred(self, turn: Turn, vector: Floats | None) -> Floats:
        if vector is None:
            return np.zeros(self.vectors.dim, dtype=np.float32)
        return self.calibration.passage(vector, turn.content)

    def _put_sentences(self, turn: Turn, vectors: Floats | None) -> None:
        if vectors is None:
            self.sentences.drop(turn.id)
        else:
            self.sentences.put(turn.id, self.calibration.passages(vectors, [turn.content] * len(vectors)))

    def _write_columns(self, row: int, turn: Turn) -> None:
        if row >= len(self._columns):
            self._columns = np.concatenate([self._columns, np.zeros(max(64, row // 2), dtype=_ROW)])
        speaker = -1
        if turn.speaker and turn.speaker not in _NAME_ROLES:
            speaker = self._speakers.setdefault(turn.speaker, len(self._speakers))
        marks = (is_question(turn.content), asks(turn.content), says_a_time(turn.content))
        self._columns[row] = (turn.at.timestamp(), speaker, turn.role == "assistant", *marks)


_ROW = np.dtype([("at", "f8"), ("speaker", "i4"), ("assistant", "?"), ("question", "?"), ("asks", "?"), ("timed", "?")])
