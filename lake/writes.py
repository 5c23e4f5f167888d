"""What can be written to a shard, how it stands in the journal, and how several writes of one row become the last one."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from lake.migrations import lift
from schemas.errors import InvalidRequest
from schemas.record import Record, vector_fields

Key = tuple[str, str]
"""(user, id): what identifies a row."""


@dataclass(frozen=True)
class Put:
    """Insert or replace these rows, by (user, id); all of one Record class.

    A row that names its ``embedder`` but carries no ``vector`` keeps the vector that is stored: so a row read without
    vectors can be changed and written back. Name no embedder to remove the vector.
    """

    rows: Sequence[Record]


@dataclass(frozen=True)
class Drop:
    """Delete these rows of a user; ``ids=None``: every row of that user in the table."""

    kind: type[Record]
    user: str
    ids: Sequence[str] | None


Write = Put | Drop

COPIED = frozenset({"changes", "feedback"})
"""Tables whose rows are copied into the logs and stay hot."""


@dataclass(frozen=True)
class Entry:
    """A write as the journal keeps it: JSON, with the shape's version, so that a later release can lift it."""

    table: str
    version: int
    payload: str
    copied: tuple[tuple[str, str, str], ...] = ()
    """Of rows that sealing copies: user, id, :func:`moment`."""


@dataclass
class Folded:
    """What a run of writes leaves to do on one table: first delete ``wiped`` users and ``dropped`` ids, then upsert ``rows``."""

    kind: type[Record]
    wiped: set[str] = field(default_factory=set)
    dropped: dict[str, set[str]] = field(default_factory=dict)
    rows: dict[Key, Record] = field(default_factory=dict)


def kind_of(write: Write) -> type[Record]:
    """The Record class a write is about. Raises InvalidRequest for a Put of mixed or no rows."""
    if isinstance(write, Drop):
        return write.kind
    kinds = {type(row) for row in write.rows}
    if len(kinds) != 1:
        raise InvalidRequest("a Put holds rows of exactly one Record class")
    return kinds.pop()


def size_of(write: Write) -> int:
    """How many rows a write touches, at least 1."""
    return max(1, len(write.rows) if isinstance(write, Put) else len(write.ids or ()))


def checked(write: Write) -> Write:
    """The write with its rows validated: what a row's class takes, a table holds. Rows that ``model_copy`` made never were.

    Validating takes a tenth of the time of a conversion to Arrow. Raises InvalidRequest: asked before anything is written.
    """
    if isinstance(write, Drop):
        return write
    kind = kind_of(write)
    try:
        rows = [kind.model_validate(row.__dict__) for row in write.rows]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidRequest(f"a row of {kind.TABLE} can't be stored: {where}: {first['msg']}") from None
    for name in vector_fields(kind):
        if not all(_fits_float32(getattr(row, name)) for row in rows):
            raise InvalidRequest(f"a row of {kind.TABLE} can't be stored: {name}: a number is too large")
    return Put(rows)


def encode(write: Write) -> Entry:
    """The journal entry of a write. Raises InvalidRequest where a text is no valid Unicode (lone surrogates)."""
    kind = kind_of(write)
    if isinstance(write, Drop):
        drop = {"user": write.user, "ids": None if write.ids is None else list(write.ids)}
        return Entry(kind.TABLE, kind.VERSION, json.dumps({"drop": drop}))
    packed = vector_fields(kind)
    try:
        rows = ",".join(row.model_dump_json(exclude=set(packed)) for row in write.rows)
    except (PydanticSerializationError, UnicodeError) as error:
        raise InvalidRequest(f"a row of {kind.TABLE} can't be stored: {error}") from None
    vectors = {name: [_pack(getattr(row, name)) for row in write.rows] for name in packed}
    copied = tuple((row.user, row.id, moment(getattr(row, "at"))) for row in write.rows) if kind.TABLE in COPIED else ()  # noqa: B009
    return Entry(kind.TABLE, kind.VERSION, f'{{"rows":[{rows}],"vectors":{json.dumps(vectors)}}}', copied)


def moment(at: datetime) -> str:
    """A time as text that sorts as times do, UTC."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")


def decode(entry: Entry, kind: type[Record]) -> Write:
    """The write of a journal entry, lifted to today's shape. Raises ValueError where it can't be read."""
    payload = json.loads(entry.payload)
    if "drop" in payload:
        return Drop(kind, payload["drop"]["user"], payload["drop"]["ids"])
    rows: list[dict[str, Any]] = payload["rows"]
    for name, column in payload["vectors"].items():
        for row, packed in zip(rows, column, strict=True):
            row[name] = _unpack(packed)
    if entry.version < kind.VERSION:
        lifted = lift(kind.TABLE, entry.version, kind.VERSION, pa.Table.from_pylist(rows))
        rows = [{name: value for name, value in row.items() if name in kind.model_fields} for row in lifted.to_pylist()]
    known = [{name: value for name, value in row.items() if name in kind.model_fields} for row in rows]
    return Put([kind.model_validate(row) for row in known])


def fold(writes: Iterable[Write]) -> dict[str, Folded]:
    """Per table what is left to do after these writes in this order: the last write of a row wins."""
    folded: dict[str, Folded] = {}
    for write in writes:
        kind = kind_of(write)
        todo = folded.setdefault(kind.TABLE, Folded(kind))
        if isinstance(write, Put):
            for row in write.rows:
                key = (row.user, row.id)
                todo.rows[key] = keep_vector(row, todo.rows.get(key))
        else:
            _fold_drop(todo, write)
    return folded


def keep_vector(row: Record, stored: Record | None) -> Record:
    """``row`` with the vector of ``stored`` where it names an embedder but carries no vector (see :class:`Put`)."""
    if stored is None or not lacks_vector(row) or getattr(stored, "vector", None) is None:
        return row
    return row.model_copy(update={"vector": getattr(stored, "vector", None), "embedder": getattr(stored, "embedder", None)})


def lacks_vector(row: Record) -> bool:
    """Whether a row asks to keep the stored vector."""
    return getattr(row, "embedder", None) is not None and getattr(row, "vector", None) is None


def _fold_drop(todo: Folded, drop: Drop) -> None:
    if drop.ids is None:
        todo.wiped.add(drop.user)
        for key in [key for key in todo.rows if key[0] == drop.user]:
            del todo.rows[key]
        return
    todo.dropped.setdefault(drop.user, set()).update(drop.ids)
    for row_id in drop.ids:
        todo.rows.pop((drop.user, row_id), None)


def _fits_float32(vector: Sequence[float] | None) -> bool:
    with np.errstate(over="ignore"):
        return vector is None or bool(np.isfinite(np.asarray(vector, dtype="<f4")).all())


def _pack(vector: Sequence[float] | None) -> str | None:
    return None if vector is None else b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def _unpack(packed: str | None) -> list[float] | None:
    return None if packed is None else [float(x) for x in np.frombuffer(b64decode(packed), dtype="<f4")]
