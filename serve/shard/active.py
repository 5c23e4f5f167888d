"""The users whose memory is at hand: loaded from the lake on demand, evicted least recently used first (DESIGN §4)."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from lake.history import sealed_turns
from lake.store import Put
from memory.asking_leave import asked_in
from memory.memory_index import MemoryIndex
from memory.privacy import SENSITIVE, Sensitive
from memory.sentences import unpacked
from memory.thread import KnownThreads
from memory.turn_index import TurnIndex
from schemas.conversation import Conversation
from schemas.errors import EmbedderMismatch, Unavailable
from schemas.memory import Consent, Memory, Tombstone
from schemas.turn import Turn, TurnVector
from serve.shard.moments import Moments
from serve.shard.resources import Resources

log = logging.getLogger("laoma.shard")
_PATIENCE_S = 60.0
"""A standstill waits so long for those who are inside, seconds."""
_BYTES = {"hot": 3300, "node": 720, "conversation": 1500, "tombstone": 600}
"""One row's weight in memory, bytes, measured with tracemalloc; their texts are shared with the indexes and counted there."""


@dataclass
class ActiveUser:
    """One user's memory at hand. ``lock`` serialises decide-write-apply; readers need none (one event loop, no await inside a search).

    ``by_words_only``: the lake's vectors come from another embedder than the configured one; questions must not bring a vector then,
    and nothing is embedded before a restart. ``agreed``: the sensitive matters that may be kept, ``asked`` those
    that leave was asked for.
    """

    user: str
    memories: MemoryIndex
    turns: TurnIndex
    threads: KnownThreads
    hot: dict[str, Turn]
    conversations: dict[str, Conversation]
    tombstones: list[Tombstone]
    moments: Moments
    agreed: frozenset[Sensitive] = frozenset()
    asked: frozenset[Sensitive] = frozenset()
    by_words_only: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    in_use: int = 0
    accessed: set[str] = field(default_factory=set)

    @property
    def nbytes(self) -> int:
        """What it weighs in memory, bytes, roughly."""
        rows = {
            "hot": len(self.hot),
            "node": len(self.threads.nodes),
            "conversation": len(self.conversations),
            "tombstone": len(self.tombstones),
        }
        return self.memories.nbytes + self.turns.nbytes + sum(_BYTES[name] * count for name, count in rows.items())


