"""Jobs of a house in this process: the jobs and their records are real, only Ray, which would start a process for each, is not there."""

from __future__ import annotations

import asyncio
from datetime import datetime

from lake.job_records import JobRecords
from schemas.errors import LaomaError, NotFound
from schemas.job import Job, JobIn, JobLogs
from tests.jobs.house import done, task
from tests.serve.house import House


class HouseJobs:
    """A :class:`serve.job_board.JobBoard` that runs jobs one after the other on the test's event loop."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.records = JobRecords(house.home)
        self._running: list[asyncio.Task[None]] = []

    async def submit(self, job: JobIn, *, id: str | None = None, due: datetime | None = None) -> Job:
        now = self.house.clock()
        row = Job(
            id=id or f"{job.name}-{len(self._running) + 1}", name=job.name, arguments=job.arguments, state="running", submitted_at=now
        )
        self.records.folder.mkdir(exist_ok=True)
        self.records.save(row)
        self._running.append(asyncio.create_task(self._run(row)))
        return row

    async def _run(self, row: Job) -> None:
        one = task(self.house.home, row.name, *row.arguments, shards=self.house.parts.shards, clock=self.house.clock, id=row.id)
        try:
            report = await done(one)
        except LaomaError as error:
            end = {"state": "failed", "detail": error.message}
        else:
            end = {"state": "succeeded", "report": report}
        self.records.log_path(row.id).write_text(one.out.getvalue(), encoding="utf-8")  # type: ignore[attr-defined]
        self.records.save(row.model_copy(update={**end, "ended_at": self.house.clock()}))

    async def ended(self) -> None:
        """Returns when all that was submitted has ended."""
        await asyncio.gather(*self._running)

    async def list(self) -> list[Job]:
        return sorted(self.records.all(), key=lambda job: (job.submitted_at is not None, job.submitted_at), reverse=True)

    async def get(self, id: str) -> Job:
        job = self.records.find(id)
        if job is None:
            raise NotFound("No such job.")
        return job

    async def logs(self, id: str) -> JobLogs:
        return JobLogs(id=id, text=self.records.log(id))

    async def stop(self, id: str) -> Job:
        job = (await self.get(id)).model_copy(update={"state": "stopped"})
        self.records.save(job)
        return job
