"""What is known of jobs past the cluster that ran them: ``LAOMA_HOME/jobs/ID.json`` (how it stands) and ``ID.log`` (what it printed)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from lake.durable import replace_text
from schemas.errors import Conflict
from schemas.job import Job

KEPT = 300
"""Records that stay, the latest."""
LOG_BYTES = 1 << 20
"""Of a longer log the end is shown, bytes."""


class JobRecords:
    """The records of one home. A record is replaced as a whole; the job's own process and who submits it never write at the same time."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "jobs"

    def save(self, job: Job) -> None:
        """Durable on return. Raises OSError."""
        replace_text(self._path(job.id), job.model_dump_json(indent=1))

    def find(self, id: str) -> Job | None:
        """None where there is no such job."""
        return self._read(self._path(id)) if Path(id).name == id else None

    def all(self) -> list[Job]:
        """In no order."""
        return [job for path in self.folder.glob("*.json") if (job := self._read(path)) is not None]

    def prune(self) -> None:
        """Forget the oldest beyond those that are kept."""
        ended = sorted((job for job in self.all() if job.ended), key=lambda job: (job.submitted_at is not None, job.submitted_at, job.id))
        for job in ended[:-KEPT]:
            for path in (self._path(job.id), self.log_path(job.id)):
                path.unlink(missing_ok=True)

    def log_path(self, id: str) -> Path:
        """Where a job prints to."""
        return self.folder / f"{id}.log"

    def log(self, id: str) -> str:
        """What a job printed, the end of it where it is long."""
        try:
            with self.log_path(id).open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_BYTES))
                return file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    @contextmanager
    def alone(self, name: str, id: str) -> Iterator[None]:
        """No other job of that name runs inside the block; a lock that its process takes along when it dies. Raises Conflict."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self.folder / f".{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                by = os.pread(handle, 200, 0).decode("utf-8", "replace").strip()
                raise Conflict(f"a job {name!r} runs already ({by}): wait for it, or stop it", code="job_runs") from None
            os.ftruncate(handle, 0)
            os.pwrite(handle, id.encode(), 0)
            yield
        finally:
            os.close(handle)

    def _path(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def _read(self, path: Path) -> Job | None:
        with suppress(OSError, ValidationError):
            return Job.model_validate_json(path.read_bytes())
        return None
