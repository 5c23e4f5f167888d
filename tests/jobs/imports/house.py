"""A house whose import jobs really run, in this process, when they are submitted."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from datetime import datetime
from typing import Any

from jobs.frame import Task
from jobs.imports.run import run
from lake.job_records import JobRecords
from schemas.errors import LaomaError, NotFound
from schemas.job import Job, JobIn
from tests.serve.house import House, NoJobs


class JobsHere(NoJobs):
    """Runs a job on this event loop; a killed one is ``stopped``."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.jobs: dict[str, Job] = {}
        self.running: list[asyncio.Task[None]] = []
        self.logs_of: dict[str, io.StringIO] = {}

    async def submit(self, job: JobIn, *, id: str | None = None, due: datetime | None = None) -> Job:
        row = Job(id=f"j{len(self.jobs)}", name=job.name, arguments=job.arguments, state="pending")
        self.jobs[row.id] = row
        self.running.append(asyncio.create_task(self._run(row)))
        return row

    async def get(self, id: str) -> Job:
        if id not in self.jobs:
            raise NotFound("No such job.")
        return self.jobs[id]

    async def _run(self, row: Job) -> None:
        parts, out = self.house.parts, io.StringIO()
        self.logs_of[row.id] = out
        task = Task(row, parts.home, parts.now, JobRecords(parts.home), lambda _home: parts.shards, out=out)
        ended: dict[str, Any] = {"state": "stopped"}
        try:
            report = await run(task)
            ended = {"state": "succeeded", "report": report}
        except LaomaError as error:
            ended = {"state": "failed", "detail": error.message}
        finally:
            self.jobs[row.id] = row.model_copy(update=ended)


def with_jobs(house: House) -> JobsHere:
    """The house, with jobs that run."""
    jobs = JobsHere(house)
    house.parts = replace(house.parts, jobs=jobs)
    return jobs
