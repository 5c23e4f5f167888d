"""A person's question waits for no work in the background."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Semaphore

from memory.ports import Embedder, Floats
from serve.shard.embedding import SLICE, embed
from serve.shard.resources import Resources
from serve.shard.threads import Lane
from tests.serve.faulty import FaultyEmbedder
from tests.serve.house import House, open_house


class Slices(FaultyEmbedder):
    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.sizes: list[int] = []

    def passage(self, texts: list[str]) -> Floats:  # type: ignore[override]
        self.sizes.append(len(texts))
        return super().passage(texts)


@contextmanager
def busy(resources: Resources, *lanes: Lane) -> Iterator[None]:
    """Every thread of these lanes is at work until the end of the block."""
    over = Event()
    for lane in lanes:
        pool = resources.threads._lanes[lane]
        begun = Semaphore(0)
        for _ in range(pool._max_workers):
            pool.submit(lambda begun=begun: (begun.release(), over.wait()))
        for _ in range(pool._max_workers):
            begun.acquire()
    try:
        yield
    finally:
        over.set()


async def test_a_question_is_answered_while_passages_scans_and_a_seal_are_at_work(house: House) -> None:
    await house.tell("ming", "我对花生过敏。")
    with busy(house.service._resources, "passage", "scan", "bulk"):
        assert any("花生" in text for text in await house.recalled("ming", "我对什么过敏？"))


async def test_a_user_is_loaded_while_a_seal_is_at_work(house: House) -> None:
    with busy(house.service._resources, "passage", "bulk"):
        assert await house.memories("ming") == []


async def test_a_long_text_is_embedded_in_small_slices(tmp_path: Path, embedder: Embedder) -> None:
    slices = Slices(embedder)
    async with open_house(tmp_path, slices) as house:
        text = "。".join(f"第{n}天我们去了敦煌，看了很多壁画，还骑了骆驼，晚上在沙漠里看星星" for n in range(100))
        vectors = await embed(house.service._resources, [text, "短"])
        assert vectors.shape == (2, embedder.dim)
        assert sum(slices.sizes) > SLICE
        assert max(slices.sizes) <= SLICE
