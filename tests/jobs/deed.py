"""One deed on the lake of a home, in a process that kills itself at a planted point: ``python -m tests.jobs.deed HOME DEED POINT``.

``POINT`` is ``before:NAME:N`` or ``after:NAME:N``: around the Nth call of a function (from 1), NAME as one would import it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import wraps
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from schemas.settings import Settings
from serve import erasing, snapshots
from serve.embedders import build
from tests.jobs.house import done, task
from tests.serve.house import START, Clock, House, open_house

WHEN = START + timedelta(days=6)


async def seal(house: House) -> None:
    await done(task(house.home, "seal", shards=house.parts.shards, clock=house.clock))


async def purge(house: House) -> None:
    await done(task(house.home, "purge", shards=house.parts.shards, clock=house.clock))


async def snapshot(house: House) -> None:
    await snapshots.create(house.parts.shards, house.home, house.clock(), name="two")


async def restore(house: House) -> None:
    await snapshots.restore(house.parts.shards, house.home, "one", house.clock())


async def erase(house: House) -> None:
    await erasing.erase(house.parts.shards, house.home, "alice", house.clock())


DEEDS: dict[str, Callable[[House], Awaitable[None]]] = {one.__name__: one for one in (seal, purge, snapshot, restore, erase)}


def plant(point: str) -> None:
    """Let this process kill itself there."""
    moment, name, nth = point.split(":")
    holder, attribute = _found(name)
    real: Callable[..., Any] = getattr(holder, attribute)
    calls = count(1)

    def strike(when: str, number: int) -> None:
        if when == moment and number == int(nth):
            os.kill(os.getpid(), signal.SIGKILL)

    @wraps(real)
    def planted(*args: Any, **kwargs: Any) -> Any:
        number = next(calls)
        strike("before", number)
        result = real(*args, **kwargs)
        if inspect.isawaitable(result):
            return _then(result, lambda: strike("after", number))
        strike("after", number)
        return result

    setattr(holder, attribute, planted)


async def _then(result: Awaitable[Any], strike: Callable[[], None]) -> Any:
    value = await result
    strike()
    return value


def _found(name: str) -> tuple[Any, str]:
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            holder: Any = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:-1]:
            holder = getattr(holder, part)
        return holder, parts[-1]
    raise ValueError(name)


async def _main(home: Path, deed: str, point: str) -> None:
    async with open_house(home, build(Settings().embedding), clock=Clock(WHEN)) as house:
        plant(point)
        await DEEDS[deed](house)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
