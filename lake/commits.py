"""Group commit: callers at the same moment share one synced journal transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from threading import Condition, Thread

from lake.journal import Journal
from lake.writes import Entry, Write
from schemas.errors import Fenced, LaomaError, Unavailable

_GROUP = 256
"""Commits in one transaction at most."""


@dataclass(frozen=True)
class Pending:
    """A caller that waits for its writes to be durable."""

    writes: Sequence[Write]
    entries: Sequence[Entry]
    future: Future[None]


class GroupCommit:
    """The thread that writes the journal. ``committed`` gets each group's (sequence number, writes) before its callers are told;
    ``room`` blocks while the tables lag too far behind.
    """

    def __init__(
        self,
        journal: Journal,
        fence: int,
        *,
        name: str,
        committed: Callable[[list[tuple[int, Sequence[Write]]]], None],
        room: Callable[[], None],
    ) -> None:
        self._journal, self._fence, self._committed, self._room = journal, fence, committed, room
        self._queue: list[Pending] = []
        self._ready = Condition()
        self._stopped: LaomaError | None = None
        self._last: Pending | None = None
        self.count = 0
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, pending: Pending) -> None:
        """Queue a commit; its future is done when it is durable."""
        with self._ready:
            if self._stopped is None:
                self._queue.append(pending)
                self._last = pending
                self._ready.notify()
                return
        pending.future.set_exception(self._stopped)

    def drain(self) -> None:
        """Return when every commit that was queued before is durable and handed on, or has failed."""
        with self._ready:
            last = self._last
        if last is not None:
            wait([last.future])

    def stop(self, reason: LaomaError) -> None:
        """Take no more commits; what is queued is still written (or fails as fenced). Returns when the thread is done."""
        with self._ready:
            self._stopped = self._stopped or reason
            self._ready.notify()
        self._thread.join()

    def halt(self, reason: LaomaError) -> None:
        """As :meth:`stop`, for the thread itself or one it may wait for: returns at once."""
        with self._ready:
            self._stopped = self._stopped or reason
            self._ready.notify()

    def _run(self) -> None:
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._queue or self._stopped)
                group, self._queue = self._queue[:_GROUP], self._queue[_GROUP:]
            if not group:
                return
            self._write(group)

    def _write(self, group: list[Pending]) -> None:
        try:
            self._room()
            seqs = self._journal.append(self._fence, [pending.entries for pending in group])
        except Fenced as error:
            self.halt(error)
            _fail(group, error)
        except LaomaError as error:
            _fail(group, error)
        except sqlite3.Error as error:
            _fail(group, Unavailable(f"the journal can't be written ({error}): free disk space or check the disk", retry_after=5))
        except Exception as error:  # whatever it was, no caller may wait for ever
            _fail(group, LaomaError(f"the journal could not be written: {error}"))
        else:
            self.count += len(group)
            self._committed([(seq, pending.writes) for seq, pending in zip(seqs, group, strict=True)])
            for pending in group:
                pending.future.set_result(None)


def _fail(group: list[Pending], error: LaomaError) -> None:
    for pending in group:
        pending.future.set_exception(error)
