"""Small worlds for tests of recall and turn search."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from memory.memory_index import MemoryIndex
from memory.ports import Embedder
from memory.recall import Question, RecallResult, recall
from memory.turn_index import TurnIndex
from schemas.memory import Memory
from schemas.settings import Embedding, Recall
from schemas.turn import Turn
from serve.embedders import build

NOW = datetime(2025, 12, 20, 12, 0, tzinfo=UTC)


@cache
def embedder() -> Embedder:
    """The real one, loaded once."""
    return build(Embedding())


def memory(number: int | str, text: str, **fields: Any) -> Memory:
    """A fact, created ten days before NOW unless told otherwise."""
    when = fields.pop("created_at", NOW - timedelta(days=10))
    return Memory(
        **{"id": str(number), "user": "u", "kind": "fact", "key": "k", "text": text, "created_at": when, "updated_at": when} | fields
    )


def index_of(*memories: Memory) -> MemoryIndex:
    """An index of memories with real vectors."""
    index = MemoryIndex(embedder().name, embedder().dim)
    index.put_many(memories, list(embedder().passage([one.text for one in memories])))
    return index


def ask(index: MemoryIndex, text: str, settings: Recall | None = None, **fields: Any) -> RecallResult:
    """Recall with a real question vector, as of NOW unless told otherwise."""
    return recall(index, Question(text, embedder().query([text])[0], fields.pop("at", NOW), **fields), settings or Recall())


def turn(number: int, content: str, **fields: Any) -> Turn:
    """A turn of conversation "c", one minute after the turn with the number before."""
    at = fields.pop("at", NOW - timedelta(days=30) + timedelta(minutes=number))
    return Turn(
        **{"id": str(number), "user": "u", "conversation": "c", "exchange": "e", "at": at, "role": "user", "content": content} | fields
    )


def turns_of(*turns: Turn, embedded: bool = True) -> TurnIndex:
    """An index of turns, with real vectors or with words only."""
    index = TurnIndex(embedder().name, embedder().dim)
    vectors = list(embedder().passage([one.content for one in turns])) if embedded else [None] * len(turns)
    for one, vector in zip(turns, vectors, strict=True):
        index.put(one, vector)
    return index
