"""Sealing: what is settled and old enough leaves the hot tables for the Parquet logs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Lock
from zoneinfo import ZoneInfo

import pyarrow as pa

from lake.parquet import EVENTS, TURNS, day_file, event_schema, merge, read_file, replace_file, turn_schema, word_of
from lake.store import Drop, ShardStore, Write
from schemas.conversation import Event, Feedback
from schemas.memory import Change
from schemas.record import Record
from schemas.turn import Turn

Days = dict[date, list[Record]]

writing = Lock()
"""Held while log files are replaced: sealing and erasing never work on one file at once (one process owns a shard's files)."""


@dataclass(frozen=True)
class SealReport:
    """What a sealing did: rows that newly lie in the logs, and files written."""

    turns: int
    events: int
    files: int

    def __str__(self) -> str:
        return f"sealed {self.turns} turns and {self.events} events in {self.files} files"


def seal(store: ShardStore, logs: Path, *, before: datetime, zone: ZoneInfo) -> SealReport:
    """Move turns and events older than ``before`` into the logs, by the day they have in ``zone``.

    Turns that wait for extraction stay. Changes and feedback are copied: they stay hot as the history of living memories, and the hot
    row wins wherever both are read. A run that was killed is finished by the next one; nothing is sealed twice.
    """
    old = f"\"at\" < timestamp '{before.astimezone(UTC).strftime('%Y-%m-%d %H:%M:%S.%f')}'"
    settled = f"{old} AND extraction != 'pending'"
    shard = store.root.name
    turns = _by_day(store.rows(Turn, None, where=settled), zone)
    events = _by_day(
        [*store.rows(Event, None, where=old), *store.rows(Change, None, where=old), *store.rows(Feedback, None, where=old)], zone
    )
    with writing:
        turn_counts = [_seal_day(logs, TURNS, day, shard, _turn_table(rows)) for day, rows in sorted(turns.items())]
        event_counts = [_seal_day(logs, EVENTS, day, shard, _event_table(rows)) for day, rows in sorted(events.items())]
        for rows in turns.values():
            _drop_unchanged(store, Turn, rows)
        for rows in events.values():
            _drop_unchanged(store, Event, [row for row in rows if isinstance(row, Event)])
    files = sum(wrote for _, wrote in (*turn_counts, *event_counts))
    return SealReport(sum(new for new, _ in turn_counts), sum(new for new, _ in event_counts), files)


def _by_day(rows: Iterable[Record], zone: ZoneInfo) -> Days:
    days: Days = defaultdict(list)
    for row in rows:
        days[_time(row).astimezone(zone).date()].append(row)
    return days


def _time(row: Record) -> datetime:
    at = getattr(row, "at")  # noqa: B009  every sealed kind has it
    assert isinstance(at, datetime)
    return at


def _turn_table(rows: Sequence[Record]) -> pa.Table:
    return pa.Table.from_pylist([{**row.__dict__, "schema_version": row.VERSION} for row in rows], schema=turn_schema())


def _event_table(rows: Sequence[Record]) -> pa.Table:
    dumped = [
        {**row.__dict__, "kind": row.kind if isinstance(row, Event) else word_of(type(row)), "schema_version": row.VERSION} for row in rows
    ]
    return pa.Table.from_pylist(dumped, schema=event_schema())


def _seal_day(logs: Path, log: str, day: date, shard: str, rows: pa.Table) -> tuple[int, bool]:
    """(rows that were not in the day's file, whether it was written)."""
    path = day_file(logs, log, day, shard)
    stored = read_file(path, rows.schema)
    merged = merge(stored, rows)
    if _same(stored, merged):
        return 0, False
    replace_file(path, merged, logs)
    return merged.num_rows - stored.num_rows, True


def _same(stored: pa.Table, merged: pa.Table) -> bool:
    if stored.num_rows != merged.num_rows or not stored.schema.equals(merged.schema):
        return False
    by = [("user", "ascending"), ("id", "ascending")]
    return bool(stored.sort_by(by).equals(merged.sort_by(by)))


def _drop_unchanged(store: ShardStore, kind: type[Record], rows: Sequence[Record]) -> None:
    """Drop what was sealed from the hot table, but not a row that changed meanwhile: the next run seals it anew."""
    sealed = {(row.user, row.id): row for row in rows}
    if not sealed:
        return
    now = store.rows(kind, None, ids=[row_id for _, row_id in sealed])
    ids: dict[str, list[str]] = defaultdict(list)
    for row in now:
        if sealed.get((row.user, row.id)) == row:
            ids[row.user].append(row.id)
    drops: list[Write] = [Drop(kind, user, found) for user, found in ids.items()]
    store.commit(drops).result()
