"""Work on the cores of the cluster: items go out as Ray tasks, a few at a time, and come back in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")

_SHARE = 0.25
"""CPUs that a task books: the small box has its own plans for the rest, and Linux shares by niceness."""
_AHEAD = 2
"""Tasks under way for each core."""


async def spread(work: Callable[[A], B], items: Iterable[A]) -> AsyncIterator[B]:
    """``work`` of each item, in order; at most a few are under way, so that memory stays flat.

    On the cluster where this process is connected to one, each task is tried again when its worker dies; else in a thread here.
    """
    import ray

    if not ray.is_initialized():
        for item in items:
            yield await asyncio.to_thread(work, item)
        return
    remote: Any = ray.remote(num_cpus=_SHARE, max_retries=3)(work)
    cores = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
    ahead = max(2, _AHEAD * int(cores))
    under_way: deque[Any] = deque()
    for item in items:
        under_way.append(remote.remote(item))
        if len(under_way) >= ahead:
            yield await under_way.popleft()
    while under_way:
        yield await under_way.popleft()
