"""``LAOMA_HOME/cluster.json``: where the started cluster is found; readable by its owner alone."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from lake.durable import replace_text
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
    replace_text(home / _NAME, record.model_dump_json(indent=2))


def forget_record(home: Path) -> None:
    """Nothing runs any more."""
    (home / _NAME).unlink(missing_ok=True)
