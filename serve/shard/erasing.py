"""Deletion down to the last byte in one shard: a whole user, or what was deleted one by one since the last purge."""

from __future__ import annotations

from lake.erasure import erase_user
from serve.shard.active import ActiveUsers
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
        """Rewrite what still holds deleted rows, and keep no old version, while serving."""
        held = await self._resources.in_thread(lambda: self._resources.store.maintain(purge=True), "bulk")
        return "purged" if not held else f"purged; a tag holds old versions of {', '.join(held)}"
