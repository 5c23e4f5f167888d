"""Submits offline jobs to the cluster and reads their state."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from schemas.errors import NotFound, Unavailable
from schemas.job import Job, JobIn, JobLogs

if TYPE_CHECKING:
    from ray.job_submission import JobDetails, JobSubmissionClient

State = Literal["pending", "running", "succeeded", "failed", "stopped"]
_NAME = "laoma.job"


class JobBoard(Protocol):
    """Where jobs are submitted and looked up."""

    async def submit(self, job: JobIn) -> Job:
        """Queue a job. Raises Unavailable without a cluster."""
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


class RayJobBoard:
    """Ray's own job server; each job runs ``python -m jobs NAME`` from the checkout."""

    def __init__(self, dashboard: str, home: Path, checkout: Path) -> None:
        self._dashboard = dashboard
        self._home = home
        self._checkout = checkout
        self._connected: JobSubmissionClient | None = None

    async def submit(self, job: JobIn) -> Job:
        """See :class:`JobBoard`."""
        return await asyncio.to_thread(self._submit, job)

    async def list(self) -> list[Job]:
        """See :class:`JobBoard`."""
        details = await asyncio.to_thread(lambda: self._client().list_jobs())
        jobs = [_job(one) for one in details if _NAME in (one.metadata or {})]
        return sorted(jobs, key=lambda job: job.submitted_at or datetime.min.replace(tzinfo=UTC), reverse=True)

    async def get(self, id: str) -> Job:
        """See :class:`JobBoard`."""
        for job in await self.list():
            if job.id == id:
                return job
        raise NotFound(f"No job {id!r}: `laoma job list` shows them.", param="id")

    async def logs(self, id: str) -> JobLogs:
        """See :class:`JobBoard`."""
        await self.get(id)
        return JobLogs(id=id, text=await asyncio.to_thread(lambda: self._client().get_job_logs(id)))

    def _submit(self, job: JobIn) -> Job:
        import shlex

        command = shlex.join([sys.executable, "-m", "jobs", job.name, *job.arguments])
        environment = {"env_vars": {"LAOMA_HOME": str(self._home), "PYTHONPATH": str(self._checkout)}}
        entrypoint = f"cd {shlex.quote(str(self._checkout))} && exec {command}"
        id = self._client().submit_job(entrypoint=entrypoint, runtime_env=environment, metadata={_NAME: job.name})
        return Job(id=id, name=job.name, state="pending", submitted_at=datetime.now(UTC))

    def _client(self) -> JobSubmissionClient:
        from ray.job_submission import JobSubmissionClient

        if self._connected is None:
            try:
                self._connected = JobSubmissionClient(self._dashboard)
            except (ConnectionError, RuntimeError) as error:
                raise Unavailable(f"Ray's job server does not answer: {error}", retry_after=5) from error
        return self._connected


def _job(details: JobDetails) -> Job:
    return Job(
        id=details.submission_id or details.job_id,
        name=(details.metadata or {})[_NAME],
        state=details.status.value.lower(),
        submitted_at=_moment(details.start_time),
        ended_at=_moment(details.end_time),
        detail=details.message,
    )


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None
