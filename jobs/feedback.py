"""feedback: what users said about replies, gathered to proposals (E3, E4), each tried at the gate where a model was chosen (E9).

The shards gather; nothing changes before a person agrees.
"""

from __future__ import annotations

from jobs.frame import Task, require_none
from jobs.gate import try_all
from jobs.steps import table
from schemas.errors import LaomaError
from schemas.job import Report
from serve.shard.service import ShardService


async def run(task: Task) -> Report:
    """One row a shard and step, then what the gate said. Again at once: the same samples propose nothing twice."""
    require_none(task.arguments)
    report = table(await task.shards.each(ShardService.gather), "count")
    try:
        tried = await try_all(task)
    except LaomaError as error:  # what was gathered stands; the gate is tried again next time
        task.say(f"the gate waits: {error.message}")
        tried = {}
    return Report(columns=report.columns, rows=[*report.rows, *([None, f"gate: {name}", count] for name, count in sorted(tried.items()))])
