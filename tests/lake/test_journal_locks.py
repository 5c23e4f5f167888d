"""Another process that looks into the journal and leaves does not take its WAL away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lake.journal import Journal

LOOK = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('SELECT count(*) FROM sqlite_master').fetchone(); db.close()"


def test_a_process_that_leaves_finds_the_journal_in_use(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = Journal(path)
    again = Journal(path)
    try:
        wal = path.with_name("journal.db-wal")
        before = wal.stat().st_ino
        subprocess.run([sys.executable, "-c", LOOK, path], check=True)
        assert wal.exists()
        assert wal.stat().st_ino == before
    finally:
        again.close()
        journal.close()
    assert path.stat().st_mode & 0o077 == 0


def test_an_older_journal_becomes_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch(mode=0o644)
    Journal(path).close()
    assert path.stat().st_mode & 0o077 == 0
