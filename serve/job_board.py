"""Submits offline jobs to the cluster and reads how they stand: from their records, and from Ray while they run."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lake.job_records import JobRecords
from schemas.errors import LaomaError, NotFound, Unavailable
from schemas.job import Job, JobIn, JobLogs

if TYPE_CHECKING:
    from ray.job_submission import JobDetails, JobSubmissionClient

_NAME = "laoma.job"
_FAR = datetime.min.replace(tzinfo=UTC)


class JobBoard(Protocol):
    """Where jobs are submitted and looked up."""

    async def submit(self, job: JobIn, *, id: str | None = None, due: datetime | None = None) -> Job:
        """Queue a job; one of that ``id`` that is there already is returned as it stands. Raises Unavailable without a cluster."""
        ...

    async def list(self) -> list[Job]:
        """Latest first."""
        ...

    async def get(self, id: str) -> Job:
        """Raises NotFound."""
        ...

    async def logs(self, id: str) -> JobLogs:
        """Raises NotFound."""
        ...

    async def stop(self, id: str) -> Job:
        """End it where it is; submitting it again does the rest. Raises NotFound."""
        ...


class RayJobBoard:
    """Ray's own job server; each job runs ``python -m jobs NAME`` from the checkout."""

    def __init__(self, dashboard: str, home: Path, checkout: Path, now: Callable[[], datetime]) -> None:
        self._dashboard = dashboard
        self._home = home
        self._checkout = checkout
        self._now = now
        self._records = JobRecords(home)
        self._connected: JobSubmissionClient | None = None

    async def submit(self, job: JobIn, *, id: str | None = None, due: datetime | None = None) -> Job:
        """See :class:`JobBoard`."""
        return await asyncio.to_thread(self._submit, job, id, due)

    async def list(self) -> list[Job]:
        """See :class:`JobBoard`."""
        details = await asyncio.to_thread(self._details)
        jobs = await asyncio.to_thread(lambda: [self._standing(job, details) for job in self._records.all()])
        return sorted(jobs, key=lambda job: (job.submitted_at or _FAR, job.id), reverse=True)

    async def get(self, id: str) -> Job:
        """See :class:`JobBoard`."""
        return await asyncio.to_thread(self._get, id)

    async def logs(self, id: str) -> JobLogs:
        """See :class:`JobBoard`."""
        await self.get(id)
        return JobLogs(id=id, text=await asyncio.to_thread(self._records.log, id))

    async def stop(self, id: str) -> Job:
        """See :class:`JobBoard`."""
        if not (await self.get(id)).ended:
            await asyncio.to_thread(lambda: self._client().stop_job(id))
        return await self.get(id)

    def _submit(self, job: JobIn, id: str | None, due: datetime | None) -> Job:
        at = self._now()
        id = id or f"{job.name}-{at:%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
        if (there := self._records.find(id)) is not None:
            return self._standing(there, self._details())
        row = Job(id=id, name=job.name, arguments=job.arguments, state="pending", submitted_at=at, due=due)
        self._records.save(row)
        environment = {"env_vars": {"LAOMA_HOME": str(self._home), "PYTHONPATH": str(self._checkout), "LAOMA_JOB": id}}
        command = shlex.join([sys.executable, "-m", "jobs", job.name, *job.arguments])
        log = shlex.quote(str(self._records.log_path(id)))
        entrypoint = f"umask 077 && cd {shlex.quote(str(self._checkout))} && exec {command} >>{log} 2>&1"
        try:
            self._client().submit_job(entrypoint=entrypoint, submission_id=id, runtime_env=environment, metadata={_NAME: job.name})
        except (RuntimeError, ConnectionError) as error:
            self._records.save(row.model_copy(update={"state": "failed", "ended_at": at, "detail": "it could not be started"}))
            raise Unavailable(f"Ray's job server did not take the job: {error}", retry_after=5) from error
        except LaomaError:
            self._records.save(row.model_copy(update={"state": "failed", "ended_at": at, "detail": "it could not be started"}))
            raise
        return row

    def _get(self, id: str) -> Job:
        job = self._records.find(id)
        if job is None:
            raise NotFound(f"No job {id!r}: `laoma job list` shows them.", param="id")
        return self._standing(job, {} if job.ended else self._details())

    def _details(self) -> dict[str, JobDetails]:
        return {one.submission_id: one for one in self._client().list_jobs() if one.submission_id}

    def _standing(self, job: Job, details: dict[str, JobDetails]) -> Job:
        """A record that says the job runs is believed only while Ray says so too: a process that was killed writes nothing."""
        if job.ended:
            return job
        ray = details.get(job.id)
        if ray is None:
            return job.model_copy(update={"state": "stopped", "detail": "the cluster ended before it did: submit it again"})
        state = ray.status.value.lower()
        if state in ("pending", "running"):
            return job
        again = self._records.find(job.id) or job  # it may have ended by itself meanwhile
        if again.ended:
            return again
        ended = datetime.fromtimestamp(ray.end_time / 1000, UTC) if ray.end_time else self._now()
        final = job.model_copy(update={"state": "stopped" if state == "stopped" else "failed", "ended_at": ended, "detail": _why(ray)})
        self._records.save(final)
        return final

    def _client(self) -> JobSubmissionClient:
        from ray.job_submission import JobSubmissionClient

        if self._connected is None:
            try:
                self._connected = JobSubmissionClient(self._dashboard)
            except (ConnectionError, RuntimeError) as error:
                raise Unavailable(f"Ray's job server does not answer: {error}", retry_after=5) from error
        return self._connected


def _why(details: JobDetails) -> str:
    said = (details.message or "").splitlines()
    return f"{said[0][:200] if said else 'it was ended'} (submitting it again does the rest)"
