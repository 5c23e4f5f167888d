"""What the parts of a shard share: store, embedder, extractor, settings, clock and ids."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

from lake.store import ShardStore, Write
from memory.extract.protocol import Extractor
from memory.ports import Embedder
from schemas.settings import Settings
from serve.chat_model.protocol import ChatModel
from serve.shard.calm import Calm
from serve.shard.threads import Lane, Threads

T = TypeVar("T")


@dataclass(frozen=True)
class Resources:
    """Passed to every part of the shard. ``now`` and ``new_id`` are the only clock and source of ids below it.

    ``model`` is for background work, None where there is none; ``learns``: it is good enough to read memories out of turns.
    """

    store: ShardStore
    embedder: Embedder
    extractor: Extractor
    settings: Settings
    logs: Path
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    threads: Threads = field(default_factory=Threads)
    calm: Calm = field(default_factory=Calm)
    model: ChatModel | None = None
    learns: Callable[[], bool] = lambda: False

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone."""
        return ZoneInfo(self.settings.zone)

    async def commit(self, writes: Sequence[Write]) -> None:
        """Durable when it returns; all of ``writes`` or none."""
        await asyncio.wrap_future(self.store.commit(writes))

    async def in_thread(self, work: Callable[[], T], lane: Lane = "scan") -> T:
        """Run blocking work (a table scan, an embedding, a long text's masking) beside the event loop."""
        return await self.threads.run(lane, work)
