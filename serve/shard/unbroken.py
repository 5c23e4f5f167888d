"""Work that ends once it has begun: a caller who goes away must not leave a write committed but unknown to the shard's memory."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_at_work: set[asyncio.Task[Any]] = set()


async def unbroken(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``, which runs to its end in a task of its own although this call may be cancelled."""
    task = asyncio.get_running_loop().create_task(work)
    _at_work.add(task)
    task.add_done_callback(_done)
    return await asyncio.shield(task)


def _done(task: asyncio.Task[Any]) -> None:
    _at_work.discard(task)
    if not task.cancelled():
        task.exception()  # nobody may be left to hear of it: it is not news for the log