class ActiveUsers:
    """An LRU of :class:`ActiveUser` under a count and a budget of bytes; one that is in use stays."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._users: OrderedDict[str, ActiveUser] = OrderedDict()
        self._loading: dict[str, asyncio.Task[ActiveUser]] = {}
        self._evicting = False
        self._inside: Counter[str] = Counter()
        self._moving, self._left = asyncio.Event(), asyncio.Event()
        self._moving.set()
        self._standing = asyncio.Lock()
        self._away: dict[str, asyncio.Event] = {}
        self.on_load: list[Callable[[ActiveUser], None]] = []

    @asynccontextmanager
    async def use(self, user: str) -> AsyncIterator[ActiveUser]:
        """The user, loaded and kept for as long as the block lasts."""
        while not self._inside[user] and (shut := self._shut(user)) is not None:  # who is inside may need another hand before leaving
            await shut.wait()
        self._inside[user] += 1
        try:
            active = await self._get(user)
            active.in_use += 1
            try:
                yield active
            finally:
                active.in_use -= 1
                await self._evict()
        finally:
            self._inside[user] -= 1
            self._inside += Counter()  # forgets those at zero
            self._left.set()

    def _shut(self, user: str) -> asyncio.Event | None:
        """What to wait for before the user may be used."""
        return self._away.get(user) or (None if self._moving.is_set() else self._moving)

    @asynccontextmanager
    async def away(self, user: str) -> AsyncIterator[None]:
        """Nobody uses this one user for as long as the block lasts, who is read anew after it; all others go on.

        Raises Unavailable where somebody does not leave.
        """
        async with self._standing:
            self._away[user] = asyncio.Event()
            alone = False
            try:
                await self._all_left(user)
                alone = True
                if (loading := self._loading.get(user)) is not None:
                    await asyncio.gather(loading, return_exceptions=True)
                if (active := self._users.get(user)) is not None:
                    async with active.lock:  # access counts that are being written are written before the block, and none after it
                        active.accessed.clear()
                yield
            finally:
                if alone:
                    self._users.pop(user, None)
                    self._loading.pop(user, None)
                self._away.pop(user).set()

    @asynccontextmanager
    async def standstill(self) -> AsyncIterator[None]:
        """Nobody is in use for as long as the block lasts, and all are read anew after it: for changes to the tables behind their backs.

        Callers wait meanwhile. Raises Unavailable where somebody does not leave.
        """
        async with self._standing:
            self._moving.clear()
            alone = False
            try:
                await self._all_left()
                alone = True
                await asyncio.gather(*self._loading.values(), return_exceptions=True)
                for active in self.loaded():
                    await self.write_accesses(active)
                    active.accessed.clear()
                yield
            finally:
                if alone:  # else somebody still works on what is at hand
                    self._users.clear()
                    self._loading.clear()
                self._moving.set()

    async def _all_left(self, user: str | None = None) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while self._inside if user is None else self._inside[user]:
                    self._left.clear()
                    await self._left.wait()
        except TimeoutError:
            raise Unavailable("The memory is busy with a long request: try again in a minute.", retry_after=60) from None

    def loaded(self) -> list[ActiveUser]:
        """Those at hand, least recently used first."""
        return list(self._users.values())

    async def write_accesses(self, active: ActiveUser) -> None:
        """Persist the access counts that recalls left in memory; they may lag behind, so they are written together. Never raises.

        Under the user's lock: a memory whose deletion is under way must not be written once more behind it.
        """
        if not active.accessed:
            return
        async with active.lock:
            ids, active.accessed = active.accessed, set()
            rows = [memory for id in sorted(ids) if (memory := active.memories.get(id)) is not None]
            try:
                await self._resources.commit([Put(rows)])
            except Exception as error:
                log.warning("access counts wait: %s", error)
                active.accessed |= ids

    async def drop_sealed(self, before: datetime) -> None:
        """Let go of the hot turns that a sealing took out of the tables: those before ``before`` that lie there no more."""
        for active in self.loaded():
            async with active.lock:
                old = [turn.id for turn in active.hot.values() if turn.at < before]
                if not old:
                    continue
                there = await self._still_hot(active.user, old)
                for id in old:
                    if id not in there:
                        del active.hot[id]

    async def _still_hot(self, user: str, ids: Sequence[str]) -> set[str]:
        rows = await self._resources.in_thread(lambda: self._resources.store.rows(Turn, user, ids=ids))
        return {turn.id for turn in rows}

    async def _get(self, user: str) -> ActiveUser:
        if user in self._users:
            self._users.move_to_end(user)
            return self._users[user]
        if user not in self._loading:
            self._loading[user] = asyncio.create_task(self._resources.in_thread(lambda: load(self._resources, user)))
        task = self._loading[user]
        try:
            active = await asyncio.shield(task)
        finally:
            if task.done():
                self._loading.pop(user, None)
        if user not in self._users:
            self._users[user] = active
            for told in self.on_load:
                told(active)
        return self._users[user]

    async def _evict(self) -> None:
        """One at a time; a victim stays at hand until its access counts are written, so that nobody loads it anew before."""
        if self._evicting:
            return
        self._evicting = True
        try:
            while self._over_budget() and (victim := self._victim()) is not None:
                victim.in_use += 1
                try:
                    await self.write_accesses(victim)
                finally:
                    victim.in_use -= 1
                if victim.in_use == 0:
                    victim.accessed.clear()
                    if self._users.get(victim.user) is victim:
                        del self._users[victim.user]
        finally:
            self._evicting = False

    def _over_budget(self) -> bool:
        budget = self._resources.settings.shard
        return len(self._users) > 1 and (len(self._users) > budget.users_in_memory or self._nbytes() > budget.cache_mb << 20)

    def _victim(self) -> ActiveUser | None:
        return next((one for one in self._users.values() if one.in_use == 0), None)

    def _nbytes(self) -> int:
        return sum(one.nbytes for one in self._users.values())


def load(resources: Resources, user: str) -> ActiveUser:
    """Read a user from the lake (blocking). With another embedder's vectors in the lake, memories are found by words alone."""
    store = resources.store
    rows = store.rows(Memory, user)
    by_words_only = False
    try:
        vectors = dict(zip(*store.vectors(Memory, user), strict=True))
        turn_vectors = dict(zip(*store.vectors(TurnVector, user), strict=True))
        sentences = store.values(TurnVector, user, "sentences")
    except EmbedderMismatch as error:
        log.warning("recall by words alone: %s", error.message)
        vectors, turn_vectors, sentences, by_words_only = {}, {}, {}, True
    memories = MemoryIndex(resources.embedder.name, resources.embedder.dim)
    memories.put_many(rows, [vectors.get(row.id) for row in rows])
    hot = {turn.id: turn for turn in store.rows(Turn, user)}
    turns = sorted([*sealed_turns(resources.store, resources.logs, user), *hot.values()], key=lambda turn: (turn.at, turn.id))
    index = TurnIndex(resources.embedder.name, resources.embedder.dim)
    threads = KnownThreads()
    threads.add_turns(turns)
    for turn in turns:
        index.put(turn, turn_vectors.get(turn.id), unpacked(sentences.get(turn.id), resources.embedder.dim))
    moments = Moments(resources.now, timedelta(seconds=resources.settings.shard.clock_leeway_s))
    moments.resume([*(turn.at for turn in turns), *(row.updated_at for row in rows)])
    return ActiveUser(
        user=user,
        memories=memories,
        turns=index,
        threads=threads,
        hot=hot,
        conversations={row.id: row for row in store.rows(Conversation, user)},
        tombstones=store.rows(Tombstone, user),
        moments=moments,
        agreed=SENSITIVE & {row.id for row in store.rows(Consent, user)},
        asked=asked_in(turns),
        by_words_only=by_words_only,
    )
