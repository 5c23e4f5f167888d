"""Sealing: what is settled and old enough leaves the hot tables for the Parquet logs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from threading import Lock
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lake.parquet import (
    EVENTS,
    TURNS,
    day_file,
    event_schema,
    is_damaged,
    merge,
    read_file,
    replace_file,
    sweep_drafts,
    turn_schema,
    word_of,
)
from lake.store import ShardStore
from lake.writes import Key
from schemas.conversation import Event, Feedback
from schemas.memory import Change
from schemas.record import Record, from_table
from schemas.turn import Turn

writing = Lock()
"""Held from reading what a log file shall hold to replacing it, one day at a time: sealing and erasing never work on one file at once,
and a deletion waits for one day of a sealing, not for all. Between processes
the owner's lock guards the files of a shard (:meth:`ShardStore.owning`)."""


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
    row wins wherever both are read. A run that was killed is finished by the next one; nothing is sealed twice. What is deleted while
    it runs is not sealed, or taken out again by the deletion, which waits for the file. Raises Fenced, Unavailable.
    """
    old = f"\"at\" < timestamp '{before.astimezone(UTC).strftime('%Y-%m-%d %H:%M:%S.%f')}'"
    with writing, store.owning():
        sweep_drafts(logs, store.root.name)
    turns = _Sealing(store, logs, TURNS, {Turn: f"{old} AND extraction != 'pending'"}, _turn_table).run(zone)
    events = _Sealing(store, logs, EVENTS, dict.fromkeys((Event, Change, Feedback), old), event_table).run(zone)
    return SealReport(sum(new for new, _ in turns), sum(new for new, _ in events), sum(wrote for _, wrote in (*turns, *events)))


@dataclass(frozen=True)
class _Sealing:
    """One log: ``wanted`` says which rows of which kinds are due, ``to_table`` gives them the log's shape."""

    store: ShardStore
    logs: Path
    log: str
    wanted: Mapping[type[Record], str]
    to_table: Callable[[Sequence[Record]], pa.Table]

    def run(self, zone: ZoneInfo) -> list[tuple[int, bool]]:
        """For each day: rows that were not in its file, whether it was written."""
        self._recall_damage()
        days: dict[date, dict[type[Record], set[Key]]] = defaultdict(lambda: defaultdict(set))
        for kind, where in self.wanted.items():
            for row in self.store.rows(kind, None, where=where):
                days[_time(row).astimezone(zone).date()][kind].add((row.user, row.id))
        return [self._seal_day(day, due) for day, due in sorted(days.items())]

    def _seal_day(self, day: date, due: Mapping[type[Record], set[Key]]) -> tuple[int, bool]:
        path = day_file(self.logs, self.log, day, self.store.root.name)
        with writing, self.store.owning():
            # Read again: what was deleted since the days were listed must not get into a file that outlives it.
            rows = [row for kind, keys in due.items() for row in self._still_due(kind, keys)]
            if not rows:
                return 0, False
            new = self.to_table(rows)
            stored = _read_or_set_aside(self.store, path, new.schema)
            merged = merge(stored, new)
            changed = not _same(stored, merged)
            if changed:
                replace_file(path, merged, self.logs)
            moved = {kind: _read_back(kind, path, due.get(kind, set())) for kind in (Turn, Event)}
        for kind, sealed in moved.items():
            if sealed:
                self.store.drop_unchanged(kind, sealed)
        return merged.num_rows - stored.num_rows, changed

    def _still_due(self, kind: type[Record], keys: set[Key]) -> list[Record]:
        found = self.store.rows(kind, None, ids=sorted(row_id for _, row_id in keys), where=self.wanted[kind])
        return [row for row in found if (row.user, row.id) in keys]

    def _recall_damage(self) -> None:
        for aside in (self.logs / self.log).glob(f"date=*/shard-{self.store.root.name}.*.damaged"):
            self.store.note_damaged(aside, OSError("it was set aside"))


def _time(row: Record) -> datetime:
    at = getattr(row, "at")  # noqa: B009  every sealed kind has it
    assert isinstance(at, datetime)
    return at


def _turn_table(rows: Sequence[Record]) -> pa.Table:
    return pa.Table.from_pylist([{**row.__dict__, "schema_version": row.VERSION} for row in rows], schema=turn_schema())


def event_table(rows: Sequence[Record]) -> pa.Table:
    """Events, changes and feedback in the shape of ``logs/events``."""
    dumped = [
        {**row.__dict__, "kind": row.kind if isinstance(row, Event) else word_of(type(row)), "schema_version": row.VERSION} for row in rows
    ]
    return pa.Table.from_pylist(dumped, schema=event_schema())


def _read_or_set_aside(store: ShardStore, path: Path, schema: pa.Schema) -> pa.Table:
    """A day's rows. A damaged file makes way for a new one, and stays beside it under another name."""
    try:
        return read_file(path, schema)
    except (pa.ArrowInvalid, OSError) as error:
        if not is_damaged(error):
            raise
        aside = next(name for number in count(1) if not (name := path.with_suffix(f".{number}.damaged")).exists())
        path.rename(aside)
        store.note_damaged(aside, error, formerly=path)
        return schema.empty_table()


def _same(stored: pa.Table, merged: pa.Table) -> bool:
    if stored.num_rows != merged.num_rows or not stored.schema.equals(merged.schema):
        return False
    by = [("user", "ascending"), ("id", "ascending")]
    return bool(stored.sort_by(by).equals(merged.sort_by(by)))


def _read_back(kind: type[Record], path: Path, keys: set[Key]) -> dict[Key, Record]:
    """What a file holds of these rows: only what can be read there may leave the hot table."""
    if not keys:
        return {}
    stored = pq.read_table(path, partitioning=None, filters=pc.field("id").isin(sorted(row_id for _, row_id in keys)))
    return {key: row for row in from_table(kind, stored) if (key := (row.user, row.id)) in keys}
