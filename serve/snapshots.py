"""Snapshots of the whole lake: all shards and policies together, made, listed, restored, pruned. The shards do the work."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from lake.durable import replace_text, sync_file
from lake.place import Place
from lake.snapshot_folder import MANIFEST, alone, discard
from schemas.errors import Conflict, LaomaError, NotFound
from schemas.snapshot import FrozenShard, Reason, Restored, Snapshot
from serve.shard.service import ShardService
from serve.shards import Shards

log = logging.getLogger("laoma.snapshots")
KEPT_FILES = ("constitution.yaml", "config.yaml")
"""Policies that a person edits: kept beside the tables to be looked up, never put back by a restore."""
KEEP_AUTOMATIC = 10


async def create(
    shards: Shards, home: Path, at: datetime, *, reason: Reason = "hand", name: str | None = None, spare: Sequence[str] = ()
) -> Snapshot:
    """A snapshot of everything; of those that were made automatically the last ten stay. Raises Conflict, Unavailable, LaomaError.

    Whatever is about to change much at once calls this first: an import, a restore, an evolution of policies.
    """
    async with alone(home):
        return await _create(shards, home, at, reason=reason, name=name, spare=spare)


async def _create(
    shards: Shards, home: Path, at: datetime, *, reason: Reason, name: str | None = None, spare: Sequence[str] = ()
) -> Snapshot:
    name = name or f"{at:%Y%m%dT%H%M%S}.{at.microsecond // 1000:03d}-{reason}"
    folder = Place(home).snapshots / name
    try:
        folder.mkdir(parents=True, mode=0o700)
    except FileExistsError:
        raise Conflict(f"There is a snapshot {name!r} already: choose another name.", code="snapshot_exists", param="name") from None
    try:
        frozen = await shards.each(ShardService.freeze, name)
        for file in KEPT_FILES:
            if (home / file).exists():
                shutil.copy2(home / file, folder / file)
        snapshot = Snapshot(name=name, at=at, reason=reason, shards=frozen)
        _write(home, snapshot)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise LaomaError(
                f"the snapshot could not be written ({error}): free disk space or check the disk", code="snapshot_failed"
            ) from error
        raise
    prune(home, KEEP_AUTOMATIC, spare=(name, *spare))
    return snapshot


async def restore(shards: Shards, home: Path, name: str, at: datetime) -> Restored:
    """Go back to a snapshot, after one of the present state was made. What was deleted since the snapshot stays deleted.

    Raises NotFound, Conflict (another number of shards), LaomaError (damaged): nothing is changed then.
    """
    async with alone(home):
        return await _restore(shards, home, name, at)


async def _restore(shards: Shards, home: Path, name: str, at: datetime) -> Restored:
    snapshot = get(home, name)
    count = len(await shards.each(ShardService.figures))
    if count != len(snapshot.shards):
        raise Conflict(
            f"Snapshot {name!r} has {len(snapshot.shards)} shard(s), this lake {count}: set lake.shards to {len(snapshot.shards)} in the "
            "config.yaml of a new LAOMA_HOME and restore there.",
            code="other_shards",
        )
    await shards.each(ShardService.check_frozen, snapshot)
    before = await _create(shards, home, at, reason="restore", spare=(name,))
    replayed = await shards.each(ShardService.thaw, snapshot)
    if any(replayed):  # what was deleted since must not lie about until the nightly purge
        await scrub(shards, home)
        await shards.each(ShardService.purge)
    return Restored(restored=name, before=before.name, replayed=sum(replayed))


async def scrub(shards: Shards, home: Path) -> int:
    """Take out of every snapshot what was deleted since (R31); returns how many snapshots there are. Call it :func:`alone`.

    One that can't be read goes as a whole.
    """
    discard_unreadable(home)
    found = listed(home)
    for snapshot in found:
        renew(home, snapshot, await shards.each(ShardService.scrub_frozen, snapshot))
    return len(found)


def discard_unreadable(home: Path) -> list[str]:
    """Remove the snapshots whose manifest can't be read: nobody can go back to them, and nothing can be taken out of them (R31).

    Returns their names. Call it :func:`alone`.
    """
    found = [path.parent for path in Place(home).snapshots.glob(f"*/{MANIFEST}") if _read(path) is None]
    for folder in found:
        log.warning("snapshot %s is removed: its manifest can't be read, so nothing that was deleted can be taken out of it", folder.name)
        discard(folder)
    return sorted(folder.name for folder in found)


def renew(home: Path, snapshot: Snapshot, shards: Sequence[FrozenShard]) -> None:
    """Write down what a cleaned snapshot holds now."""
    if list(shards) != snapshot.shards:
        _write(home, snapshot.model_copy(update={"shards": list(shards)}))


def listed(home: Path) -> list[Snapshot]:
    """Latest first; what was broken off is no snapshot."""
    found = [one for path in Place(home).snapshots.glob(f"*/{MANIFEST}") if (one := _read(path)) is not None]
    return sorted(found, key=lambda snapshot: (snapshot.at, snapshot.name), reverse=True)


def get(home: Path, name: str) -> Snapshot:
    """Raises NotFound."""
    for snapshot in listed(home):
        if snapshot.name == name:
            return snapshot
    raise NotFound(f"No snapshot {name!r}: `laoma snapshot list` shows them.", param="name")


async def remove(home: Path, name: str) -> None:
    """Delete one. Raises NotFound."""
    async with alone(home):
        _remove(home, get(home, name).name)


def prune(home: Path, keep: int, *, hand: bool = False, spare: Sequence[str] = ()) -> list[str]:
    """Of the automatic snapshots (``hand``: of all) delete all but the latest ``keep``; returns the names of those that went.

    ``spare`` are never deleted.
    """
    candidates = [one.name for one in listed(home) if hand or one.reason != "hand"]
    spared = sum(name in spare for name in candidates)
    gone = [name for name in candidates if name not in spare][max(0, keep - spared) :]
    for name in gone:
        _remove(home, name)
    return gone


def _remove(home: Path, name: str) -> None:
    discard(Place(home).snapshots / name)


def _write(home: Path, snapshot: Snapshot) -> None:
    folder = Place(home).snapshots
    replace_text(folder / snapshot.name / MANIFEST, snapshot.model_dump_json(indent=1))
    sync_file(folder)


def _read(path: Path) -> Snapshot | None:
    try:
        # A folder that somebody copied or renamed is a snapshot of that name: else nothing would be taken out of it.
        return Snapshot.model_validate(Snapshot.model_validate_json(path.read_bytes()).model_dump() | {"name": path.parent.name})
    except (OSError, ValidationError):
        return None
