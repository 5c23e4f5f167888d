"""A shard's part in snapshots: freezing itself, going back to a frozen state, keeping frozen ones free of what was deleted since."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel

from lake.durable import replace_text
from lake.erased import erased_since
from lake.erasure import erase_user
from lake.frozen import deleted_bytes, freeze, frozen_root, open_frozen, require_whole, thaw
from lake.opening import TABLES
from lake.place import Place
from lake.store import ShardStore
from schemas.errors import LaomaError
from schemas.snapshot import FrozenShard, Snapshot
from schemas.turn import Turn
from serve.shard.active import ActiveUsers
from serve.shard.forgetting import Forgotten, forget_again, forgotten_since
from serve.shard.resources import Resources

log = logging.getLogger("laoma.shard")
_MARK = "thawing.json"


class Thawing(BaseModel):
    """A restore under way, written down before the first change: one that was killed is finished at the next start."""

    snapshot: Snapshot
    forgotten: Forgotten


class ShardSnapshots:
    """Snapshots as one shard sees them. ``changed`` is called after the tables became others."""

    def __init__(self, resources: Resources, users: ActiveUsers, changed: Callable[[list[Turn]], None]) -> None:
        self._resources, self._users, self._changed = resources, users, changed
        self._number = int(resources.store.root.name)

    async def freeze(self, name: str) -> FrozenShard:
        """Put the shard as it is now into the folder of a snapshot."""
        for active in self._users.loaded():
            await self._users.write_accesses(active)
        store, logs = self._resources.store, self._resources.logs
        return await self._resources.in_thread(lambda: freeze(store, logs, self._folder(name)), "bulk")

    async def check(self, snapshot: Snapshot) -> None:
        """Read this shard's part of a snapshot. Raises LaomaError where it is damaged."""
        tables = frozen_root(self._folder(snapshot.name), str(self._number)) / TABLES
        await self._resources.in_thread(lambda: require_whole(tables, snapshot.shards[self._number].rows, exactly=False), "bulk")

    async def thaw(self, snapshot: Snapshot) -> int:
        """Go back to a snapshot; what was deleted after it is deleted again. Returns how many deletions that were."""
        async with self._resources.threads.bulk(), self._users.standstill():
            replayed = await self._resources.threads.run_bulk(lambda: self._begin(snapshot))
            pending = await self._resources.in_thread(self._pending)
        self._changed(pending)
        return replayed

    async def scrub(self, snapshot: Snapshot) -> FrozenShard:
        """Take out of a snapshot what was deleted after it, and the bytes of what had been deleted before."""
        return await self._resources.in_thread(lambda: self._scrub(snapshot), "bulk")

    async def erase(self, snapshot: Snapshot, user: str) -> tuple[int, FrozenShard]:
        """Take a user out of a snapshot; the number of this shard and what it holds there now."""

        def work(store: ShardStore, logs: Path) -> None:
            erase_user(store, logs, user)

        return self._number, await self._resources.in_thread(lambda: self._clean(snapshot, work), "bulk")

    def resume(self) -> None:
        """At a start, before anything is answered: finish a restore that was killed."""
        mark = self._resources.store.root / _MARK
        if mark.exists():
            log.warning("a restore was broken off: it is finished now")
            try:
                self._finish(Thawing.model_validate_json(mark.read_bytes()))
            except LaomaError as error:  # a shard that never opens again would be worse
                log.error("the restore can't be finished, its snapshot is gone or damaged (%s): go back to another one", error.message)
                mark.unlink()

    def _folder(self, name: str) -> Path:
        return Place(self._home).snapshots / name

    @property
    def _home(self) -> Path:
        return self._resources.logs.parent

    def _begin(self, snapshot: Snapshot) -> int:
        store = self._resources.store
        frozen = snapshot.shards[self._number]
        require_whole(frozen_root(self._folder(snapshot.name), str(self._number)) / TABLES, frozen.rows, exactly=False)
        forgotten = forgotten_since(store, snapshot.at, erased_since(self._home, snapshot.at))
        thawing = Thawing(snapshot=snapshot, forgotten=forgotten)
        replace_text(store.root / _MARK, thawing.model_dump_json())
        return self._finish(thawing)

    def _finish(self, thawing: Thawing) -> int:
        store, logs = self._resources.store, self._resources.logs
        thaw(store, logs, self._folder(thawing.snapshot.name), thawing.snapshot.shards[self._number])
        replayed = forget_again(store, logs, thawing.forgotten)
        store.flush()
        (store.root / _MARK).unlink()
        return replayed

    def _pending(self) -> list[Turn]:
        return self._resources.store.rows(Turn, None, where="extraction = 'pending'")

    def _scrub(self, snapshot: Snapshot) -> FrozenShard:
        forgotten = forgotten_since(self._resources.store, snapshot.at, erased_since(self._home, snapshot.at))
        if forgotten.nothing and not deleted_bytes(self._folder(snapshot.name)):
            return snapshot.shards[self._number]
        return self._clean(snapshot, lambda store, logs: forget_again(store, logs, forgotten))

    def _clean(self, snapshot: Snapshot, work: Callable[[ShardStore, Path], object]) -> FrozenShard:
        frozen = snapshot.shards[self._number]
        store, logs = open_frozen(self._folder(snapshot.name), self._number, frozen, self._resources.settings.lake, self._resources.now)
        with store:
            work(store, logs)
            store.maintain(purge=True)
            rows = {name: table.rows for name, table in store.stats().tables.items()}
        return frozen.model_copy(update={"rows": rows})
