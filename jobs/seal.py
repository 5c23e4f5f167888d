"""seal: old turns and events leave the hot tables for Parquet logs. Each shard seals its own tables, being their only writer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import InvalidRequest

if TYPE_CHECKING:
    from serve.shards import Shards


def run(arguments: Sequence[str], home: Path) -> Iterator[str]:
    """One line a shard; takes no arguments. Sealing again seals nothing twice."""
    if arguments:
        raise InvalidRequest(f"seal takes no arguments, not {arguments[0]!r}: how old is set by lake.seal_after_days")
    from jobs.cluster import shards_of

    yield from asyncio.run(seal(shards_of(home)))


async def seal(shards: Shards) -> list[str]:
    """What each shard did, in shard order."""
    from serve.shard.service import ShardService

    return [f"shard {number}: {done}" for number, done in enumerate(await shards.each(ShardService.seal))]
