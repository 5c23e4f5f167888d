"""The schedule (E16): what runs by itself, when it ran last, what is held. ``LAOMA_HOME/jobs/schedule.json`` remembers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from lake.durable import changing, replace_text
from schemas.errors import NotFound
from schemas.job import JOBS, Job, Scheduled, ScheduleView
from schemas.record import Moment
from schemas.settings import Settings
from serve.due import last_due, next_due


class Run(BaseModel):
    """A run under way: ``attempt`` counts from 1; another one follows where the cluster ended in the middle."""

    job: str
    due: Moment
    attempt: int = 1


class Entry(BaseModel):
    """One job: everything due up to ``settled`` was run (or came before the job was there)."""

    settled: Moment
    paused: bool = False
    running: Run | None = None
    last_due: Moment | None = None
    last_job: str | None = None


class Memo(BaseModel):
    """The file."""

    paused: bool = False
    jobs: dict[str, Entry] = {}


class Schedule:
    """The schedule of one home."""

    def __init__(self, home: Path, settings: Settings) -> None:
        self._path = home / "jobs" / "schedule.json"
        self._zone = ZoneInfo(settings.zone)
        self.crons = crons(settings.schedule)

    def read(self) -> Memo:
        """As it stands."""
        return Memo.model_validate_json(self._path.read_bytes()) if self._path.exists() else Memo()

    @contextmanager
    def change(self) -> Iterator[Memo]:
        """A memo to change; written down at the end of the block. Another process that wants the same waits."""
        with changing(self._path):
            memo = self.read()
            yield memo
            replace_text(self._path, memo.model_dump_json(indent=1))

    def due(self, memo: Memo, now: datetime) -> list[tuple[str, datetime]]:
        """What is to run, first things first: by priority, then the longest due. Runs that were missed are one run."""
        if memo.paused:
            return []
        waiting = [
            (name, at)
            for name, cron in self.crons.items()
            if (entry := memo.jobs.get(name)) is not None
            if not entry.paused and (at := last_due(cron, self._zone, now)) > entry.settled
        ]
        return sorted(waiting, key=lambda one: (-JOBS[one[0]].priority, one[1], one[0]))

    def pause(self, name: str | None, paused: bool, now: datetime) -> None:
        """Hold a job, or all (None), or let go. What falls due meanwhile is caught up once. Raises NotFound."""
        if name is not None and name not in self.crons:
            raise NotFound(f"{name!r} is not on the schedule; there is: {', '.join(self.crons)}", param="name")
        with self.change() as memo:
            if name is None:
                memo.paused = paused
            else:
                memo.jobs.setdefault(name, Entry(settled=now)).paused = paused

    def view(self, jobs: Mapping[str, Job], now: datetime) -> ScheduleView:
        """For clients, next run first; ``jobs`` by their ids."""
        memo = self.read()
        rows = [self._row(name, cron, memo, jobs, now) for name, cron in self.crons.items()]
        return ScheduleView(data=sorted(rows, key=lambda row: (row.next_due is None, row.next_due, row.name)), paused=memo.paused)

    def _row(self, name: str, cron: str, memo: Memo, jobs: Mapping[str, Job], now: datetime) -> Scheduled:
        entry = memo.jobs.get(name) or Entry(settled=now)
        running = entry.running
        last_job, last = (running.job, running.due) if running else (entry.last_job, entry.last_due)
        held = memo.paused or entry.paused
        return Scheduled(
            name=name,
            cron=cron,
            zone=self._zone.key,
            priority=JOBS[name].priority,
            paused=held,
            last_due=last,
            last_job=last_job,
            last_state=jobs[last_job].state if last_job is not None and last_job in jobs else None,
            next_due=None if held else next_due(cron, self._zone, now),
        )


def crons(overrides: Mapping[str, str | None]) -> dict[str, str]:
    """Cron expression by job: the jobs' own, as ``config.yaml`` has it; None takes one off."""
    wanted = {name: kind.cron for name, kind in JOBS.items()} | dict(overrides)
    return {name: cron for name, cron in wanted.items() if cron is not None}
