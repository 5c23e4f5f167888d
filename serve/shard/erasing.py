"""Deletion down to the last byte in one shard: a whole user, or what was deleted one by one since the last purge."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from lake.damaged import damaged_files, remove_damaged, written_at
from lake.erased import erased_since
from lake.erasure import erase_user
from lake.logs import writing
from serve.shard.active import ActiveUsers
from serve.shard.forgetting import forgotten_since
from serve.shard.resources import Resources


class Forgetting:
    """What :class:`ShardService` erases and purges."""

    def __init__(self, resources: Resources, users: ActiveUsers) -> None:
        self._resources, self._users = resources, users

    async def erase(self, user: str) -> int:
        """Every row of the user, hot and sealed, and its bytes; only this user waits meanwhile, and not while others seal or export.

        Returns how many rows. Raises Unavailable where a request of the user does not end.
        """
        store, logs = self._resources.store, self._resources.logs
        async with self._resources.threads.bulk(), self._users.away(user):
            rows = await self._resources.threads.run_bulk(lambda: erase_user(store, logs, user))
        await self._resources.in_thread(lambda: store.maintain(purge=True), "bulk")
        return rows

    async def purge(self) -> str:
        """Rewrite what still holds deleted rows, keep no old version, and no unreadable log file that may hold them, while serving."""
        removed = await self._resources.in_thread(self._remove_damaged, "bulk")
        held = await self._resources.in_thread(lambda: self._resources.store.maintain(purge=True), "bulk")
        words = ["purged", *(f"{path.name} of {path.parent.name} was unreadable and went" for path in removed)]
        return "; ".join([*words, f"a tag holds old versions of {', '.join(held)}"] if held else words)

    def _remove_damaged(self) -> list[Path]:
        store, logs = self._resources.store, self._resources.logs
        with writing:
            doubtful = [path for path in damaged_files(store, logs) if self._deleted_since(written_at(path))]
            left = remove_damaged(store, doubtful)
        return [path for path in doubtful if path not in left]

    def _deleted_since(self, at: datetime) -> bool:
        return not forgotten_since(self._resources.store, at, erased_since(self._resources.logs.parent, at)).nothing
