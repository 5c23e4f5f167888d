"""The base of every stored row, and the one bridge between its Pydantic model and its Arrow schema.

A row class is the only source of its shape: ``arrow_schema`` derives the columns from the annotations,
``to_table`` / ``from_table`` carry rows across without loss (times in UTC microseconds, empty and all-null columns included).
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin

import pyarrow as pa
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

_EARLIEST, _LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2201, 1, 1, tzinfo=UTC)


def _to_utc(moment: datetime) -> datetime:
    # Compared before it is converted: near the ends of the calendar astimezone overflows, which pydantic takes for a crash.
    if not _EARLIEST <= moment < _LATEST:
        raise ValueError("a time must lie in the years 1900 to 2200")
    return moment.astimezone(UTC)


Moment = Annotated[AwareDatetime, AfterValidator(_to_utc)]
"""A point in time: zone-aware, normalised to UTC, microseconds, in the years 1900 to 2200."""

Whole = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
"""A whole number that a column can hold: 64 bits. Every int of a :class:`Record` is one."""

Vector = Annotated[list[float], "vector"]
"""An embedding, float32 in storage, L2-normalised, as long as the lake's embedder says."""


class Record(BaseModel):
    """One stored row. Rows are values: a change makes a new one with :meth:`but`.

    ``TABLE`` names the table, ``VERSION`` the shape's version (raise it together with a migration in ``lake/migrations.py``).
    Every row belongs to a ``user`` and is identified by ``(user, id)``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)  # JSON knows neither
    TABLE: ClassVar[str]
    VERSION: ClassVar[int] = 1

    id: str
    user: str

    def but(self, **changes: Any) -> Self:
        """A copy with these fields changed, validated again."""
        return type(self).model_validate({**self.__dict__, **changes})


R = TypeVar("R", bound=Record)


@cache
def arrow_schema(kind: type[Record], dim: int) -> pa.Schema:
    """Columns of ``kind``, vectors of ``dim`` float32; the table's name and version stand in the metadata."""
    fields = [_field(name, info.annotation, info.metadata, dim) for name, info in kind.model_fields.items()]
    metadata = {"laoma.table": kind.TABLE, "laoma.version": str(kind.VERSION)}
    return pa.schema([*fields, pa.field("schema_version", pa.int32(), nullable=False)], metadata=metadata)


@cache
def vector_fields(kind: type[Record]) -> tuple[str, ...]:
    """Names of the columns that hold vectors."""
    return tuple(field.name for field in arrow_schema(kind, 1) if pa.types.is_fixed_size_list(field.type))


def to_table(kind: type[R], rows: Sequence[R], dim: int) -> pa.Table:
    """Rows as an Arrow table of exactly ``arrow_schema(kind, dim)``, zero rows included."""
    schema = arrow_schema(kind, dim)
    dumped: list[dict[str, Any]] = [{**row.__dict__, "schema_version": kind.VERSION} for row in rows]
    return pa.Table.from_pylist(dumped, schema=schema)


def from_table(kind: type[R], table: pa.Table) -> list[R]:
    """The rows of a table; columns that ``kind`` does not know are left out, missing ones take their default."""
    names = [name for name in table.column_names if name in kind.model_fields]
    return [kind.model_validate(row) for row in table.select(names).to_pylist()]


def _field(name: str, annotation: Any, metadata: Sequence[Any], dim: int) -> pa.Field:
    annotation, nullable = _unwrap_optional(annotation)
    if "vector" in metadata or "vector" in getattr(annotation, "__metadata__", ()):
        return pa.field(name, pa.list_(pa.float32(), dim), nullable=nullable)
    return pa.field(name, _arrow_type(annotation), nullable=nullable)


def _unwrap_optional(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) in (Union, types.UnionType):
        inner = [part for part in get_args(annotation) if part is not type(None)]
        if len(inner) == 1:
            return inner[0], True
    return annotation, False


def _arrow_type(annotation: Any) -> pa.DataType:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _arrow_type(get_args(annotation)[0])
    if origin is Literal:
        return pa.string()
    if origin in (list, tuple):
        return pa.list_(_arrow_type(get_args(annotation)[0]))
    try:
        return _SCALARS[annotation]
    except (KeyError, TypeError):
        raise TypeError(f"no Arrow type for {annotation!r}: add it to schemas/record.py") from None


_SCALARS: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", tz="UTC"),
    AwareDatetime: pa.timestamp("us", tz="UTC"),
}
