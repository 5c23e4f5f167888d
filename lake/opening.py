"""Opening a shard: become its owner, discard what a crash left half written, lift old shapes, replay the journal."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lake.applier import Applier, Batch
from lake.durable import SyncedFiles, discard_after, manifests, sync_new_folder
from lake.journal import Journal
from lake.lease import OwnerLock
from lake.tables import KINDS, Tables, stored_dim
from lake.writes import decode
from schemas.errors import Unavailable
from schemas.record import vector_fields
from schemas.settings import Lake

log = logging.getLogger(__name__)

JOURNAL, LOCK, TABLES, TORN = "journal.sqlite", "owner.lock", "tables", "torn"


@dataclass(frozen=True)
class OpenShard:
    """A shard that is ours; ``embedder`` is the one its vectors come from."""

    journal: Journal
    tables: Tables
    files: SyncedFiles
    fence: int
    applier: Applier
    embedder: str


def open_shard(root: Path, *, embedder: str, dim: int, settings: Lake, at: datetime, holder: str) -> OpenShard:
    """Take the shard at ``root`` over. Raises Unavailable, Fenced, LaomaError (newer lake)."""
    folder = root / TABLES
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    journal = _open_journal(root, settings.shared)
    lock = OwnerLock(root / LOCK)
    try:
        fence = journal.take_lease(holder, at)
        lock.acquire(settings.lease_s)
        journal.check(fence)
        files = SyncedFiles(folder)
        _discard_torn(root, journal, files)
        tables = Tables(folder, stored_dim(folder) or int(journal.fact("dim") or dim))
        tables.open_all()
        applier = Applier(journal, tables, files, fence, settings, release=lambda _: lock.release())
        _catch_up(journal, tables, applier, fence)
        stored = _settle_embedder(journal, tables, applier, fence, embedder, dim)
        return OpenShard(journal, tables, files, fence, applier, stored)
    except BaseException:
        lock.release()
        journal.close()
        raise


def _open_journal(root: Path, shared: bool) -> Journal:
    try:
        journal = Journal(root / JOURNAL, shared=shared)
    except sqlite3.Error as error:
        raise Unavailable(f"the journal {root / JOURNAL} can't be opened ({error}): check the disk, or restore a backup") from None
    sync_new_folder(root / TABLES, upto=root.parents[2])
    return journal


def _discard_torn(root: Path, journal: Journal, files: SyncedFiles) -> None:
    """Leave only table versions that are known to be on the disk; a lake without such knowledge (a copy) is taken as it is."""
    if journal.fact("embedder") is None:
        return
    hardened = journal.hardened()
    for folder in sorted((root / TABLES).glob("*.lance")):
        if folder.stem in hardened:
            dropped = discard_after(folder, hardened[folder.stem])
            if dropped:
                log.info("table %s: %d version(s) that a crash left unsynced are replayed from the journal", folder.stem, dropped)
        else:
            (root / TORN).mkdir(exist_ok=True)
            folder.rename(root / TORN / f"{folder.stem}-{len(list((root / TORN).iterdir()))}")
    files.assume()


def _catch_up(journal: Journal, tables: Tables, applier: Applier, fence: int) -> None:
    hardened = journal.hardened()
    applier.touch([name for name in tables.names() if hardened.get(name) != max(manifests(tables.root / f"{name}.lance"))])
    batch: Batch = []
    for seq, entry in journal.entries():
        try:
            batch.append((seq, [decode(entry, KINDS[entry.table])]))
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            log.error("journal entry %d of %s can't be read and is set aside: %s", seq, entry.table, error)
            journal.quarantine(fence, seq, str(error))
    applier.take(batch)
    applier.apply()
    applier.harden()
    applier.count_fragments()


def _settle_embedder(journal: Journal, tables: Tables, applier: Applier, fence: int, embedder: str, dim: int) -> str:
    """The embedder of the stored vectors; while there are none, that is the configured one."""
    stored = journal.fact("embedder")
    if stored is None:
        stored = embedder
    if (stored != embedder or tables.dim != dim) and not _has_vectors(tables):
        applier.redo_vectors(dim)
        stored = embedder
    journal.set_facts(fence, {"embedder": stored, "dim": str(tables.dim)})
    return stored


def _has_vectors(tables: Tables) -> bool:
    for name in tables.names():
        for column in vector_fields(KINDS[name]):
            table = tables.get(name)
            if table is not None and table.count_rows(f"{column} IS NOT NULL"):
                return True
    return False
