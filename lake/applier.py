"""From journal to tables: the thread that applies what was committed, makes it durable there, trims the journal and compacts.

Order of locks: ``_hardening`` before ``_applying`` before ``_wake``.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Condition, RLock, Thread

from lake.apply import apply
from lake.durable import SyncedFiles
from lake.journal import Journal
from lake.optimize import clean, compact, cover, rewrite
from lake.sifting import sift
from lake.tables import Tables
from lake.writes import Write, fold, kind_of, size_of
from schemas.errors import Fenced, LaomaError, Unavailable
from schemas.settings import Lake

log = logging.getLogger(__name__)

Batch = list[tuple[int, Sequence[Write]]]
"""Commits with their sequence numbers, in order."""


class Applier:
    """The only writer of a shard's tables, as long as it holds the owner's lock; ``release`` gives that up."""

    def __init__(
        self, journal: Journal, tables: Tables, files: SyncedFiles, fence: int, settings: Lake, release: Callable[[LaomaError], None]
    ) -> None:
        self._journal, self._tables, self._files, self._fence, self._settings = journal, tables, files, fence, settings
        self._release = release
        self._hardening, self._applying, self._wake = RLock(), RLock(), Condition()
        self._pending: Batch = []
        self._unapplied = 0
        self._newest: dict[str, int] = {}  # table → sequence number of its last committed write
        self._applied = self._trimmed = 0
        self._dirty: set[str] = set()  # tables with versions that are not synced yet
        self._commits: Counter[str] = Counter()  # LanceDB commits since the last compaction
        self._closing = False
        self.stopped: LaomaError | None = None
        self.failure: str | None = None
        self._thread: Thread | None = None

    def start(self, name: str) -> None:
        """Begin to work in the background."""
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def take(self, batch: Batch) -> None:
        """Commits that are durable in the journal and now to be applied."""
        with self._wake:
            self._pending += batch
            for seq, writes in batch:
                self._unapplied += sum(map(size_of, writes))
                self._newest.update((kind_of(write).TABLE, seq) for write in writes)
            self._wake.notify_all()

    def wait_for_room(self) -> None:
        """Block while the tables lag too far behind. Raises Unavailable when applying fails, so that the journal can't grow without end."""
        with self._wake:
            self._wake.wait_for(lambda: self._unapplied < self._settings.unapplied_rows or self.failure or self.stopped)
            if self._unapplied >= self._settings.unapplied_rows and self.failure:
                raise Unavailable(f"the tables can't be written ({self.failure}): free disk space or check the disk", retry_after=5)

    def settle(self, table: str) -> None:
        """Return when the table shows everything committed to it. Raises Unavailable, Fenced."""
        self.guard()
        while self._newest.get(table, 0) > self._applied:
            self.apply()

    def guard(self) -> None:
        """Raises Fenced (or what else stopped this owner)."""
        if self.stopped is not None:
            raise self.stopped

    @contextmanager
    def owning(self) -> Iterator[None]:
        """For as long as the block lasts no other owner can begin: it would have to wait for the lock. Raises Fenced where one did.

        Commit nothing inside: a commit may wait for the tables, and they wait for the block's end.
        """
        with self._hardening, self._applying:
            self.guard()
            self._journal.check(self._fence)
            yield

    def apply(self) -> None:
        """Carry all pending commits into the tables; what fails stays pending. Raises Unavailable, Fenced."""
        with self._applying:
            self.guard()
            with self._wake:
                batch, self._pending = self._pending, []
            if not batch:
                return
            try:
                self._carry(batch)
            except Exception as error:
                with self._wake:
                    self._pending = batch + self._pending
                    self.failure = str(error)
                    self._wake.notify_all()
                raise Unavailable(f"the tables can't be written ({error}): free disk space or check the disk", retry_after=5) from error
            with self._wake:
                self._applied = batch[-1][0]
                self._unapplied -= sum(size_of(write) for _, writes in batch for write in writes)
                self.failure = None
                self._wake.notify_all()

    def _carry(self, batch: Batch) -> None:
        # The entries of a commit are numbered in a row, and the commit by its last one.
        entries = [(seq + number, write) for seq, writes in batch for number, write in enumerate(writes, start=1 - len(writes))]
        for refused in sift(entries, self._write):
            log.error("journal entry %d of %s can't be stored and is set aside: %s", refused.seq, refused.table, refused.reason)
            self._journal.quarantine(self._fence, refused.seq, refused.reason)

    def _write(self, writes: list[Write]) -> None:
        for name, todo in fold(writes).items():
            self._dirty.add(name)
            self._commits[name] += apply(self._tables, todo)

    def harden(self) -> None:
        """Sync what was applied to the disk, then trim the journal. Raises OSError, sqlite3.Error, Fenced."""
        with self._hardening:
            with self._applying:
                self.guard()
                upto, dirty = self._applied, sorted(self._dirty)
                versions = {name: table.version for name in dirty if (table := self._tables.get(name)) is not None}
                self._dirty.clear()
            if not dirty and upto == self._trimmed:
                return
            try:
                self._files.sync(dirty)
                self._journal.trim(self._fence, upto, versions)
            except BaseException:
                with self._applying:
                    self._dirty.update(dirty)
                raise
            self._trimmed = upto

    def touch(self, names: Sequence[str]) -> None:
        """These tables were changed by hand (lifted, rewritten): the next :meth:`harden` syncs them."""
        with self._applying:
            self._dirty.update(names)

    def optimize(self, name: str, *, purge: bool = False) -> bool:
        """Compact a table and clean old versions; ``purge`` also rewrites deleted rows away and keeps no old version.

        Returns False where a tag holds old versions. The compacted version is on the disk before the one it replaces goes.
        """
        with self._hardening, self._applying:
            self.guard()
            table = self._tables.get(name)
            if table is None:
                return True
            self._dirty.add(name)
            if not (purge and rewrite(table)):
                compact(table)
            if purge:
                cover(table)
            self._commits[name] = 0
            self.harden()
            keep = timedelta(0) if purge else timedelta(hours=self._settings.keep_versions_h)
            cleaned = clean(table, keep, alone=purge)
            self._dirty.add(name)
            self._files.forget_missing(name)
            return cleaned

    def redo_vectors(self, dim: int) -> None:
        """Forget all vectors and make room for ones that are ``dim`` long."""
        with self._hardening, self._applying:
            self.apply()
            self._tables.redo_vectors(dim)
            self._dirty.update(self._tables.names())
            self.harden()

    def thaw(self, frozen: Path, dim: int) -> None:
        """Let every table hold what its copy in the folder ``frozen`` holds, and nothing else."""
        with self._hardening, self._applying:
            self.apply()
            self._tables.thaw(frozen, dim)
            self._dirty.update(self._tables.names())
            self.harden()

    def due(self) -> list[str]:
        """Tables with so many commits since their last compaction that another is worth its cost."""
        return [name for name, commits in self._commits.items() if commits >= self._limit(name, commits)]

    def touched(self) -> list[str]:
        """Tables that were written since their last compaction."""
        return [name for name, commits in self._commits.items() if commits]

    def _limit(self, name: str, commits: int) -> int:
        table = self._tables.get(name)
        if table is None or commits < self._settings.optimize_every:
            return self._settings.optimize_every
        large = table.stats()["total_bytes"] >= self._settings.large_mb << 20
        return self._settings.optimize_large_every if large else self._settings.optimize_every

    def count_fragments(self) -> None:
        """After opening: what an earlier owner left uncompacted counts too."""
        for name in self._tables.names():
            self._commits[name] = int(self._tables.get(name).stats()["fragment_stats"]["num_fragments"]) - 1  # type: ignore[union-attr]

    def stop(self, reason: LaomaError) -> None:
        """Write no more and let the next owner in; returns when nothing is being written any more."""
        with self._hardening, self._applying:
            if self.stopped is None:
                self.stopped = reason
                self._release(reason)
        with self._wake:
            self._wake.notify_all()

    def finish(self) -> None:
        """End the background thread; pending commits stay in the journal unless :meth:`apply` and :meth:`harden` came before."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        tick = self._settings.lease_s / 20
        pause = tick
        while not self._closing and self.stopped is None:
            self._wait_for_work(pause)
            try:
                self._journal.check(self._fence)
                self.apply()
                self.harden()
                for name in self.due():
                    self.optimize(name)
                pause = tick
            except Fenced as error:
                self.stop(error)
            except Exception as error:  # the disk may be full: keep the shard readable and try again, slower each time
                log.warning("applying the journal failed, trying again: %s", error)
                self.failure = str(error)
                pause = min(pause * 2, 30.0)
                self._rest(pause)

    def _wait_for_work(self, pause: float) -> None:
        with self._wake:
            self._wake.wait_for(lambda: self._closing or self._pending, timeout=pause)
            self._wake.wait_for(self._enough, timeout=self._settings.apply_every_ms / 1000 if self._pending else 0)

    def _enough(self) -> bool:
        return self._closing or self.stopped is not None or self._unapplied >= self._settings.apply_rows

    def _rest(self, pause: float) -> None:
        with self._wake:
            self._wake.wait_for(lambda: self._closing, timeout=pause)
