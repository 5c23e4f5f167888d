"""Builds the vectors of turns in the background, in small batches; what is missing is found again after a restart."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict

from lake.store import Put
from schemas.turn import Turn, TurnVector
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.embedding import embed
from serve.shard.resources import Resources

log = logging.getLogger("laoma.turn_vectors")
_BATCH = 8
_PAUSE_S = 0.02
_RETRY_S = 5.0


class TurnVectors:
    """A queue of turns to embed, and one worker that yields to requests between batches."""

    def __init__(self, resources: Resources, users: ActiveUsers) -> None:
        self._resources = resources
        self._users = users
        self._queue: OrderedDict[str, str] = OrderedDict()
        self._arrived = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        users.on_load = self._missing

    def start(self) -> None:
        """Work until :meth:`stop`."""
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Leave the rest for the next start."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    def add(self, turn: Turn) -> None:
        """Queue a turn, once."""
        self._queue.setdefault(turn.id, turn.user)
        self._arrived.set()

    def waiting(self) -> int:
        """Turns without a vector yet."""
        return len(self._queue)

    def _missing(self, active: ActiveUser) -> None:
        for id in active.turns.waiting:
            self._queue.setdefault(id, active.user)
        if self._queue:
            self._arrived.set()

    async def _work(self) -> None:
        while True:
            await self._arrived.wait()
            while self._queue:
                try:
                    await self._batch()
                    await asyncio.sleep(_PAUSE_S)
                except Exception as error:
                    log.warning("turn vectors wait: %s", error)
                    await asyncio.sleep(_RETRY_S)
            self._arrived.clear()

    async def _batch(self) -> None:
        user = next(iter(self._queue.values()))
        ids = [id for id, owner in self._queue.items() if owner == user][:_BATCH]
        resources = self._resources
        async with self._users.use(user) as active:
            turns = [turn for id in ids if id in active.turns.waiting and (turn := active.turns.get(id)) is not None]
            vectors = await embed(resources, [turn.content for turn in turns])
            async with active.lock:
                made = {turn.id: vector for turn, vector in zip(turns, vectors, strict=True) if active.turns.get(turn.id) is not None}
                rows = [
                    TurnVector(id=id, user=user, embedder=resources.embedder.name, vector=vector.tolist()) for id, vector in made.items()
                ]
                await resources.commit([Put(rows)])
                for id, vector in made.items():
                    active.turns.set_vector(id, vector)
        for id in ids:
            self._queue.pop(id, None)
