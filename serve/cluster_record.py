"""``LAOMA_HOME/cluster.json``: where the started cluster is found; readable by its owner alone."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import ValidationError

from schemas.cluster import ClusterRecord

_NAME = "cluster.json"


def read_record(home: Path) -> ClusterRecord | None:
    """What the last start wrote; None where there is none or it can't be read."""
    try:
        return ClusterRecord.model_validate_json((home / _NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def write_record(home: Path, record: ClusterRecord) -> None:
    """Replace the record in one step."""
    path, fresh = home / _NAME, home / f".{_NAME}.{os.getpid()}"
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(record.model_dump_json(indent=2))
    fresh.replace(path)


def forget_record(home: Path) -> None:
    """Nothing runs any more."""
    (home / _NAME).unlink(missing_ok=True)
