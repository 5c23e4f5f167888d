"""Starts what is due: one job at a time, missed runs once. Whichever gateway holds the lock does it."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from schemas.job import Job, JobIn
from serve.job_board import JobBoard
from serve.schedule import Entry, Run, Schedule

log = logging.getLogger("laoma.schedule")
_LOOK_S = 10.0
_ATTEMPTS = 3
"""So often a run is started that never came to an end because the cluster did."""


class Scheduler:
    """Looks every ten seconds; what a look does is in :meth:`step`."""

    def __init__(self, schedule: Schedule, board: JobBoard, now: Callable[[], datetime], home: Path) -> None:
        self._schedule, self._board, self._now = schedule, board, now
        self._lock = home / "jobs" / ".schedule.lock"
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Work until :meth:`stop`."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Jobs that run go on."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        self._lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    await self.step()
                except BlockingIOError:
                    continue  # another gateway does it
                except Exception as error:  # Ray may be busy, the disk full: look again later
                    log.warning("the schedule waits: %s", error)
        finally:
            os.close(handle)

    async def step(self) -> Job | None:
        """Settle what has ended, start at most one job; returns it."""
        now = self._now()
        with self._schedule.change() as memo:
            for name in self._schedule.crons:
                memo.jobs.setdefault(name, Entry(settled=now))  # what was due before it was there is not missed
        for name, entry in memo.jobs.items():
            if entry.running is not None and not await self._settle(name, entry.running):
                return None
        memo = self._schedule.read()
        for name, due in self._schedule.due(memo, now):
            if any(job.name == name and not job.ended for job in await self._board.list()):
                continue  # a person started it: wait for that
            return await self._begin(name, due)
        return None

    async def _settle(self, name: str, run: Run) -> bool:
        """Whether the run has ended; one that the cluster's end broke off is started again."""
        job = next((one for one in await self._board.list() if one.id == run.job), None)
        if job is not None and not job.ended:
            return False
        broken_off = job is None or (job.state == "stopped" and job.ended_at is None)
        if broken_off and run.attempt < _ATTEMPTS:
            await self._begin(name, run.due, run.attempt + 1)
            return False
        with self._schedule.change() as memo:
            entry = memo.jobs[name]
            entry.running, entry.settled, entry.last_due, entry.last_job = None, max(entry.settled, run.due), run.due, run.job
        return True

    async def _begin(self, name: str, due: datetime, attempt: int = 1) -> Job:
        # The id tells the run: killed between submitting and writing it down, the next look finds the same job.
        id = f"{name}-{due:%Y%m%dT%H%M}Z" + (f"-{attempt}" if attempt > 1 else "")
        job = await self._board.submit(JobIn(name=name), id=id, due=due)
        with self._schedule.change() as memo:
            memo.jobs[name].running = Run(job=job.id, due=due, attempt=attempt)
        return job
