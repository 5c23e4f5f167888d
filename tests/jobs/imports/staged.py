"""Reads files as an import does, into plain rows."""

from pathlib import Path
from zoneinfo import ZoneInfo

from jobs.imports.conversation import Problem, Reading
from jobs.imports.reading import stage
from jobs.imports.staging import Staging

Row = dict[str, object]


def read(
    folder: Path, *paths: Path, zone: str = "Asia/Shanghai", me: str | None = None, skip_bad: bool = False, format: str = "auto"
) -> tuple[list[Row], list[Problem]]:
    """Turns and problems of files; ``folder`` is for the staging."""
    staging = Staging(folder / "staged.db")
    try:
        stage([(path, path.name) for path in paths], Reading(ZoneInfo(zone), me, skip_bad), staging, format)
        rows: list[Row] = [
            {
                "conversation_id": told.id,
                "role": one.role,
                "content": one.text,
                "ts": one.at.timestamp() if one.at else None,
                "name": one.name,
            }
            for _, told in staging.conversations()
            for one in told.utterances
        ]
        return rows, staging.problems()
    finally:
        staging.close()
