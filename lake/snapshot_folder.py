"""The folder of snapshots: alone with it, and rid of what a kill left half made or half removed.

Half a snapshot is listed nowhere, so nothing would ever take out of it what is deleted. Whoever makes, unpacks, cleans or removes a
snapshot, or erases somebody, holds the lock beside the folder; what has no manifest then is nobody's work any more.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from lake.durable import changing, sync_file
from lake.place import Place
from lake.unfinished import sweep_unfinished

MANIFEST = "manifest.json"
"""Written last and removed first: a folder that has none is half a snapshot."""
_POLL_S = 0.05


@asynccontextmanager
async def alone(home: Path) -> AsyncIterator[None]:
    """Alone with the snapshots of a home, which hold no half ones before and after; the event loop goes on while this waits."""
    folder = Place(home).snapshots
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(_lock(folder), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while not _taken(handle):  # noqa: ASYNC110  another process lets go of it
            await asyncio.sleep(_POLL_S)
        sweep(home)
        try:
            yield
        finally:
            sweep(home)
    finally:
        os.close(handle)


@contextmanager
def alone_here(home: Path) -> Iterator[None]:
    """The same for a process without an event loop."""
    with changing(Place(home).snapshots):
        sweep(home)
        yield


def sweep(home: Path) -> list[str]:
    """Remove what is half a snapshot, half manifests and half backups; returns the names of the first.

    Only under the lock: a snapshot in the making has no manifest either.
    """
    sweep_unfinished(home)
    found = [path for path in Place(home).snapshots.glob("*") if path.is_dir()]
    halves = [path for path in found if not _is_whole(path)]
    for draft in (draft for path in found for draft in path.glob(f".{MANIFEST}.*")):
        draft.unlink(missing_ok=True)
    for path in halves:
        discard(path)
    return sorted(path.name for path in halves)


def discard(folder: Path) -> None:
    """Remove a snapshot's folder; killed in between it looks half, not whole. Raises OSError."""
    if folder.exists():
        (folder / MANIFEST).unlink(missing_ok=True)
        sync_file(folder)
        shutil.rmtree(folder)
        sync_file(folder.parent)


def _is_whole(folder: Path) -> bool:
    return not folder.name.startswith(".") and (folder / MANIFEST).exists()


def _lock(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.lock")  # that of ``changing``


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
