"""seal: old turns and events leave the hot tables for Parquet logs. Each shard seals its own tables, being their only writer."""

from __future__ import annotations

from jobs.frame import Task, require_none
from schemas.job import Report
from serve.shard.service import ShardService


async def run(task: Task) -> Report:
    """One row a shard; how old is set by ``lake.seal_after_days``. Sealing again seals nothing twice."""
    require_none(task.arguments)
    done = await task.shards.each(ShardService.seal)
    return Report(columns=["shard", "done"], rows=[[number, words] for number, words in enumerate(done)])
