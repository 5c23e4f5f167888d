"""Reading sealed rows back for the app, and taking a user's out of the logs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from lake.logs import writing
from lake.migrations import conform, lift
from lake.parquet import EVENTS, TURNS, dataset, files_of, read_file, remove_file, replace_file, turn_schema
from schemas.record import from_table
from schemas.turn import Turn

_A_DAY = timedelta(days=1)


def sealed_turns(
    logs: Path,
    user: str,
    *,
    ids: Sequence[str] | None = None,
    conversation: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Turn]:
    """A user's sealed turns, oldest first; ``since`` inclusive, ``until`` exclusive. Conditions are combined; none of them: all."""
    if ids is not None and not ids:
        return []
    wanted = pc.field("user") == user
    if ids is not None:
        wanted &= pc.field("id").isin(list(ids))
    if conversation is not None:
        wanted &= pc.field("conversation") == conversation
    if since is not None:
        wanted &= pc.field("at") >= pa.scalar(since, pa.timestamp("us", tz="UTC"))
    if until is not None:
        wanted &= pc.field("at") < pa.scalar(until, pa.timestamp("us", tz="UTC"))
    turns: list[Turn] = []
    for fragment in dataset(logs, TURNS, turn_schema()).get_fragments(filter=_days(since, until)):
        shape = fragment.physical_schema
        data = fragment.to_table(schema=shape, filter=wanted)
        if data.num_rows:
            version = int((shape.metadata or {}).get(b"laoma.version", b"1"))
            turns += from_table(Turn, conform(lift(TURNS, version, Turn.VERSION, data), Turn, 1))
    return sorted(turns, key=lambda turn: (turn.at, turn.id))


def drop_sealed(logs: Path, user: str, ids: Sequence[str] | None) -> int:
    """Take these turns and events of a user out of the logs, all where ``ids`` is None; returns how many rows went.

    The files are written anew without them: no byte stays.
    """
    gone = 0
    with writing:
        for log in (TURNS, EVENTS):
            for path in files_of(logs, log, user):
                gone += _rewrite_without(path, user, None if ids is None else set(ids), logs)
    return gone


def _rewrite_without(path: Path, user: str, ids: set[str] | None, logs: Path) -> int:
    stored = read_file(path, turn_schema())
    pairs = zip(stored["user"].to_pylist(), stored["id"].to_pylist(), strict=True)
    keep = pa.array([owner != user or (ids is not None and row_id not in ids) for owner, row_id in pairs], type=pa.bool_())
    kept = stored.filter(keep)
    if kept.num_rows == 0:
        remove_file(path)
    elif kept.num_rows < stored.num_rows:
        replace_file(path, kept, logs)
    return int(stored.num_rows - kept.num_rows)


def _days(since: datetime | None, until: datetime | None) -> pc.Expression | None:
    """Which day folders can hold these times, whatever the zone they were cut in."""
    wanted = None
    if since is not None:
        wanted = pc.field("date") >= (since - _A_DAY).date().isoformat()
    if until is not None:
        upto = pc.field("date") <= (until + _A_DAY).date().isoformat()
        wanted = upto if wanted is None else wanted & upto
    return wanted
