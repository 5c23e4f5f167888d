"""Erasing a user: every row, old versions, logs, snapshots (R31); and the nightly purge of what was deleted one by one."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

from lake.erased import note_erased
from lake.snapshot_folder import alone
from schemas.snapshot import Erased
from serve import imports, snapshots
from serve.shard.service import ShardService
from serve.shards import Shards


async def erase(shards: Shards, home: Path, user: str, at: datetime) -> Erased:
    """Nothing of the user is left in the data folder on return. Killed in between, doing it again does the rest.

    It is noted first, by a hash: a backup that is restored later doesn't bring them back.
    """
    note_erased(home, user, at)
    await asyncio.to_thread(imports.forget, home, user)
    async with alone(home):  # else a snapshot that is being made would still hold the user
        rows = await shards.call(ShardService.erase, user)
        snapshots.discard_unreadable(home)
        found = snapshots.listed(home)
        for snapshot in found:
            number, cleaned = await shards.call(ShardService.erase_frozen, user, snapshot)
            entries = [cleaned if index == number else one for index, one in enumerate(snapshot.shards)]
            snapshots.renew(home, snapshot, entries)
    return Erased(user=user, rows=rows, snapshots=len(found))
