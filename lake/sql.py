"""DuckDB over the lake: one view a table that joins sealed Parquet and hot rows of all shards. It can read, never write."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import duckdb
import lancedb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from lake.measured import SCHEMAS, measured
from lake.migrations import lift
from lake.parquet import EVENTS, TURNS, dataset, day_files, event_schema, read_file, turn_schema, version_of, word_of
from lake.place import Place
from lake.tables import KINDS, scan
from schemas.conversation import Conversation, Event, Feedback
from schemas.memory import Change
from schemas.record import Record, arrow_schema, vector_fields
from schemas.settings import load_settings
from schemas.turn import TurnVector

log = logging.getLogger(__name__)

_LEFT_OUT = {Conversation.TABLE: {"centroid"}}
_LOGGED = (Event, Change, Feedback)


def connect(home: Path) -> duckdb.DuckDBPyConnection:
    """A connection with a view a table (all but the vectors): ``turns``, ``events``, ``memories``, ``changes``, ``feedback`` …,
    and the figures of evaluations and benchmarks, ``evals`` and ``benchmarks``.

    It shows the lake as of now (hot rows are read when connecting; what was acknowledged in the last moments may still be on its way).
    Times are shown in the user's zone. Files can neither be read nor written through it. ``at`` is a word of DuckDB's: quote it.
    """
    place = Place(home)
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{load_settings(home).zone}'")
    hot = {name: _hot(place, kind) for name, kind in KINDS.items() if kind is not TurnVector}
    hot[EVENTS] = _hot_events(hot)
    for name, rows in hot.items():
        connection.register(f"hot_{name}", rows)
    for name, schema in ((TURNS, turn_schema()), (EVENTS, event_schema())):
        apart, beside = _split(day_files(place.logs, name), hot[name])
        connection.register(f"sealed_{name}", _sealed(place, name, schema, apart))
        connection.register(f"sealed_{name}_too", _sealed(place, name, schema, beside))
    for name, rows in hot.items():
        connection.execute(_view(name, rows.schema))
    for name in SCHEMAS:
        connection.register(f"measured_{name}", measured(place.logs, name))
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM measured_{name}")  # noqa: S608  names are ours
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _split(files: Sequence[Path], hot: pa.Table) -> tuple[list[Path], list[Path]]:
    """The files of days that have no hot row, which need not be compared with them, and the others (a day in whatever zone)."""
    moments = pc.unique(pc.floor_temporal(hot["at"], unit="day")).to_pylist()
    days = {(moment.date() + timedelta(days=off)).isoformat() for moment in moments for off in (-1, 0, 1)}
    beside = [path for path in files if path.parent.name.removeprefix("date=") in days]
    return [path for path in files if path not in set(beside)], beside


def _sealed(place: Place, name: str, schema: pa.Schema, found: Sequence[Path]) -> ds.Dataset:
    """Files of a log, without those that are damaged: a day is missing rather than all of them."""
    files: list[Path] = []
    older: list[Path] = []
    for path in found:
        try:
            (files if version_of(pq.read_schema(path)) == version_of(schema) else older).append(path)
        except (pa.ArrowInvalid, OSError) as error:
            log.warning("%s is left out, it can't be read: %s", path, str(error).splitlines()[0][:200])
    readable = dataset(place.logs, name, schema, files)
    if not older:
        return readable
    lifted = [_fit(read_file(path, schema).append_column("date", _day(path)), readable.schema) for path in older]
    return ds.dataset([readable, ds.dataset(pa.concat_tables(lifted))])


def _day(path: Path) -> pa.Array:
    rows = pq.read_metadata(path).num_rows
    return pa.array([path.parent.name.removeprefix("date=")] * rows, pa.string())


def _view(name: str, schema: pa.Schema) -> str:
    columns = ", ".join(f'"{column}"' for column in schema.names)
    hot = f"SELECT {columns} FROM hot_{name}"  # noqa: S608  names are ours
    copied = {kind.TABLE: word_of(kind) for kind in (Change, Feedback)}
    if name not in (TURNS, EVENTS, *copied):
        return f"CREATE VIEW {name} AS {hot}"
    log = TURNS if name == TURNS else EVENTS
    only = f"s.kind = '{copied[name]}' AND " if name in copied else ""
    apart = f"SELECT {columns} FROM sealed_{log} s WHERE {only}true"  # noqa: S608
    beside = (
        f"SELECT {columns} FROM sealed_{log}_too s WHERE {only}"  # noqa: S608
        f'NOT EXISTS (SELECT 1 FROM hot_{name} h WHERE h."user" = s."user" AND h.id = s.id)'
    )
    return f"CREATE VIEW {name} AS {hot} UNION ALL {apart} UNION ALL {beside}"


def _hot(place: Place, kind: type[Record]) -> pa.Table:
    """The hot rows of all shards, without vectors; no lake, no rows."""
    skip = {*vector_fields(kind), *_LEFT_OUT.get(kind.TABLE, ()), "schema_version"}
    schema = pa.schema([field.with_nullable(True) for field in arrow_schema(kind, 1) if field.name not in skip])
    parts = [schema.empty_table()]
    for shard in place.shards():
        if (shard / "tables" / f"{kind.TABLE}.lance").is_dir():
            table = lancedb.connect(shard / "tables").open_table(kind.TABLE)
            found = scan(table, None, [name for name in table.schema.names if name not in vector_fields(kind)])
            version = int((table.schema.metadata or {}).get(b"laoma.version", b"1"))
            parts.append(_fit(lift(kind.TABLE, version, kind.VERSION, found), schema))
    return pa.concat_tables(parts)


def _hot_events(hot: dict[str, pa.Table]) -> pa.Table:
    schema = pa.schema([field.with_nullable(True) for field in event_schema() if field.name != "schema_version"])
    parts = []
    for kind in _LOGGED:
        rows = hot[kind.TABLE]
        if kind is not Event:
            rows = rows.append_column("kind", pa.array([word_of(kind)] * rows.num_rows, pa.string()))
        parts.append(_fit(rows, schema))
    return pa.concat_tables(parts)


def _fit(data: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of ``schema``, null where a table of an older release has none."""
    columns = [
        data[field.name].cast(field.type) if field.name in data.column_names else pa.nulls(data.num_rows, field.type) for field in schema
    ]
    return pa.table(columns, schema=schema)
