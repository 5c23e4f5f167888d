"""Which rows are written while somebody looks at them: so that looking and then dropping loses no write that came in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock

from lake.writes import Key, Put, Write, kind_of


class Watches:
    """Every commit passes through :meth:`passing`; who looks opens :meth:`over` before and asks again under :attr:`gate`."""

    def __init__(self) -> None:
        self.gate = Lock()
        """No commit passes while it is held. Held for the time of a queueing, never over a read or a write."""
        self._open: list[tuple[str, set[Key]]] = []

    @contextmanager
    def passing(self, writes: Sequence[Write]) -> Iterator[None]:
        """A commit is queued inside this block."""
        with self.gate:
            for table, written in self._open:
                for write in writes:
                    if isinstance(write, Put) and table == kind_of(write).TABLE:
                        written.update((row.user, row.id) for row in write.rows)
            yield

    @contextmanager
    def over(self, table: str) -> Iterator[set[Key]]:
        """The rows of a table that were put since the block began, growing."""
        watch: tuple[str, set[Key]] = (table, set())
        with self.gate:
            self._open.append(watch)
        try:
            yield watch[1]
        finally:
            with self.gate:
                self._open = [one for one in self._open if one is not watch]
