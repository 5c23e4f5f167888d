"""Frozen shards: a shard's tables and logs as they were at one moment, in a folder of their own, to be read, cleaned or thawed.

A frozen shard shares its files with the living one by hard links (copies where the file system has none): neither ever changes a
file in place, so freezing takes a moment and hardly any space, and compaction and cleaning of the living tables go on undisturbed.
A tag of LanceDB would stop all cleaning of old versions for as long as it stands, and nothing could be deleted from what it holds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import lancedb

from lake.durable import manifests, sync_file
from lake.logs import writing
from lake.opening import TABLES
from lake.parquet import EVENTS, TURNS, day_files, remove_file
from lake.store import ShardStore
from lake.tables import scan
from schemas.errors import LaomaError
from schemas.settings import Lake
from schemas.snapshot import FrozenShard

LOGS = "logs"


def frozen_root(snapshot: Path, shard: str) -> Path:
    """Where a shard lies in a snapshot's folder."""
    return snapshot / "shards" / shard


def freeze(store: ShardStore, logs: Path, snapshot: Path) -> FrozenShard:
    """Put the shard as it is now into a snapshot's folder, durable and read back on return. Raises Unavailable, Fenced, OSError."""
    target = frozen_root(snapshot, store.root.name) / TABLES
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True, mode=0o700)
    with writing, store.owning():
        store.flush()
        stats = store.stats()
        for name in stats.tables:
            _link_table(store.root / TABLES / f"{name}.lance", target / f"{name}.lance")
        files = [path for log in (TURNS, EVENTS) for path in day_files(logs, log, store.root.name)]
        for path in files:
            _link(path, snapshot / LOGS / path.relative_to(logs))
    _sync_folders(snapshot)
    rows = {name: table.rows for name, table in stats.tables.items()}
    require_whole(target, rows)
    return FrozenShard(embedder=stats.embedder, dim=store.dim, rows=rows, log_files=len(files))


def require_whole(tables: Path, rows: Mapping[str, int], *, exactly: bool = True) -> None:
    """Read the tables of a frozen shard. Raises LaomaError where one can't be read or has another number of rows than ``rows`` says
    (not ``exactly``: it may have fewer, as deletions took some)."""
    database = lancedb.connect(tables)
    for name, expected in rows.items():
        try:
            found = scan(database.open_table(name), None, ["user", "id"]).num_rows
        except (RuntimeError, ValueError, OSError) as error:
            raise LaomaError(f"table {name!r} in {tables} can't be read: {str(error).splitlines()[0][:200]}", code="bad_snapshot") from None
        if found > expected or (exactly and found < expected):
            raise LaomaError(f"table {name!r} in {tables} has {found} rows instead of {expected}", code="bad_snapshot")


def open_frozen(snapshot: Path, number: int, shard: FrozenShard, settings: Lake, now: Callable[[], datetime]) -> tuple[ShardStore, Path]:
    """A frozen shard as a store of its own, with its logs: to take out of it what was deleted since. Close it."""
    root = frozen_root(snapshot, str(number))
    return ShardStore(root, embedder=shard.embedder, dim=shard.dim, settings=settings, now=now, holder="snapshot"), snapshot / LOGS


def thaw(store: ShardStore, logs: Path, snapshot: Path, shard: FrozenShard) -> None:
    """Let tables and logs of the living shard be those of the frozen one. Doing it again does no harm. Raises Unavailable, Fenced."""
    tables = frozen_root(snapshot, store.root.name) / TABLES
    require_whole(tables, shard.rows, exactly=False)  # what is missing must not pass for empty
    store.restore(tables, shard.embedder, shard.dim)
    with writing, store.owning():
        for log in (TURNS, EVENTS):
            there = {path.relative_to(snapshot / LOGS) for path in day_files(snapshot / LOGS, log, store.root.name)}
            for path in day_files(logs, log, store.root.name):
                if path.relative_to(logs) not in there:
                    remove_file(path)
            for name in there:
                _replace(snapshot / LOGS / name, logs / name)
    _sync_folders(logs)


def deleted_bytes(snapshot: Path) -> bool:
    """Whether frozen tables still carry rows that had been deleted before they were frozen."""
    return any(True for _ in snapshot.glob(f"shards/*/{TABLES}/*.lance/_deletions/*"))


def _link_table(table: Path, target: Path) -> None:
    """Only what the newest version names: rows of older ones may have been deleted since."""
    found = manifests(table)
    newest = found[max(found)]
    named = newest.read_bytes()
    for path in (*(table / "data").glob("*"), *(table / "_transactions").glob("*")):
        if path.name.encode() in named:
            _link(path, target / path.relative_to(table))
    for path in (newest, *(table / "_deletions").glob("*")):
        _link(path, target / path.relative_to(table))


def _link(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        os.link(path, target)
    except OSError:
        shutil.copy2(path, target)
        sync_file(target)


def _replace(path: Path, target: Path) -> None:
    if target.exists() and target.samefile(path):  # a rename over one's own link does nothing and leaves the draft
        return
    draft = target.with_name(f".{target.name}.tmp")
    draft.unlink(missing_ok=True)
    _link(path, draft)
    draft.replace(target)


def _sync_folders(root: Path) -> None:
    for folder, _, _ in os.walk(root, topdown=False):
        sync_file(Path(folder))
