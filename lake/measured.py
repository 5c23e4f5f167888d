"""Logs of evaluations and benchmarks: a Parquet file a run, never changed afterwards, read as the views ``evals`` and ``benchmarks``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from lake.durable import put_in_place, sync_new_folder
from schemas.measured import BenchFigure, EvalFigure

_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
_AT = pa.field("at", pa.timestamp("us", tz="UTC"))

SCHEMAS: dict[str, pa.Schema] = {
    "evals": pa.schema(
        [("run", _TEXT), _AT, ("suite", _TEXT), ("n", _COUNT), ("part", _TEXT), ("measure", _TEXT), ("value", _NUMBER),
         ("embedder", _TEXT), ("version", _TEXT)]
    ),
    "benchmarks": pa.schema(
        [("run", _TEXT), _AT, ("bench", _TEXT), ("case", _TEXT), ("size", _COUNT), ("contender", _TEXT), ("rounds", _COUNT),
         ("p50_ms", _NUMBER), ("p95_ms", _NUMBER), ("least_ms", _NUMBER), ("beside", pa.list_(_TEXT)), ("machine", _TEXT),
         ("version", _TEXT)]
    ),
}  # fmt: skip
"""Columns by log."""


def append(logs: Path, log: str, figures: Sequence[EvalFigure] | Sequence[BenchFigure], day: date) -> Path | None:
    """Adds the figures of one run to ``logs/LOG/date=DAY/RUN.parquet``, durable on return; None where there are none.

    Owner's eyes only, like everything in the home.
    """
    if not figures:
        return None
    path = logs / log / f"date={day.isoformat()}" / f"{figures[0].run}.parquet"
    if not path.parent.exists():
        path.parent.mkdir(parents=True, mode=0o700)
        sync_new_folder(path.parent, upto=logs.parent)
    draft = path.with_suffix(".tmp")
    pq.write_table(pa.Table.from_pylist([figure.model_dump() for figure in figures], schema=SCHEMAS[log]), draft, compression="zstd")
    draft.chmod(0o600)
    put_in_place(draft, path)
    return path


def measured(logs: Path, log: str) -> ds.Dataset:
    """All runs of a log; no files are no rows."""
    files = sorted(str(path) for path in (logs / log).glob("date=*/*.parquet"))
    return ds.dataset(files, schema=SCHEMAS[log], format="parquet")
