"""Whether somebody waits for this shard: background work looks before each step, so that it takes no core from a call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Calm:
    """Counts calls in work. It is calm when none is and the last ended ``pause_s`` seconds ago."""

    def __init__(self, pause_s: float = 0.05) -> None:
        self._pause_s = pause_s
        self._calls = 0
        self._ended = float("-inf")

    @contextmanager
    def broken(self) -> Iterator[None]:
        """A call is in work inside this block."""
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            self._ended = time.monotonic()

    async def comes(self, longest_s: float) -> bool:
        """Returns when it is calm, at the latest after ``longest_s`` seconds; whether it is."""
        deadline = time.monotonic() + longest_s
        while True:
            now = time.monotonic()
            if not self._calls and now - self._ended >= self._pause_s:
                return True
            if now >= deadline:
                return False
            await asyncio.sleep(min(self._pause_s, deadline - now))
