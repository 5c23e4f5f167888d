"""purge: no byte of what was deleted stays, neither in old versions of tables nor in snapshots (R31)."""

from __future__ import annotations

from jobs.frame import Task, require_none
from lake.snapshot_folder import alone
from schemas.job import Report
from serve import snapshots
from serve.shard.service import ShardService


async def run(task: Task) -> Report:
    """One row a shard, one for the snapshots. Purging again finds nothing."""
    require_none(task.arguments)
    async with alone(task.home):
        unreadable = snapshots.discard_unreadable(task.home)
        cleaned = await snapshots.scrub(task.shards, task.home)
    done = await task.shards.each(ShardService.purge)
    rows: list[list[str | int | float | None]] = [[f"shard {number}", words] for number, words in enumerate(done)]
    gone = [f"{name} was unreadable and went" for name in unreadable]
    return Report(columns=["where", "done"], rows=[*rows, ["snapshots", "; ".join([f"{cleaned} looked through", *gone])]])
