"""The journal of a shard: what was acknowledged and does not yet lie safely in its tables.

SQLite, WAL, ``synchronous=FULL``: a committed entry survives a power cut (about 0.4 ms a commit on an SSD). On a shared file system
a rollback journal and ``synchronous=EXTRA`` instead: WAL needs memory that all its readers share, so all on one machine. The same file
holds the lease with its fencing number, checked inside every transaction, and for each table the last version that is known
to be on the disk.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock

from lake.writes import Entry
from schemas.errors import Fenced

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, version INTEGER, payload TEXT);
CREATE TABLE IF NOT EXISTS quarantine (seq INTEGER PRIMARY KEY, name TEXT, version INTEGER, payload TEXT, error TEXT);
CREATE TABLE IF NOT EXISTS lease (one INTEGER PRIMARY KEY CHECK (one = 1), fence INTEGER, holder TEXT, taken_at TEXT);
CREATE TABLE IF NOT EXISTS hardened (name TEXT PRIMARY KEY, version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS owed (name TEXT, user TEXT, id TEXT, at TEXT, seq INTEGER, PRIMARY KEY (name, user, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT OR IGNORE INTO lease VALUES (1, 0, '', '');
"""
_BUSY_S = 10.0
_CHECKPOINT_BYTES = 4 << 20


