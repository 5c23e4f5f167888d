"""A temporary table on disk, for exports whose parts lie in another order than they are needed in."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any


class Scratch:
    """Values under a key, in groups, each with a rank; a group comes back in the order of its ranks."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute("CREATE TABLE part (grp TEXT, key TEXT, rank REAL, value TEXT)")

    def put(self, parts: Iterable[tuple[str, str, float, Any]]) -> None:
        """Group, key, rank and value (anything that JSON holds) of each."""
        rows = ((group, key, rank, json.dumps(value)) for group, key, rank, value in parts)
        self._connection.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", rows)

    def index(self) -> None:
        """After the last :meth:`put`, before the first look."""
        self._connection.execute("CREATE INDEX by_group ON part (grp, rank)")
        self._connection.execute("CREATE INDEX by_key ON part (key)")

    def groups(self) -> Iterator[str]:
        """The groups, in the order in which they came."""
        for (group,) in self._connection.execute("SELECT grp FROM part GROUP BY grp ORDER BY MIN(rowid)"):
            yield group

    def group(self, group: str) -> list[Any]:
        """The values of a group by rank, equal ranks as they came."""
        rows = self._connection.execute("SELECT value FROM part WHERE grp = ? ORDER BY rank, rowid", [group])
        return [json.loads(value) for (value,) in rows]

    def get(self, key: str) -> Any:
        """The first value under a key, or None."""
        row = self._connection.execute("SELECT value FROM part WHERE key = ? ORDER BY rowid LIMIT 1", [key]).fetchone()
        return None if row is None else json.loads(row[0])


@contextmanager
def scratch() -> Iterator[Scratch]:
    """A table that is gone with the block; SQLite keeps little of it in memory."""
    with tempfile.NamedTemporaryFile(prefix="laoma-import-") as file:
        connection = sqlite3.connect(file.name)
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        try:
            yield Scratch(connection)
        finally:
            connection.close()
