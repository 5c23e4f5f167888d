"""drift: memories that changed often are compared with what was said, and go back where their meaning has moved (R13)."""

from __future__ import annotations

from jobs.frame import Task, require_none
from jobs.steps import table
from schemas.job import Report
from serve.shard.service import ShardService


async def run(task: Task) -> Report:
    """One row a shard and step."""
    require_none(task.arguments)
    return table(await task.shards.each(ShardService.drift))