class Journal:
    """One shard's journal file; ``shared``: it lies on a file system of several machines. Thread-safe.

    Every method may raise sqlite3.Error (disk full, I/O); nothing is then half done.
    """

    def __init__(self, path: Path, *, shared: bool = False) -> None:
        self.path = path
        self._modes = ("DELETE", "EXTRA") if shared else ("WAL", "FULL")
        self._lock = Lock()
        self._db = self._connect()
        self._keeper = self._connect()  # checkpoints apart, so that no commit waits for one
        self._keeping = Lock()
        self.syncs = 0

    def _for_the_owner(self) -> None:
        """For the owner's eyes only; what SQLite makes beside it has the same mode.

        Never opened where it is there already: closing a file drops all POSIX locks that this process holds on it, SQLite's too, and
        another process would then take the journal's WAL away as the last to leave.
        """
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            self.path.chmod(0o600)

    def _connect(self) -> sqlite3.Connection:
        self._for_the_owner()
        db = sqlite3.connect(self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA auto_vacuum=INCREMENTAL")
        mode, synchronous = self._modes
        if db.execute(f"PRAGMA journal_mode={mode}").fetchone()[0].upper() != mode:
            raise sqlite3.OperationalError(f"it can't be switched to journal mode {mode} while another process uses it")
        db.execute(f"PRAGMA synchronous={synchronous}")
        db.execute("PRAGMA secure_delete=ON")
        db.execute("PRAGMA wal_autocheckpoint=0")
        db.executescript(_SCHEMA)
        return db

    @contextmanager
    def _transaction(self, fence: int | None) -> Iterator[sqlite3.Connection]:
        """A write transaction of the owner ``fence`` (None: anybody). Raises Fenced when the lease was taken over."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                if fence is not None:
                    self._check(self._db, fence)
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self.syncs += 1

    @staticmethod
    def _check(db: sqlite3.Connection, fence: int) -> None:
        current, holder = db.execute("SELECT fence, holder FROM lease").fetchone()
        if current != fence:
            raise Fenced(f"this shard is now written by {holder!r} (fencing number {current}, ours was {fence})", retry_after=1)

    def take_lease(self, holder: str, at: datetime) -> int:
        """Fence every earlier owner; returns the new fencing number."""
        with self._transaction(None) as db:
            db.execute("UPDATE lease SET fence = fence + 1, holder = ?, taken_at = ?", (holder, at.isoformat()))
            return int(db.execute("SELECT fence FROM lease").fetchone()[0])

    def check(self, fence: int) -> None:
        """Raises Fenced when ``fence`` is no longer the newest owner."""
        with self._lock:
            self._check(self._db, fence)

    def append(self, fence: int, commits: Sequence[Sequence[Entry]]) -> list[int]:
        """Write several commits in one synced transaction; returns the sequence number of each one's last entry."""
        with self._transaction(fence) as db:
            return [self._append_one(db, entries) for entries in commits]

    @staticmethod
    def _append_one(db: sqlite3.Connection, entries: Sequence[Entry]) -> int:
        seq = 0
        for entry in entries:
            cursor = db.execute(
                "INSERT INTO entries (name, version, payload) VALUES (?, ?, ?)", (entry.table, entry.version, entry.payload)
            )
            seq = cursor.lastrowid or 0
            owed = [(entry.table, user, id, at, seq) for user, id, at in entry.copied]
            db.executemany("INSERT OR REPLACE INTO owed VALUES (?, ?, ?, ?, ?)", owed)
        return seq

    def entries(self) -> list[tuple[int, Entry]]:
        """What is not trimmed yet, oldest first."""
        with self._lock:
            rows = self._db.execute("SELECT seq, name, version, payload FROM entries ORDER BY seq").fetchall()
        return [(seq, Entry(name, version, payload)) for seq, name, version, payload in rows]

    def quarantine(self, fence: int, seq: int, error: str) -> None:
        """Set an entry aside that can't be read, so that the shard opens; nothing is thrown away."""
        with self._transaction(fence) as db:
            db.execute("INSERT OR REPLACE INTO quarantine SELECT seq, name, version, payload, ? FROM entries WHERE seq = ?", (error, seq))
            db.execute("DELETE FROM entries WHERE seq = ?", (seq,))

    def drop_quarantined(self, fence: int, user: str) -> int:
        """Take out of quarantine every entry that names this user, and what is owed of them; returns how many entries."""
        with self._transaction(fence) as db:
            db.execute("DELETE FROM owed WHERE user = ?", (user,))
            cursor = db.execute("DELETE FROM quarantine WHERE instr(payload, ?) > 0", (json.dumps(user),))
            plain = db.execute("DELETE FROM quarantine WHERE instr(payload, ?) > 0", (json.dumps(user, ensure_ascii=False),))
            return cursor.rowcount + plain.rowcount

    def trim(self, fence: int, upto: int, versions: Mapping[str, int]) -> None:
        """Forget entries up to ``upto``: they lie on the disk in these table versions."""
        with self._transaction(fence) as db:
            db.execute("DELETE FROM entries WHERE seq <= ?", (upto,))
            db.executemany("INSERT OR REPLACE INTO hardened VALUES (?, ?)", list(versions.items()))
        wal = self.path.with_name(self.path.name + "-wal")
        if wal.exists() and wal.stat().st_size > _CHECKPOINT_BYTES:
            with self._keeping:
                self._keeper.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def hardened(self) -> dict[str, int]:
        """Table name → its newest version that is known to be on the disk."""
        with self._lock:
            return dict(self._db.execute("SELECT name, version FROM hardened").fetchall())

    def fact(self, name: str) -> str | None:
        """A named fact about the shard."""
        with self._lock:
            row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_facts(self, fence: int, facts: Mapping[str, str]) -> None:
        """Write named facts about the shard."""
        with self._transaction(fence) as db:
            db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", list(facts.items()))

    def owed(self, name: str, before: str) -> list[tuple[str, str, str, int]]:
        """User, id, time, number of the rows of a table that the logs do not hold as they are."""
        with self._lock:
            return self._db.execute("SELECT user, id, at, seq FROM owed WHERE name = ? AND at < ?", (name, before)).fetchall()

    def owe(self, fence: int, name: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Add to what is owed: user, id, time."""
        with self._transaction(fence) as db:
            db.executemany("INSERT OR IGNORE INTO owed VALUES (?, ?, ?, ?, 0)", [(name, *row) for row in rows])

    def pay(self, fence: int, name: str, rows: Sequence[tuple[str, str, int]]) -> None:
        """Take user, id, number out of what is owed: those that have another number by now stay."""
        with self._transaction(fence) as db:
            db.executemany("DELETE FROM owed WHERE name = ? AND user = ? AND id = ? AND seq = ?", [(name, *row) for row in rows])

    def lengths(self) -> tuple[int, int]:
        """(entries waiting, entries in quarantine)."""
        with self._lock:
            row = self._db.execute("SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM quarantine)").fetchone()
        return int(row[0]), int(row[1])

    def shrink(self) -> None:
        """Give space back and leave no trace of trimmed entries in the write-ahead file."""
        with self._lock:
            self._db.execute("PRAGMA incremental_vacuum").fetchall()
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file; entries stay."""
        with self._lock, self._keeping:
            self._keeper.close()
            self._db.close()
