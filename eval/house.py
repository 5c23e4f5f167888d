"""A shard in this process over a temporary lake, with a clock that the suite sets: the code that serves, and nobody's live memory."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lake.place import Place
from lake.store import ShardStore
from memory.extract.offline import OfflineExtractor
from memory.extract.protocol import Extractor
from memory.ports import Embedder
from schemas.dialogue import Message, TurnsRequest
from schemas.memory import Change, Memory
from schemas.memory_api import MemoryView
from schemas.recall import RecallRequest, RecallResponse
from schemas.settings import Settings
from serve.shard.resources import Resources
from serve.shard.service import ShardService

START = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
"""Monday morning in Shanghai: when a simulated life begins unless told otherwise."""


class SimulatedClock:
    """Stands where it is set, but for a millisecond at each look, so that times order events."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at
        self._ticks = itertools.count()

    def __call__(self) -> datetime:
        """The time."""
        return self.at + timedelta(milliseconds=next(self._ticks))


@dataclass
class House:
    """What a suite does to a shard, by user: say something on some day, ask, look at what is remembered and why."""

    service: ShardService
    resources: Resources
    clock: SimulatedClock
    ids: itertools.count[int]

    async def say(self, user: str, messages: Sequence[Message], *, conversation: str) -> None:
        """A dialogue, at the clock's time; returns when its extraction is done."""
        request = TurnsRequest(messages=list(messages), conversation_id=conversation, wait=True)
        ids = [f"t{next(self.ids):09d}" for _ in messages]
        await self.service.ingest(user, request, ids, self.clock())

    async def ask(self, user: str, question: str, limit: int = 5) -> RecallResponse:
        """What is recalled for a question at the clock's time."""
        return await self.service.recall(user, RecallRequest(query=question, limit=limit, at=self.clock()))

    async def remembered(self, user: str) -> list[MemoryView]:
        """All memories, whatever their status, oldest first."""
        rows: list[MemoryView] = []
        for status in ("active", "probation", "pending", "deprecated", "archived"):
            rows += (await self.service.memories(user, None, None, status, 200, None)).data
        return sorted(rows, key=lambda row: (row.created_at, row.id))

    async def history(self, user: str, memory: str) -> list[Change]:
        """The decisions about a memory, oldest first."""
        return (await self.service.memory(user, memory)).history


@asynccontextmanager
async def open_house(folder: Path, embedder: Embedder, settings: Settings, extractor: Extractor | None = None) -> AsyncIterator[House]:
    """A running shard over ``folder``, stopped at the end; ``extractor`` None: the one that serves. The same calls in the same order give
    the same rows."""
    clock, numbers = SimulatedClock(), itertools.count(1)
    place = Place(folder)
    store = ShardStore(place.shard(0), embedder=embedder.name, dim=embedder.dim, settings=settings.lake, now=clock, holder="evaluation")
    reader = extractor or OfflineExtractor(embedder)
    resources = Resources(store, embedder, reader, settings, place.logs, clock, lambda: f"m{next(numbers):09d}")
    service = ShardService(resources)
    await service.start()
    try:
        yield House(service, resources, clock, itertools.count(1))
    finally:
        await service.stop()


__all__ = ["START", "House", "Memory", "SimulatedClock", "open_house"]
