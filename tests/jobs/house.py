"""A job as it runs on the cluster, on the shards of a house in this process."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from jobs.frame import Task
from lake.job_records import JobRecords
from schemas.job import JOBS, Job, Report
from tests.serve.house import Clock


def task(home: Path, name: str, *arguments: str, shards: Any = None, clock: Any = None, id: str = "j1") -> Task:
    """A task of that job; what it prints is in ``out``."""
    now = clock or Clock()
    job = Job(id=id, name=name, arguments=list(arguments), state="pending", submitted_at=now())
    return Task(job, home, now, JobRecords(home), lambda _home: shards, out=io.StringIO())


async def done(task: Task) -> Report:
    """Runs it on this event loop."""
    from importlib import import_module

    report: Report = await import_module(JOBS[task.job.name].module).run(task)
    return report
