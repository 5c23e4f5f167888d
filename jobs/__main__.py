"""How Ray starts a job: ``python -m jobs seal``. Prints what was done; exit 0 done, 1 failed, 2 misuse."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from jobs.cluster import shards_of
from jobs.frame import Task, run
from lake.job_records import JobRecords
from schemas.job import Job, required_kind

ID = "LAOMA_JOB"
"""The environment variable that names the job's record."""
_NICE = 10
"""Offline work stands back behind a person who waits for a reply."""


def main(arguments: Sequence[str], home: Path, id: str | None = None) -> int:
    """Runs the job that the first argument names on the lake at ``home``; ``id`` is that of its record, None: it was started by hand."""
    name, *rest = arguments or [""]
    try:
        required_kind(name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    records = JobRecords(home)
    at = _now()
    job = (records.find(id) if id else None) or Job(
        id=id or f"{name}-{at:%Y%m%dT%H%M%S}-{os.getpid()}", name=name, arguments=rest, state="pending", submitted_at=at
    )
    code = run(Task(job, home, _now, records, shards_of))
    records.prune()
    return code


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    os.nice(_NICE)
    sys.exit(main(sys.argv[1:], Path(os.environ["LAOMA_HOME"]), os.environ.get(ID)))
