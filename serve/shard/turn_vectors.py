"""Builds the vectors of turns in the background, in small batches; what is missing is found again after a restart."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from lake.store import Put
from memory.sentences import packed, unpacked
from schemas.errors import EmbedderMismatch
from schemas.turn import Turn, TurnVector
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.backlog import Backlog
from serve.shard.embedding import embed_turns
from serve.shard.resources import Resources

log = logging.getLogger("laoma.turn_vectors")
_BATCH = 8
_PAUSE_S = 0.02
_LONGEST_BUSY_S = 2.0
"""Under calls that never end a batch is embedded so often all the same, seconds."""
_RETRY_S = 5.0
_RETRY_MOST_S = 300.0


class TurnVectors:
    """A backlog of turns to embed, and one worker that yields to requests between batches.

    A user whose turns can't be embedded now steps aside while others go on. Where the lake's vectors come from another embedder,
    nothing is embedded before a restart.
    """

    def __init__(self, resources: Resources, users: ActiveUsers) -> None:
        self._resources = resources
        self._users = users
        self._backlog = Backlog(pause_s=_RETRY_S, longest_s=_RETRY_MOST_S)
        self._mismatch = False
        self._worker: asyncio.Task[None] | None = None
        users.on_load.append(self._missing)

    def start(self) -> None:
        """Work until :meth:`stop`."""
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Leave the rest for the next start."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)

    @property
    def alive(self) -> bool:
        """Whether the worker works, or is not meant to."""
        return self._worker is None or not self._worker.done()

    def add(self, turn: Turn) -> None:
        """Queue a turn, once."""
        if not self._mismatch:
            self._backlog.add(turn.user, turn.id)

    def waiting(self) -> int:
        """Turns without a vector yet."""
        return len(self._backlog)

    def _missing(self, active: ActiveUser) -> None:
        if self._mismatch or active.by_words_only:
            return
        for id in sorted(active.turns.waiting):
            self._backlog.add(active.user, id)

    async def _work(self) -> None:
        while True:
            user = await self._backlog.next()
            await self._resources.calm.comes(_LONGEST_BUSY_S)
            # one at a time after a failure: a single text may be what the embedder refuses
            ids = self._backlog.of(user, 1 if self._backlog.failures(user) else _BATCH)
            try:
                await self._batch(user, ids)
            except EmbedderMismatch as error:
                self._give_up(error)
            except Exception as error:
                log.warning("turn vectors of a user wait: %s", error)
                self._backlog.failed(user, behind=ids)
            else:
                self._backlog.done(user, ids)
            await asyncio.sleep(_PAUSE_S)

    def _give_up(self, error: EmbedderMismatch) -> None:
        log.warning("turns get no vectors before the next start: %s", error.message)
        self._mismatch = True
        self._backlog.clear()

    async def _batch(self, user: str, ids: Sequence[str]) -> None:
        resources = self._resources
        async with self._users.use(user) as active:
            if active.by_words_only:
                return
            turns = [turn for id in ids if id in active.turns.waiting and (turn := active.turns.get(id)) is not None]
            vectors = await embed_turns(resources, [turn.content for turn in turns])
            async with active.lock:
                made = {turn.id: vector for turn, vector in zip(turns, vectors, strict=True) if active.turns.get(turn.id) is not None}
                name = resources.embedder.name
                rows = [
                    TurnVector(id=id, user=user, embedder=name, vector=vector.tolist(), sentences=packed(sentences))
                    for id, (vector, sentences) in made.items()
                ]
                await resources.commit([Put(rows)])
                for row in rows:
                    active.turns.set_vector(row.id, made[row.id][0], unpacked(row.sentences, resources.embedder.dim))
