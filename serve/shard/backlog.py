"""What waits to be done in the background, by user: users take turns, and one whose work fails steps aside while others go on."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

_PAUSE_S = 0.5
_LONGEST_S = 60.0
_PATIENCE = 3
"""Failures in a row after which nobody waits for a user any more."""


@dataclass
class _Line:
    ids: OrderedDict[str, None] = field(default_factory=OrderedDict)
    failures: int = 0
    resumes: float = 0.0


class Backlog:
    """Ids by user, in order, each once. For one event loop; ``monotonic`` gives seconds."""

    def __init__(
        self, *, pause_s: float = _PAUSE_S, longest_s: float = _LONGEST_S, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._pause_s, self._longest_s, self._monotonic = pause_s, longest_s, monotonic
        self._lines: OrderedDict[str, _Line] = OrderedDict()
        self._owner: dict[str, str] = {}
        self._arrived = asyncio.Event()
        self._changed = asyncio.Event()

    def __contains__(self, id: str) -> bool:
        return id in self._owner

    def __len__(self) -> int:
        return len(self._owner)

    def add(self, user: str, id: str) -> None:
        """Queue ``id``, once."""
        if id not in self._owner:
            self._owner[id] = user
            self._lines.setdefault(user, _Line()).ids[id] = None
            self._arrived.set()

    async def next(self) -> str:
        """The user whose turn it is; waits until there is one that is not set aside."""
        while True:
            now = self._monotonic()
            for user, line in self._lines.items():
                if line.resumes <= now:
                    self._lines.move_to_end(user)
                    return user
            self._arrived.clear()
            soonest = min((line.resumes for line in self._lines.values()), default=None)
            with suppress(TimeoutError):
                async with asyncio.timeout(None if soonest is None else soonest - now):
                    await self._arrived.wait()

    def of(self, user: str, limit: int) -> list[str]:
        """The user's ids in order, ``limit`` at most."""
        line = self._lines.get(user)
        return [] if line is None else list(islice(line.ids, limit))

    def done(self, user: str, ids: Sequence[str]) -> None:
        """These need no more work."""
        line = self._lines.get(user)
        if line is None:
            return
        for id in ids:
            line.ids.pop(id, None)
            self._owner.pop(id, None)
        line.failures = 0
        if not line.ids:
            del self._lines[user]
        self._tell()

    def failed(self, user: str, *, behind: Sequence[str] = ()) -> None:
        """The user steps aside for a pause that doubles with each failure in a row; ``behind``: ids that go to the end of their line."""
        line = self._lines.get(user)
        if line is None:
            return
        line.resumes = self._monotonic() + min(self._pause_s * 2 ** min(line.failures, 20), self._longest_s)
        line.failures += 1
        for id in behind:
            if id in line.ids:
                line.ids.move_to_end(id)
        self._tell()

    def failures(self, user: str) -> int:
        """Failures in a row."""
        line = self._lines.get(user)
        return 0 if line is None else line.failures

    def aside(self) -> int:
        """Users whose work failed last."""
        return sum(1 for line in self._lines.values() if line.failures)

    def clear(self) -> None:
        """Forget all."""
        self._lines.clear()
        self._owner.clear()
        self._tell()

    async def finished(self, ids: Sequence[str]) -> None:
        """Returns when none of these is queued any more, or their users are set aside for long."""
        while any(id in self._owner and self.failures(self._owner[id]) < _PATIENCE for id in ids):
            await self._changed.wait()

    async def empty(self, user: str) -> None:
        """Returns when nothing of this user is queued, or the user is set aside for long."""
        while user in self._lines and self.failures(user) < _PATIENCE:
            await self._changed.wait()

    def _tell(self) -> None:
        """Wake who waits: each has hold of the event it waits for, and looks again."""
        self._changed.set()
        self._changed = asyncio.Event()
