"""Threads for what would block the event loop, in lanes: work of one kind never waits behind another's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final, Literal, TypeVar

T = TypeVar("T")
Lane = Literal["question", "passage", "scan", "bulk"]
_WIDTH: Final[dict[Lane, int]] = {"question": 4, "passage": 1, "scan": 2, "bulk": 1}
"""Threads a lane. Questions go side by side, since an embedder behind an URL may be slow; passages in a row, in small slices."""


class Threads:
    """``question``: a person waits for its vector. ``passage``: texts embedded in the background. ``scan``: tables and users read.
    ``bulk``: seal and export, which take minutes."""

    def __init__(self) -> None:
        self._lanes = {lane: ThreadPoolExecutor(width, f"shard-{lane}") for lane, width in _WIDTH.items()}
        self._bulk = asyncio.Lock()

    async def run(self, lane: Lane, work: Callable[[], T]) -> T:
        """The result of ``work``, done in the lane."""
        if lane == "bulk":
            async with self._bulk:
                return await self._run(lane, work)
        return await self._run(lane, work)

    @asynccontextmanager
    async def bulk(self) -> AsyncIterator[None]:
        """The bulk lane is this block's alone, for :meth:`run_bulk`: whoever must hold others up meanwhile waits for the lane before."""
        async with self._bulk:
            yield

    async def run_bulk(self, work: Callable[[], T]) -> T:
        """The result of ``work``, inside :meth:`bulk`."""
        return await self._run("bulk", work)

    async def _run(self, lane: Lane, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._lanes[lane], work)

    def shutdown(self) -> None:
        """Take no more work; what runs comes to its end by itself, what waits is given up."""
        for pool in self._lanes.values():
            pool.shutdown(wait=False, cancel_futures=True)
