"""feedback: what users said about replies, gathered to proposals (E3, E4). The shards do it; nothing changes before a person agrees."""

from __future__ import annotations

from jobs.frame import Task, require_none
from jobs.steps import table
from schemas.job import Report
from serve.shard.service import ShardService


async def run(task: Task) -> Report:
    """One row a shard and step. Again at once: the same samples propose nothing twice."""
    require_none(task.arguments)
    return table(await task.shards.each(ShardService.gather), "count")
