"""What was read, on disk: one row a conversation, each once, so that memory stays flat and a job that is killed goes on."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jobs.imports.conversation import Problem, Told, Utterance

_SCHEMA = """
CREATE TABLE told (
    number INTEGER PRIMARY KEY, format TEXT, place TEXT, id TEXT, updated REAL, turns INTEGER, written REAL, body BLOB,
    UNIQUE (format, place, id)
);
CREATE TABLE problem (place TEXT, reason TEXT, left_out INTEGER);
"""


class Staging:
    """A SQLite file; what a block of :meth:`whole` writes is there as a whole or not at all."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("CREATE TABLE IF NOT EXISTS done (step TEXT PRIMARY KEY)")

    def close(self) -> None:
        """Release the file."""
        self.connection.close()

    def is_done(self, step: str) -> bool:
        """Whether a step was finished before."""
        return self.connection.execute("SELECT 1 FROM done WHERE step = ?", [step]).fetchone() is not None

    def finish(self, step: str) -> None:
        """A step is done that wrote nothing here."""
        self.connection.execute("INSERT OR REPLACE INTO done VALUES (?)", [step])

    def begin(self) -> None:
        """Start the reading from nothing; :meth:`commit` ends it."""
        self.connection.execute("BEGIN")
        self.connection.execute("DROP TABLE IF EXISTS told")
        self.connection.execute("DROP TABLE IF EXISTS problem")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            self.connection.execute(statement)

    def commit(self, step: str) -> None:
        """The step is done, and what it wrote stays."""
        self.connection.execute("INSERT OR REPLACE INTO done VALUES (?)", [step])
        self.connection.execute("COMMIT")

    def rollback(self) -> None:
        """Forget what was written since :meth:`begin`."""
        self.connection.execute("ROLLBACK")

    @contextmanager
    def part(self) -> Iterator[Callable[[], None]]:
        """A part of the reading; calling what it gives forgets what the block wrote so far."""
        self.connection.execute("SAVEPOINT part")
        yield lambda: (self.connection.execute("ROLLBACK TO part"), None)[1]
        self.connection.execute("RELEASE part")

    def put(self, format: str, file: str, told: Told, written: datetime) -> bool:
        """Keep a conversation, unless a newer copy of it is there; whether it was kept.

        ``written``: when the file was, for utterances without a time. A conversation without an id of its own is another one in
        another file.
        """
        place = file if told.opaque else ""
        updated = told.updated.timestamp() if told.updated else 0.0
        row = self.connection.execute(
            "SELECT number, updated, turns FROM told WHERE format = ? AND place = ? AND id = ?", [format, place, told.id]
        ).fetchone()
        values = [updated, len(told.utterances), written.timestamp(), packed(told)]
        if row is None:
            self.connection.execute(
                "INSERT INTO told (format, place, id, updated, turns, written, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [format, place, told.id, *values],
            )
            return True
        if (updated, len(told.utterances)) <= (row[1], row[2]):
            return False
        self.connection.execute("UPDATE told SET updated = ?, turns = ?, written = ?, body = ? WHERE number = ?", [*values, row[0]])
        return True

    def report(self, problem: Problem) -> None:
        """Note what was left out or is in doubt."""
        self.connection.execute("INSERT INTO problem VALUES (?, ?, ?)", [problem.where, problem.reason, problem.left_out])

    def problems(self) -> list[Problem]:
        """All that was noted."""
        rows = self.connection.execute("SELECT place, reason, left_out FROM problem ORDER BY rowid")
        return [Problem(place, reason, bool(left_out)) for place, reason, left_out in rows]

    def count(self) -> tuple[int, int]:
        """Conversations and turns."""
        row = self.connection.execute("SELECT COUNT(*), COALESCE(SUM(turns), 0) FROM told").fetchone()
        return int(row[0]), int(row[1])

    def conversations(self) -> Iterator[tuple[str, Told]]:
        """Format and conversation, in the order of the files."""
        for format, told, _ in self.written():
            yield format, told

    def written(self) -> Iterator[tuple[str, Told, datetime]]:
        """The same, each with the time at which its file was written."""
        for format, body, written in self.connection.execute("SELECT format, body, written FROM told ORDER BY number"):
            yield format, unpacked(body), datetime.fromtimestamp(written, UTC)

    def formats(self) -> list[str]:
        """The formats that were met, sorted."""
        return [format for (format,) in self.connection.execute("SELECT DISTINCT format FROM told ORDER BY format")]


def packed(told: Told) -> bytes:
    """A conversation as bytes."""
    return zlib.compress(json.dumps(asdict(told), default=_plain, ensure_ascii=False).encode(), 1)


def unpacked(body: bytes) -> Told:
    """A conversation from its bytes."""
    fields: dict[str, Any] = json.loads(zlib.decompress(body))
    said = [Utterance(**{**one, "at": _moment(one["at"])}) for one in fields.pop("utterances")]
    return Told(utterances=said, **{**fields, "began": _moment(fields["began"]), "updated": _moment(fields["updated"])})


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value).__name__)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)
