"""Background work stands back while somebody waits, and comes to its turn all the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

from memory.ports import Embedder
from serve.shard.calm import Calm
from tests.serve.faulty import FaultyEmbedder
from tests.serve.house import open_house


async def test_it_is_calm_only_a_pause_after_the_last_call() -> None:
    calm = Calm(pause_s=0.02)
    assert await calm.comes(0)
    with calm.broken():
        assert not await calm.comes(0.03)
    assert not await calm.comes(0)
    assert await calm.comes(5)


async def test_calls_that_overlap_are_all_waited_for() -> None:
    calm, first_ended, second_ends = Calm(pause_s=0), asyncio.Event(), asyncio.Event()

    async def call(ended: asyncio.Event) -> None:
        with calm.broken():
            await ended.wait()

    calls = [asyncio.create_task(call(event)) for event in (first_ended, second_ends)]
    await asyncio.sleep(0)
    first_ended.set()
    await calls[0]
    assert not await calm.comes(0.01)
    second_ends.set()
    await calls[1]
    assert await calm.comes(5)


async def test_no_turn_is_embedded_while_a_call_is_in_work(tmp_path: Path, embedder: Embedder) -> None:
    watched = FaultyEmbedder(embedder)
    async with open_house(tmp_path, watched) as house:
        with house.service._resources.calm.broken():
            await house.as_("ming").post("/v1/turns", json={"messages": [{"role": "assistant", "content": "今天天气真好"}]})
            await asyncio.sleep(0.3)
            assert watched.passages == []
        await house.service._turn_vectors._backlog.empty("ming")
        assert watched.passages != []
