"""decay: what time does to memories (R10, R16-R19): confidence that lapses, what is archived, old events merged. The shards do it."""

from __future__ import annotations

from jobs.frame import Task, require_none
from jobs.steps import table
from schemas.job import Report
from serve.shard.service import ShardService


async def run(task: Task) -> Report:
    """One row a shard and step. Again at once: nothing more."""
    require_none(task.arguments)
    return table(await task.shards.each(ShardService.decay))
