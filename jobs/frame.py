"""What every job stands in: its arguments, its way to the shards, its log, its progress, its record and its final table."""

from __future__ import annotations

import asyncio
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from lake.job_records import JobRecords
from schemas.errors import InvalidRequest, LaomaError
from schemas.job import JOBS, Job, Progress, Report
from schemas.settings import Settings, load_settings
from schemas.snapshot import Reason, Snapshot

if TYPE_CHECKING:
    from serve.shards import Shards

_LOOK_S = 1.0
"""Progress is written down at most so often, seconds."""
_TELL_S = 10.0
"""And printed at most so often, seconds."""


@dataclass
class Task:
    """A run of a job, as the job sees it."""

    job: Job
    home: Path
    now: Callable[[], datetime]
    records: JobRecords
    connect: Callable[[Path], Shards]
    out: TextIO = field(default_factory=lambda: sys.stdout)
    _looked: float = 0.0
    _told: float = field(default_factory=time.monotonic)

    @property
    def arguments(self) -> list[str]:
        """As the command line gave them."""
        return self.job.arguments

    @cached_property
    def shards(self) -> Shards:
        """The running service's shards. Raises Unavailable."""
        return self.connect(self.home)

    @cached_property
    def settings(self) -> Settings:
        """Of this home."""
        return load_settings(self.home)

    def say(self, line: str) -> None:
        """A line of the log."""
        print(line, file=self.out, flush=True)

    def progress(self, done: int, total: int | None = None, what: str = "") -> None:
        """How far it has come; cheap enough for every step."""
        clock = time.monotonic()
        if clock - self._looked >= _LOOK_S or done == total:
            self._looked = clock
            self.job = self.job.model_copy(update={"progress": Progress(done=done, total=total, what=what)})
            self.records.save(self.job)
        if clock - self._told >= _TELL_S:
            self._told = clock
            self.say(f"{what} {done}" + (f"/{total}" if total is not None else ""))

    async def snapshot(self, reason: Reason) -> Snapshot:
        """A snapshot of the whole lake, before much is changed at once."""
        from serve import snapshots

        made = await snapshots.create(self.shards, self.home, self.now(), reason=reason)
        self.say(f"snapshot {made.name}: `laoma snapshot restore {made.name}` goes back to it")
        return made


def run(task: Task) -> int:
    """Runs the job; its exit status: 0 done, 1 failed, 2 misuse. The record is final when this returns."""
    kind = JOBS[task.job.name]
    code = 1
    ended: dict[str, object] = {"state": "failed", "detail": "it was broken off"}
    try:
        if kind.alone:
            with task.records.alone(task.job.name, task.job.id):
                report = _run(task, kind.module)
        else:
            report = _run(task, kind.module)
        task.say(drawn(report))
        code, ended = 0, {"state": "succeeded", "detail": None, "report": report}
    except LaomaError as error:
        print(f"{task.job.name}: {error.message}", file=sys.stderr, flush=True)
        code, ended = 2 if isinstance(error, InvalidRequest) else 1, {"state": "failed", "detail": error.message}
    except Exception as error:
        ended = {"state": "failed", "detail": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]}
        raise
    finally:
        task.records.save(task.job.model_copy(update={**ended, "ended_at": task.now()}))
    return code


def _run(task: Task, module: str) -> Report:
    task.job = task.job.model_copy(update={"state": "running", "started_at": task.now(), "detail": None})
    task.records.save(task.job)
    report: Report = asyncio.run(import_module(module).run(task))
    return report


def require_none(arguments: Sequence[str]) -> None:
    """For jobs without arguments. Raises InvalidRequest."""
    if arguments:
        raise InvalidRequest(f"this job takes no arguments, not {arguments[0]!r}")


def drawn(report: Report) -> str:
    """A report as an aligned table; Chinese letters are two columns wide."""
    cells = [report.columns, *([_cell(value) for value in row] for row in report.rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(report.columns))]
    lines = ["  ".join(text + " " * (width - _width(text)) for text, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join(lines)


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
