"""Sealing: what is settled and old enough leaves the hot tables for the Parquet logs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
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
from lake.writes import COPIED, Key
from schemas.conversation import Event, Feedback
from schemas.memory import Change
from schemas.record import Record, from_table
from schemas.turn import Turn

writing = Lock()
"""Held from reading what a log file shall hold to replacing it, one day at a time: sealing and erasing never work on one file at once,
and a deletion waits for one day of a sealing, not for all. Between processes
the owner's lock guards the files of a shard (:meth:`ShardStore.owning`)."""


_Due = dict[type[Record], dict[Key, int]]
"""Rows of a day that are due, by kind, with the number under which each is owed."""


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

    Turns that wait for extraction, or to be read once more, stay. Changes and feedback are copied: they stay hot as the history of living
    memories, and the hot row wins wherever both are read; only those are looked at that were written since they were copied. A run that
    was killed is finished by the next one; nothing is sealed twice. What is deleted while it runs is not sealed, or taken out again by
    the deletion, which waits for the file. Raises Fenced, Unavailable.
    """
    old = f'"at" < {_stamp(before)}'
    with writing, store.owning():
        sweep_drafts(logs, store.root.name)
    settled = f"{old} AND extraction NOT IN ('pending', 'failed')"
    turns = _Sealing(store, logs, TURNS, before, {Turn: settled}, _turn_table).run(zone)
    events = _Sealing(store, logs, EVENTS, before, dict.fromkeys((Event, Change, Feedback), old), event_table).run(zone)
    store.owed.trust(True)
    return SealReport(sum(new for new, _ in turns), sum(new for new, _ in events), sum(wrote for _, wrote in (*turns, *events)))


@dataclass(frozen=True)
class _Sealing:
    """One log: ``wanted`` says which rows of which kinds are due, ``to_table`` gives them the log's shape."""

    store: ShardStore
    logs: Path
    log: str
    before: datetime
    wanted: Mapping[type[Record], str]
    to_table: Callable[[Sequence[Record]], pa.Table]

    def run(self, zone: ZoneInfo) -> list[tuple[int, bool]]:
        """For each day: rows that were not in its file, whether it was written."""
        self._recall_damage()
        days: dict[date, _Due] = defaultdict(lambda: defaultdict(dict))
        for kind in self.wanted:
            for key, (at, number) in self._due(kind).items():
                days[at.astimezone(zone).date()][kind][key] = number
        return [self._seal_day(day, due, zone) for day, due in sorted(days.items())]

    def _due(self, kind: type[Record]) -> dict[Key, tuple[datetime, int]]:
        """When each row that is due was, and the number under which it is owed."""
        if kind.TABLE not in COPIED:
            return {(row.user, row.id): (_time(row), 0) for row in self.store.rows(kind, None, where=self.wanted[kind])}
        if not self.store.owed.whole:
            self.store.owed.owe(kind, [((row.user, row.id), _time(row)) for row in self.store.rows(kind, None)])
        return self.store.owed.before(kind, self.before)

    def _seal_day(self, day: date, due: _Due, zone: ZoneInfo) -> tuple[int, bool]:
        path = day_file(self.logs, self.log, day, self.store.root.name)
        before, after, moved = 0, 0, dict[type[Record], dict[Key, Record]]()
        with writing, self.store.owning():
            # Read again: what was deleted since the days were listed must not get into a file that outlives it.
            rows = [row for kind, keys in due.items() for row in self._still_due(kind, keys)]
            changed = False
            if rows:
                new = self.to_table(rows)
                stored, aside = _read_or_set_aside(self.store, path, new.schema)
                if aside:  # what had been copied into it is copied once more
                    new = merge(self.to_table(self._copied(day, zone)), new)
                merged = merge(stored, new)
                before, after, changed = stored.num_rows, merged.num_rows, not _same(stored, merged)
                if changed:
                    replace_file(path, merged, self.logs)
                moved = {kind: _read_back(kind, path, due.get(kind, {})) for kind in (Turn, Event)}
        for kind, sealed in moved.items():
            if sealed:
                self.store.drop_unchanged(kind, sealed)
        for kind, owed in due.items():
            if kind.TABLE in COPIED:
                self.store.owed.paid(kind, owed)
        return after - before, changed

    def _copied(self, day: date, zone: ZoneInfo) -> list[Record]:
        begin = datetime.combine(day, time(), zone)
        where = f'"at" >= {_stamp(begin)} AND "at" < {_stamp(datetime.combine(day + timedelta(days=1), time(), zone))}'
        return [row for kind in self.wanted if kind.TABLE in COPIED for row in self.store.rows(kind, None, where=where)]

    def _still_due(self, kind: type[Record], keys: Mapping[Key, int]) -> list[Record]:
        found = self.store.rows(kind, None, ids=sorted(row_id for _, row_id in keys), where=self.wanted[kind])
        return [row for row in found if (row.user, row.id) in keys]

    def _recall_damage(self) -> None:
        for aside in (self.logs / self.log).glob(f"date=*/shard-{self.store.root.name}.*.damaged"):
            self.store.note_damaged(aside, OSError("it was set aside"))


def _stamp(at: datetime) -> str:
    return f"timestamp '{at.astimezone(UTC).strftime('%Y-%m-%d %H:%M:%S.%f')}'"


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


def _read_or_set_aside(store: ShardStore, path: Path, schema: pa.Schema) -> tuple[pa.Table, bool]:
    """A day's rows. A damaged file makes way for a new one, and stays beside it under another name (then True, and no rows)."""
    try:
        return read_file(path, schema), False
    except (pa.ArrowInvalid, OSError) as error:
        if not is_damaged(error):
            raise
        aside = next(name for number in count(1) if not (name := path.with_suffix(f".{number}.damaged")).exists())
        path.rename(aside)
        store.note_damaged(aside, error, formerly=path)
        return schema.empty_table(), True


def _same(stored: pa.Table, merged: pa.Table) -> bool:
    if stored.num_rows != merged.num_rows or not stored.schema.equals(merged.schema):
        return False
    by = [("user", "ascending"), ("id", "ascending")]
    return bool(stored.sort_by(by).equals(merged.sort_by(by)))


def _read_back(kind: type[Record], path: Path, keys: Mapping[Key, int]) -> dict[Key, Record]:
    """What a file holds of these rows: only what can be read there may leave the hot table."""
    if not keys:
        return {}
    stored = pq.read_table(path, partitioning=None, filters=pc.field("id").isin(sorted(row_id for _, row_id in keys)))
    return {key: row for row in from_table(kind, stored) if (key := (row.user, row.id)) in keys}
