"""Log files that can't be read: no deletion can clean them, so they go as a whole when something was deleted that they may hold (R31)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from lake.parquet import TURNS, event_schema, is_damaged, read_file, remove_file, turn_schema
from lake.store import ShardStore

log = logging.getLogger(__name__)
SUFFIX = ".damaged"
"""Of a file that sealing set aside, since a day's new rows needed its place."""


def damaged_files(store: ShardStore, logs: Path) -> list[Path]:
    """Those of this shard that were set aside, by whatever process, and those that were found unreadable since it was opened."""
    aside = logs.glob(f"*/date=*/shard-{store.root.name}.*{SUFFIX}")
    return sorted({*aside, *(path for path in store.damaged if path.exists())})


def written_at(path: Path) -> datetime:
    """Whatever was deleted after this, the file may still hold."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def remove_damaged(store: ShardStore, paths: Iterable[Path]) -> list[Path]:
    """Remove what can't be read because of what is in it; call it with ``writing`` held. Returns those that stay: they can be read by
    now, or it is the disk that fails.

    The history that was copied into them lies hot, and is copied once more by the next sealing. Raises Fenced.
    """
    left = []
    for path in paths:
        with store.owning():
            if path.suffix != SUFFIX and not _is_broken(path):
                left.append(path)
                continue
            store.owed.trust(False)
            log.warning("%s is removed: it can't be read, and something was deleted that it may hold", path)
            remove_file(path)
            store.forget_damaged(path)
    return left


def _is_broken(path: Path) -> bool:
    try:
        read_file(path, turn_schema() if path.parts[-3] == TURNS else event_schema())
    except (pa.ArrowInvalid, OSError) as error:
        return is_damaged(error) and not (isinstance(error, OSError) and error.errno is not None)
    return False
