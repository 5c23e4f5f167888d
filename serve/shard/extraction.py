"""From turns to memories, after the reply: one turn at a time, its statements, decisions and its own state committed together.

So it is idempotent: killed at any point, a turn is either still pending or settled with all that came of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict

from lake.store import Put, Write
from memory.adjudicate import adjudicate
from memory.edits import tombstoned
from memory.extract.protocol import Passage, Said
from memory.ports import Floats
from memory.remember import apply
from memory.statement import Statement
from schemas.errors import EmbedderMismatch, Unavailable
from schemas.memory import Change, Memory
from schemas.turn import Extraction, Turn
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.embedding import embed
from serve.shard.ledger import record
from serve.shard.resources import Resources

log = logging.getLogger("laoma.extraction")
_BEFORE = 6
_RETRY_S = 0.5
_RETRY_MOST_S = 30.0


class ExtractionQueue:
    """Pending turns in order, settled by one worker; clients may wait for a turn."""

    def __init__(self, resources: Resources, users: ActiveUsers) -> None:
        self._resources = resources
        self._users = users
        self._queue: OrderedDict[str, str] = OrderedDict()
        self._arrived = asyncio.Event()
        self._settled = asyncio.Condition()
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Take up what an earlier process left pending, then work until :meth:`stop`."""
        for turn in sorted(self._resources.store.rows(Turn, None, where="extraction = 'pending'"), key=lambda turn: (turn.at, turn.id)):
            self._queue.setdefault(turn.id, turn.user)
        self._arrived.set()
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Finish the turn at work, leave the rest pending."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    def add(self, turn: Turn) -> None:
        """Queue a turn, once."""
        if turn.extraction == "pending":
            self._queue.setdefault(turn.id, turn.user)
            self._arrived.set()

    def waiting(self, user: str | None = None) -> int:
        """Turns not settled yet."""
        return sum(1 for owner in self._queue.values() if user is None or owner == user)

    async def settled(self, turn_ids: list[str]) -> None:
        """Returns when none of these is waiting any more."""
        async with self._settled:
            await self._settled.wait_for(lambda: not any(id in self._queue for id in turn_ids))

    async def idle(self, user: str) -> None:
        """Returns when nothing of this user is waiting."""
        async with self._settled:
            await self._settled.wait_for(lambda: self.waiting(user) == 0)

    async def _work(self) -> None:
        pause = _RETRY_S
        while True:
            await self._arrived.wait()
            while self._queue:
                turn_id, user = next(iter(self._queue.items()))
                if not await self._settle(turn_id, user):
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, _RETRY_MOST_S)
                    continue
                pause = _RETRY_S
                async with self._settled:
                    self._queue.pop(turn_id, None)
                    self._settled.notify_all()
            self._arrived.clear()

    async def _settle(self, turn_id: str, user: str) -> bool:
        """False: the lake could not be written now, try again."""
        try:
            async with self._users.use(user) as active:
                turn = active.hot.get(turn_id)
                if turn is not None and turn.extraction == "pending":
                    await self._read(active, turn)
        except EmbedderMismatch as error:
            log.warning("turn %s stays pending: %s", turn_id, error.message)
        except Unavailable as error:
            log.warning("turn %s waits: %s", turn_id, error.message)
            return False
        except Exception:
            log.exception("turn %s could not be read for memories", turn_id)
            await self._mark_failed(user, turn_id)
        return True

    async def _read(self, active: ActiveUser, turn: Turn) -> None:
        """Reading and embedding, the slow part, leave the user's lock free for the turns that come meanwhile."""
        resources = self._resources
        passage = Passage(turn.content, turn.at, resources.zone, _before(active, turn))
        statements = await resources.in_thread(lambda: resources.extractor.extract(passage))
        texts = list(dict.fromkeys(statement.text for statement in statements))
        made = dict(zip(texts, await embed(resources, texts), strict=True))
        async with active.lock:
            if turn.id in active.hot:
                await self._decide(active, turn, statements, made)

    async def _decide(self, active: ActiveUser, turn: Turn, statements: list[Statement], made: dict[str, Floats]) -> None:
        memories: dict[str, Memory] = {}
        changes: list[Change] = []
        for statement in statements:
            if tombstoned(statement, active.tombstones, turn.at):
                continue
            held = {memory.id: memory for memory in active.memories.all()} | memories
            decision = adjudicate(statement, list(held.values()), turn.at)
            rows, reasons = apply(decision, statement, user=active.user, turn_id=turn.id, at=turn.at, new_id=self._resources.new_id)
            memories |= {row.id: row for row in rows}
            changes += reasons
        await self._finish(active, turn, "done", list(memories.values()), changes, made)

    async def _finish(
        self, active: ActiveUser, turn: Turn, state: Extraction, memories: list[Memory], changes: list[Change], made: dict[str, Floats]
    ) -> None:
        settled = turn.but(extraction=state)
        beside: list[Write] = [Put([settled])]
        conversation = active.conversations.get(turn.conversation)
        if conversation is not None:
            conversation = conversation.but(watermark=turn.id)
            beside.append(Put([conversation]))
        await record(self._resources, active, memories, changes, beside=beside, made=made)
        active.hot[turn.id] = settled
        if conversation is not None:
            active.conversations[conversation.id] = conversation

    async def _mark_failed(self, user: str, turn_id: str) -> None:
        async with self._users.use(user) as active, active.lock:
            turn = active.hot.get(turn_id)
            if turn is not None:
                await self._finish(active, turn, "failed", [], [], {})


def _before(active: ActiveUser, turn: Turn) -> tuple[Said, ...]:
    """The few utterances before a turn on its branch, oldest first."""
    said: list[Said] = []
    parent = turn.parent
    while parent is not None and len(said) < _BEFORE:
        one = active.turns.get(parent)
        if one is None:
            break
        said.append(Said(one.role, one.content))
        parent = one.parent
    return tuple(reversed(said))
