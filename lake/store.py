"""One shard: its tables with their journal in front.

A write is acknowledged when the journal holds it (``commit``), seen by every read after that, and carried into LanceDB in the background.
One owner at a time: a new one fences the former.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lake.commits import GroupCommit, Pending
from lake.journal import Journal
from lake.opening import TORN, open_shard
from lake.owed import Owed
from lake.tables import chunked, only, quote, scan
from lake.watching import Watches
from lake.writes import Drop, Key, Put, Write, checked, encode, kind_of
from schemas.errors import EmbedderMismatch, LaomaError, Unavailable
from schemas.record import R, Record, from_table, vector_fields
from schemas.settings import Lake

log = logging.getLogger(__name__)

__all__ = ["Drop", "Put", "ShardStore", "StoreStats", "TableStats", "Write", "quote"]


@dataclass(frozen=True)
class TableStats:
    """A table in numbers; ``bytes`` are those of its current version."""

    rows: int
    fragments: int
    bytes: int
    version: int


@dataclass(frozen=True)
class StoreStats:
    """A shard in numbers: entries waiting in the journal, journal transactions (each is one sync), Lance files synced, commits
    acknowledged since opening, the fencing number, the embedder of its vectors, what failed last, entries that could not be read or stored,
    log files that were found unreadable since opening.
    """

    journal: int
    syncs: int
    files_synced: int
    commits: int
    fence: int
    embedder: str
    failure: str | None
    quarantined: int
    damaged_files: int
    tables: dict[str, TableStats]


class ShardStore:
    """One shard's tables with their journal. Thread-safe; one owner at a time.

    ``root`` is ``LAOMA_HOME/lake/shards/N``; ``embedder`` and ``dim`` are the configured ones (where the shard holds vectors of others,
    everything but vectors still works); ``holder`` names this owner to a person. Raises Unavailable when the former owner does not
    let go, LaomaError when the lake is newer than the code.
    """

    def __init__(self, root: Path, *, embedder: str, dim: int, settings: Lake, now: Callable[[], datetime], holder: str) -> None:
        self.root = root
        self._embedder, self._dim = embedder, dim
        shard = open_shard(root, embedder=embedder, dim=dim, settings=settings, at=now(), holder=holder)
        self._journal: Journal = shard.journal
        self._tables, self._files, self._fence, self._applier = shard.tables, shard.files, shard.fence, shard.applier
        self._stored_embedder = shard.embedder
        self._commits = GroupCommit(
            self._journal, self._fence, name=f"laoma-commit-{root.name}", committed=self._applier.take, room=self._applier.wait_for_room
        )
        self._watches = Watches()
        self.owed = Owed(self._journal, self._fence)
        self._applier.start(f"laoma-apply-{root.name}")
        self._closed = False
        self._damaged: set[Path] = set()

    def commit(self, writes: Sequence[Write]) -> Future[None]:
        """All of these writes, in order, or none; done when they survive a power cut. Once called it can't be cancelled.

        The future fails with InvalidRequest (a row no table can hold: nothing is written), EmbedderMismatch, Unavailable (disk) or Fenced.
        """
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()
        try:
            self._applier.guard()
            kept = [checked(write) for write in writes if isinstance(write, Drop) or write.rows]
            self._check_vectors(kept)
            entries = [encode(write) for write in kept]
        except LaomaError as error:
            future.set_exception(error)
            return future
        if entries:
            with self._watches.passing(kept):
                self._commits.submit(Pending(kept, entries, future))
        else:
            future.set_result(None)
        return future

    def drop_unchanged(self, kind: type[Record], known: Mapping[Key, Record]) -> int:
        """Drop those rows that are still just as ``known`` has them; one that is written meanwhile, at whatever moment, stays.

        Returns how many went. Raises as :meth:`commit`'s future does.
        """
        with self._watches.over(kind.TABLE) as written:
            self._commits.drain()
            rows = self.rows(kind, None, ids=sorted({row_id for _, row_id in known}))
            same = {key for row in rows if known.get(key := (row.user, row.id)) == row}
            future: Future[None] = Future()
            with self._watches.gate:
                ids: dict[str, list[str]] = defaultdict(list)
                for user, row_id in sorted(same - written):
                    ids[user].append(row_id)
                drops: list[Write] = [Drop(kind, user, found) for user, found in ids.items()]
                if drops:
                    self._commits.submit(Pending(drops, [encode(drop) for drop in drops], future))
                else:
                    future.set_result(None)
        future.result()
        return sum(map(len, ids.values()))

    def require_lease(self) -> None:
        """Raises Fenced when another owner has taken the shard (noticed within ``lease_s / 20``)."""
        self._applier.guard()

    def owning(self) -> AbstractContextManager[None]:
        """A block in which no other owner can begin to write what belongs to this shard: for its log files, which nothing else guards.

        Commit nothing inside. Raises Fenced when another owner has taken the shard.
        """
        return self._applier.owning()

    def note_damaged(self, path: Path, why: Exception, *, formerly: Path | None = None) -> None:
        """Remember a log file of this shard that can't be read; said once. ``formerly``: where it lay before it was set aside."""
        if formerly is not None:
            self._damaged.discard(formerly)
        if path not in self._damaged:
            self._damaged.add(path)
            log.error(
                "%s can't be read (%s): its rows are missing until it is restored from a backup", path, str(why).splitlines()[0][:200]
            )

    @property
    def damaged(self) -> frozenset[Path]:
        """The log files that :meth:`note_damaged` was told of."""
        return frozenset(self._damaged)

    def forget_damaged(self, path: Path) -> None:
        """A damaged file is no more."""
        self._damaged.discard(path)

    def flush(self) -> None:
        """Return when everything committed is applied, on the disk, and gone from the journal."""
        self._applier.apply()
        self._applier.harden()

    def rows(
        self,
        kind: type[R],
        user: str | None,
        *,
        where: str | None = None,
        ids: Sequence[str] | None = None,
        vectors: bool = False,
    ) -> list[R]:
        """Rows of a table as of now, in no order, own writes included; ``user=None``: of all users (for scans inside the owner only).

        ``where`` is a LanceDB SQL filter: pass values through :func:`quote`. Without ``vectors`` the vector column is not read: an optional
        one is None; a kind that is nothing without its vector is always read with it.
        """
        self._applier.settle(kind.TABLE)
        table = self._tables.get(kind.TABLE)
        if table is None:
            return []
        columns = _columns(table, kind, vectors=vectors)
        parts: Sequence[list[str] | None] = [None] if ids is None else chunked(ids)
        return [row for part in parts for row in from_table(kind, scan(table, only(user, part, where), columns))]

    def vectors(self, kind: type[Record], user: str, *, where: str | None = None) -> tuple[list[str], NDArray[np.float32]]:
        """Ids and vectors, shape (n, dim), of one user's rows that have one of the current embedder. Raises EmbedderMismatch."""
        self._require_embedder()
        self._applier.settle(kind.TABLE)
        table = self._tables.get(kind.TABLE)
        if table is None:
            return [], np.zeros((0, self._tables.dim), dtype=np.float32)
        current = f"embedder = {quote(self._embedder)} AND vector IS NOT NULL" + (f" AND ({where})" if where else "")
        found = scan(table, only(user, where=current), ["id", "vector"])
        flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return found["id"].to_pylist(), np.asarray(flat, dtype=np.float32).reshape(found.num_rows, self._tables.dim)

    def values(self, kind: type[Record], user: str, column: str) -> dict[str, Any]:
        """Of one user's rows the id and a column's value, where it has one."""
        self._applier.settle(kind.TABLE)
        table = self._tables.get(kind.TABLE)
        if table is None or column not in table.schema.names:
            return {}
        found = scan(table, only(user, where=f"{column} IS NOT NULL"), ["id", column])
        return dict(zip(found["id"].to_pylist(), found[column].to_pylist(), strict=True))

    def count(self, kind: type[Record], user: str | None, *, where: str | None = None) -> int:
        """How many rows :meth:`rows` would return."""
        self._applier.settle(kind.TABLE)
        table = self._tables.get(kind.TABLE)
        return 0 if table is None else int(table.count_rows(only(user, where=where)))

    def users(self) -> list[str]:
        """Everybody who has a row here, sorted."""
        found: set[str] = set()
        self._applier.apply()
        for name in self._tables.names():
            found.update(scan(self._tables.get(name), None, ["user"])["user"].unique().to_pylist())
        return sorted(found)

    def maintain(self, *, purge: bool = False) -> list[str]:
        """Compact every table that was written and clean old versions (a running shard does the urgent ones itself).

        ``purge``: no byte of a deleted row stays, neither in old versions nor in the journal. Returns the tables whose old versions are
        held by a tag.
        """
        self._applier.apply()
        names = self._tables.names() if purge else self._applier.touched()
        held = [name for name in names if not self._applier.optimize(name, purge=purge)]
        self._applier.harden()
        if purge:
            self._journal.shrink()
            rmtree(self.root / TORN, ignore_errors=True)
        return held

    def drop_quarantined(self, user: str) -> int:
        """Throw away what was set aside or noted of this user; returns how many entries (an entry of several users goes as a whole)."""
        return self._journal.drop_quarantined(self._fence, user)

    @property
    def dim(self) -> int:
        """How long the stored vectors are."""
        return self._tables.dim

    def restore(self, frozen: Path, embedder: str, dim: int) -> None:
        """Let the tables hold what the frozen ones in a folder hold, whose vectors are ``embedder``'s. Doing it again does no harm."""
        self.owed.trust(False)
        self._applier.thaw(frozen, dim)
        self._journal.set_facts(self._fence, {"embedder": embedder, "dim": str(dim)})
        self._stored_embedder = embedder

    def stats(self) -> StoreStats:
        """The shard in numbers."""
        waiting, quarantined = self._journal.lengths()
        return StoreStats(
            journal=waiting,
            syncs=self._journal.syncs,
            files_synced=self._files.count,
            commits=self._commits.count,
            fence=self._fence,
            embedder=self._stored_embedder,
            failure=self._applier.failure,
            quarantined=quarantined,
            damaged_files=len(self._damaged),
            tables={name: _table_stats(self._tables.get(name)) for name in self._tables.names()},
        )

    def close(self) -> None:
        """Finish what is queued, flush, let the next owner in. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        reason = Unavailable("this shard is closed", retry_after=1)
        self._commits.stop(reason)
        self._applier.finish()
        try:
            if self._applier.stopped is None:
                self.flush()
                self._journal.shrink()
        finally:
            self._applier.stop(reason)
            self._journal.close()

    def __enter__(self) -> ShardStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_vectors(self, writes: Sequence[Write]) -> None:
        """Vectors are only stored when they come from the embedder that the shard's others come from."""
        for write in writes:
            packed = vector_fields(kind_of(write)) if isinstance(write, Put) else ()
            if not packed or not isinstance(write, Put):
                continue
            for row in write.rows:
                carried = [vector for name in packed if (vector := getattr(row, name)) is not None]
                if carried:
                    self._require_embedder(getattr(row, "embedder", None), {len(vector) for vector in carried})

    def _require_embedder(self, embedder: str | None = None, lengths: set[int] | None = None) -> None:
        stored = (self._stored_embedder, self._tables.dim)
        if (self._embedder, self._dim) != stored:
            raise EmbedderMismatch(
                f"this lake's vectors come from {stored[0]!r} ({stored[1]}-d), configured is {self._embedder!r} ({self._dim}-d): "
                "set embedding.model and embedding.dim in config.yaml back to the former ones (another embedder needs a new LAOMA_HOME)"
            )
        if embedder not in (None, self._embedder) or (lengths or {self._dim}) != {self._dim}:
            raise EmbedderMismatch(f"a vector of {embedder!r}, {lengths} long, doesn't belong among those of {stored[0]!r} ({stored[1]}-d)")


def _columns(table: Any, kind: type[Record], *, vectors: bool) -> list[str]:
    """The columns to read: known ones, without an optional vector unless asked for."""
    left_out = () if vectors else tuple(name for name in vector_fields(kind) if not kind.model_fields[name].is_required())
    return [name for name in table.schema.names if name in kind.model_fields and name not in left_out]


def _table_stats(table: Any) -> TableStats:
    found = table.stats()
    return TableStats(found["num_rows"], found["fragment_stats"]["num_fragments"], found["total_bytes"], table.version)
