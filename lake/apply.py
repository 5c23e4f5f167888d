"""Carrying folded writes into the tables. Applying twice equals applying once: a crash between apply and trim only repeats it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lake.tables import Tables, chunked, only, quote, scan
from lake.writes import Folded, Key, keep_vector, lacks_vector
from schemas.record import Record, from_table, to_table


def apply(tables: Tables, todo: Folded) -> int:
    """Deletes, then upserts, on one table; returns the number of LanceDB commits it took."""
    commits = _delete(tables.get(todo.kind.TABLE), todo)
    if not todo.rows:
        return commits
    table = tables.ensure(todo.kind)
    known = _known(table, todo)
    rows = _with_kept_vectors(table, todo, known)
    new = [row for key, row in rows.items() if key not in known]
    changed = [row for key, row in rows.items() if key in known]
    if new:
        table.add(_arrow(tables, todo, new))
    if changed:
        merge = table.merge_insert(["user", "id"]).when_matched_update_all()
        merge.execute(_arrow(tables, todo, changed), on_bad_vectors="null")  # else LanceDB takes a missing vector for a bad one
    return commits + bool(new) + bool(changed)


def _arrow(tables: Tables, todo: Folded, rows: list[Record]) -> pa.Table:
    return to_table(todo.kind, rows, tables.dim)


def _delete(table: Any | None, todo: Folded) -> int:
    if table is None:
        return 0
    filters = []
    if todo.wiped:
        filters += [f"user IN ({', '.join(map(quote, users))})" for users in chunked(todo.wiped)]
    for user, ids in todo.dropped.items():
        filters += [only(user, part) or "" for part in chunked(ids)]
    for condition in filters:
        table.delete(condition)
    return len(filters)


def _known(table: Any, todo: Folded) -> set[Key]:
    """Which of the rows to write stand in the table already (a plain add of new ones is cheaper than a merge)."""
    found: set[Key] = set()
    for part in chunked(row_id for _, row_id in todo.rows):
        data = scan(table, only(ids=part), ["user", "id"])
        found.update(zip(data["user"].to_pylist(), data["id"].to_pylist(), strict=True))
    return found & todo.rows.keys()


def _with_kept_vectors(table: Any, todo: Folded, known: set[Key]) -> dict[Key, Record]:
    asking = [key for key, row in todo.rows.items() if key in known and lacks_vector(row)]
    stored: dict[Key, Record] = {}
    for part in chunked(row_id for _, row_id in asking):
        for row in from_table(todo.kind, scan(table, only(ids=part))):
            stored[(row.user, row.id)] = row
    return {key: keep_vector(row, stored.get(key)) if stored else row for key, row in todo.rows.items()}
