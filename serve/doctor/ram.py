"""RAM of all processes since a start, from reading to reading: ``LAOMA_HOME/cache/ram.json``."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from lake.durable import replace_text
from schemas.cluster import ClusterRecord

READINGS = 50
"""Readings that are kept, the first of a start and the latest."""


def kept(home: Path, record: ClusterRecord | None) -> list[float]:
    """MiB (PSS) of all processes since the start that ``record`` tells of, oldest first; [] where nothing runs."""
    if record is None:
        return []
    with suppress(OSError, ValueError, KeyError, TypeError):
        row = json.loads(_path(home).read_text(encoding="utf-8"))
        if row["start"] == _start(record):
            return [float(one) for one in row["mb"]]
    return []


def read(home: Path, record: ClusterRecord | None, present_mb: float) -> list[float]:
    """The readings with the present one last, kept for the next time; [] where nothing runs."""
    if record is None:
        return []
    readings = [*kept(home, record), round(present_mb, 1)]
    readings = readings if len(readings) <= READINGS else [readings[0], *readings[1 - READINGS :]]
    with suppress(OSError):
        replace_text(_path(home), json.dumps({"start": _start(record), "mb": readings}))
    return readings


def _path(home: Path) -> Path:
    return home / "cache" / "ram.json"


def _start(record: ClusterRecord) -> str:
    return f"{record.session}-{record.boot}"
