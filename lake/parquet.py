"""The log files: one Parquet file a shard and day, replaced as a whole, so that a reader sees the old one or the new one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from errno import EIO
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from lake.durable import put_in_place, sync_file, sync_new_folder
from lake.migrations import conform, lift
from schemas.conversation import Event, Feedback
from schemas.memory import Change
from schemas.record import Record, arrow_schema
from schemas.turn import Turn

TURNS = "turns"
EVENTS = "events"

EVENTS_VERSION = 1
"""Of the shape of ``logs/events``; one more with each step in ``MIGRATIONS["logs/events"]``. That of ``logs/turns`` is a turn's."""
_EVENTS_SHAPE = "logs/events"
_GROUP = 4096
"""Rows in a row group: a file is sorted by user, so a reader of one user skips the groups of others by their statistics."""

_DAY = ds.partitioning(pa.schema([("date", pa.string())]), flavor="hive")


def turn_schema() -> pa.Schema:
    """The columns of ``logs/turns``: those of a turn."""
    return arrow_schema(Turn, 1)


def event_schema() -> pa.Schema:
    """The columns of ``logs/events``: ``kind`` (recall, search, feedback, change …), then whatever an event, a change or a feedback has."""
    first = [pa.field(name, pa.string(), nullable=False) for name in ("id", "user", "kind")]
    fields = {field.name: field for field in [*first, pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False)]}
    for kind in (Event, Change, Feedback):
        for field in arrow_schema(kind, 1):
            fields.setdefault(field.name, field.with_nullable(True))
    return pa.schema(fields.values(), metadata={"laoma.table": _EVENTS_SHAPE, "laoma.version": str(EVENTS_VERSION)})


def word_of(kind: type[Record]) -> str:
    """What changes and feedback are called in the ``kind`` column of the events; an Event has its own kind."""
    return kind.TABLE.removesuffix("s")


def day_file(logs: Path, log: str, day: date, shard: str) -> Path:
    """The file of one shard and day (the day in the user's zone)."""
    return logs / log / f"date={day.isoformat()}" / f"shard-{shard}.parquet"


def day_files(logs: Path, log: str, shard: str = "*") -> list[Path]:
    """The files of one shard, or of all, oldest day first."""
    return sorted((logs / log).glob(f"date=*/shard-{shard}.parquet"))


def dataset(logs: Path, log: str, schema: pa.Schema, files: Sequence[Path]) -> ds.Dataset:
    """Files of a log as one dataset, with their day in ``date``; no files are no rows."""
    whole = pa.schema([*(field.with_nullable(True) for field in schema), pa.field("date", pa.string())])
    return ds.dataset([str(path) for path in files], schema=whole, format="parquet", partitioning=_DAY, partition_base_dir=str(logs / log))


def is_damaged(error: Exception) -> bool:
    """Whether a failed read tells of a broken file, not of one that is gone or of a process that has too many open."""
    return isinstance(error, pa.ArrowInvalid) or (isinstance(error, OSError) and error.errno in (None, EIO))


def read_file(path: Path, schema: pa.Schema) -> pa.Table:
    """A day's rows in the shape of ``schema`` (of :func:`turn_schema` or :func:`event_schema`), none where there is no file.

    Raises LaomaError where a newer release wrote it.
    """
    return today(pq.ParquetFile(path).read(), schema) if path.exists() else schema.empty_table()


def version_of(schema: pa.Schema) -> int:
    """The version of the shape that a file of the logs was written in."""
    return int((schema.metadata or {}).get(b"laoma.version", b"1"))


def today(data: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows of a file of the logs in today's shape, whatever release wrote it."""
    if data.schema.equals(schema, check_metadata=True):
        return data
    table = schema.metadata[b"laoma.table"].decode()
    lifted = lift(table, version_of(data.schema), version_of(schema), data)
    if table == Turn.TABLE:
        return conform(lifted, Turn, 1)
    columns = [
        lifted[field.name].cast(field.type) if field.name in lifted.column_names else pa.nulls(lifted.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def replace_file(path: Path, data: pa.Table, logs: Path) -> None:
    """Put a day's file in place, durable before this returns; a crash at any point leaves the old one or the new one."""
    if not path.parent.exists():
        path.parent.mkdir(parents=True, mode=0o700)
        sync_new_folder(path.parent, upto=logs.parent)
    draft = _draft(path)
    draft.unlink(missing_ok=True)  # it may be another file's link: never write into it
    ordered = data.sort_by([("user", "ascending"), ("at", "ascending"), ("id", "ascending")])
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        pq.write_table(ordered, file, compression="zstd", row_group_size=_GROUP)
    put_in_place(draft, path)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp")


def sweep_drafts(logs: Path, shard: str) -> int:
    """Remove the drafts of a shard that a kill left, which nothing reads and no deletion would clean; returns how many.

    Only where nobody else can write files of the shard. What a draft was to hold still lies in the old file and in the hot tables.
    """
    drafts = list(logs.glob(f"*/date=*/.shard-{shard}.parquet.tmp"))
    for draft in drafts:
        draft.unlink(missing_ok=True)
        sync_file(draft.parent)
        if not any(draft.parent.iterdir()):
            draft.parent.rmdir()
    return len(drafts)


def remove_file(path: Path) -> None:
    """Take away a day's file that holds nothing any more, and its folder when that was the last."""
    path.unlink(missing_ok=True)
    _draft(path).unlink(missing_ok=True)
    sync_file(path.parent)
    if not any(path.parent.iterdir()):
        path.parent.rmdir()


def keys(data: pa.Table) -> list[tuple[str, str]]:
    """(user, id) of each row."""
    return list(zip(data["user"].to_pylist(), data["id"].to_pylist(), strict=True))


def merge(stored: pa.Table, new: pa.Table) -> pa.Table:
    """Rows of both, the new one where both have it, in the shape of ``new``."""
    taken = set(keys(new))
    mask = pa.array([key not in taken for key in keys(stored)], type=pa.bool_())
    kept = stored.filter(mask)
    columns = [
        kept[field.name].cast(field.type) if field.name in kept.column_names else pa.nulls(kept.num_rows, field.type)
        for field in new.schema
    ]
    return pa.concat_tables([pa.table(columns, schema=new.schema), new])
