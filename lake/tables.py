"""A shard's LanceDB tables: opened or created by the shape of their Record class, lifted when an older release wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa

from lake.migrations import conform, lift
from schemas.conversation import Conversation, Event, Feedback
from schemas.deletion import Deletion
from schemas.imports import Import
from schemas.memory import Change, Consent, Memory, Tombstone
from schemas.policy import Policy, Revision
from schemas.record import Record, arrow_schema, vector_fields
from schemas.turn import Turn, TurnVector

KINDS: dict[str, type[Record]] = {
    kind.TABLE: kind
    for kind in (Turn, TurnVector, Memory, Change, Conversation, Feedback, Event, Tombstone, Consent, Deletion, Import, Policy, Revision)
}
"""Every table of the lake, by name."""

_ID_CHUNK = 500


def quote(value: str) -> str:
    """A text as a SQL literal for ``where`` filters; whatever it holds, it stays one literal."""
    return "'" + value.replace("'", "''") + "'"


def only(user: str | None = None, ids: Iterable[str] | None = None, where: str | None = None) -> str | None:
    """A SQL filter of these conditions together; None when there is none."""
    parts = []
    if user is not None:
        parts.append(f"user = {quote(user)}")
    if ids is not None:
        parts.append(f"id IN ({', '.join(quote(row_id) for row_id in ids)})")
    if where:
        parts.append(f"({where})")
    return " AND ".join(parts) or None


def chunked(ids: Iterable[str]) -> list[list[str]]:
    """Ids in lists that one SQL filter carries well, each id once."""
    unique = list(dict.fromkeys(ids))
    return [unique[i : i + _ID_CHUNK] for i in range(0, len(unique), _ID_CHUNK)]


def scan(table: Any, where: str | None, columns: list[str] | None = None) -> pa.Table:
    """The rows of a LanceDB table that a filter lets through, as Arrow."""
    query = table.search()
    if where:
        query = query.where(where)
    if columns is not None:
        query = query.select(columns)
    return query.to_arrow()


def overwrite(table: Any, data: pa.Table | pa.RecordBatchReader) -> None:
    """A new version of a LanceDB table that holds exactly these rows in exactly this shape."""
    table.add(data, mode="overwrite", on_bad_vectors="null")  # else LanceDB takes a missing vector for a bad one


class Tables:
    """The tables of one shard in ``root``; a table exists from its first row on. Vectors are ``dim`` long."""

    def __init__(self, root: Path, dim: int) -> None:
        self.root = root
        self.dim = dim
        self._db = lancedb.connect(root)
        self._open: dict[str, Any] = {}

    def open_all(self) -> None:
        """Open what is there and lift it to today's shapes. Raises LaomaError when the lake is newer than the code."""
        for name, kind in KINDS.items():
            if (self.root / f"{name}.lance").is_dir():
                table = self._db.open_table(name)
                self._lift(table, kind)
                self._open[name] = table

    def names(self) -> list[str]:
        """The tables that exist."""
        return list(self._open)

    def get(self, name: str) -> Any | None:
        """A LanceDB table, or None when nothing was ever written to it."""
        return self._open.get(name)

    def ensure(self, kind: type[Record]) -> Any:
        """The LanceDB table of a Record class, created when missing."""
        if kind.TABLE not in self._open:
            self._open[kind.TABLE] = self._db.create_table(kind.TABLE, schema=arrow_schema(kind, self.dim))
        return self._open[kind.TABLE]

    def redo_vectors(self, dim: int) -> None:
        """Forget all vectors and make room for ones of another embedder: rows that are nothing but a vector go."""
        self.dim = dim
        for name, table in self._open.items():
            kind = KINDS[name]
            packed = vector_fields(kind)
            if not packed:
                continue
            if all(arrow_schema(kind, dim).field(column).nullable for column in packed):
                bare = scan(table, None, [column for column in table.schema.names if column not in (*packed, "embedder")])
                overwrite(table, conform(bare, kind, dim))
            else:
                overwrite(table, arrow_schema(kind, dim).empty_table())

    def thaw(self, frozen: Path, dim: int) -> None:
        """Let every table hold exactly what its copy in the folder ``frozen`` holds, in today's shape; one without a copy holds nothing."""
        self.dim = dim
        source = lancedb.connect(frozen)
        for name, kind in KINDS.items():
            if (frozen / f"{name}.lance").is_dir():
                overwrite(self.ensure(kind), _today(source.open_table(name), kind, dim))
            elif name in self._open:
                overwrite(self._open[name], arrow_schema(kind, dim).empty_table())

    def _lift(self, table: Any, kind: type[Record]) -> None:
        if not _is_today(table, kind, self.dim):
            overwrite(table, _today(table, kind, self.dim))


def _is_today(table: Any, kind: type[Record], dim: int) -> bool:
    return _version(table) == kind.VERSION and bool(table.schema.equals(arrow_schema(kind, dim)))


def _today(table: Any, kind: type[Record], dim: int) -> pa.Table | pa.RecordBatchReader:
    """The rows of a table in today's shape. Raises LaomaError when they are newer than the code."""
    if _is_today(table, kind, dim):
        return table.search().to_batches()
    return conform(lift(kind.TABLE, _version(table), kind.VERSION, scan(table, None)), kind, dim)


def _version(table: Any) -> int:
    return int((table.schema.metadata or {}).get(b"laoma.version", b"1"))


def stored_dim(root: Path) -> int | None:
    """The length of the vectors that tables in ``root`` were made for, None for a lake without vector tables."""
    db = lancedb.connect(root)
    for name, kind in KINDS.items():
        for column in vector_fields(kind):
            if (root / f"{name}.lance").is_dir() and column in (schema := db.open_table(name).schema).names:
                return int(schema.field(column).type.list_size)
    return None
