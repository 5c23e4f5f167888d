"""How a stored shape of an older release becomes today's: a list of small steps a table.

Step ``i`` (from 0) of a table's list lifts version ``i + 1`` to ``i + 2``. A step is a function from Arrow table to Arrow table
that looks at column names only, because it lifts both stored tables and rows that still wait in the journal. Added columns
that are nullable or have a default need no step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pydantic_core import PydanticUndefined

from schemas.errors import LaomaError
from schemas.record import Record, arrow_schema

Step = Callable[[pa.Table], pa.Table]

MIGRATIONS: dict[str, list[Step]] = {}
"""Table name → its steps, oldest first."""


def rename(old: str, new: str) -> Step:
    """A step: the column ``old`` is called ``new``."""

    def step(data: pa.Table) -> pa.Table:
        return data.rename_columns([new if name == old else name for name in data.column_names])

    return step


def fill(column: str, value: Any) -> Step:
    """A step: a new column with the same value in every row."""

    def step(data: pa.Table) -> pa.Table:
        return data if column in data.column_names else data.append_column(column, pa.array([value] * data.num_rows))

    return step


def lift(table: str, version: int, target: int, data: pa.Table) -> pa.Table:
    """Rows of shape ``version`` in shape ``target``. Raises LaomaError when the rows are newer than the code or a step is missing."""
    if version > target:
        raise LaomaError(
            f"the lake's table {table!r} has shape {version}, this laoma knows {target}: install the newer release again", code="lake_newer"
        )
    steps = MIGRATIONS.get(table, [])
    if version < 1 or len(steps) < target - 1:
        raise LaomaError(f"no migration of table {table!r} from shape {version} to {target}", code="lake_unknown_version")
    for step in steps[version - 1 : target - 1]:
        data = step(data)
    return data


def conform(data: pa.Table, kind: type[Record], dim: int) -> pa.Table:
    """Exactly the columns of ``kind`` in their order: unknown ones are left out, missing ones take their default or null."""
    schema = arrow_schema(kind, dim)
    columns = [_column(data, field, kind) for field in schema]
    return pa.table(columns, schema=schema)


def _column(data: pa.Table, field: pa.Field, kind: type[Record]) -> pa.ChunkedArray | pa.Array:
    if field.name == "schema_version":
        return pa.array([kind.VERSION] * data.num_rows, type=field.type)
    default = _default(kind, field.name)
    if field.name not in data.column_names:
        if default is None and not field.nullable:
            raise LaomaError(
                f"column {field.name!r} of table {kind.TABLE!r} has no default: write a migration", code="lake_unknown_version"
            )
        return pa.array([default] * data.num_rows, type=field.type)
    column = data.column(field.name)
    if not field.nullable and column.null_count:
        column = pa.chunked_array([pa.array([default if value is None else value for value in column.to_pylist()], type=field.type)])
    return column.cast(field.type)


def _default(kind: type[Record], name: str) -> Any:
    default = kind.model_fields[name].get_default(call_default_factory=True)
    return None if default is PydanticUndefined else default
