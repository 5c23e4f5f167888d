"""Users at hand: bounded, written back, and nobody pays for another's eviction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from lake.store import Drop, Write
from memory.ports import Embedder
from schemas.errors import Unavailable
from schemas.memory import Memory
from schemas.settings import Settings, Shard
from serve.shard.resources import Resources
from tests.serve.house import House, open_house

ONE = Settings(shard=Shard(users_in_memory=1))


def said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


async def use_a_memory(house: House) -> None:
    await house.tell("ming", "我对花生过敏。")
    assert (await house.chat("ming", said("我能吃花生吗？"))).headers["X-Laoma-Recalled"]


async def access_count(house: House) -> int:
    async with house.service._users.use("ming") as active:
        return sum(memory.access_count for memory in active.memories.all())


async def test_access_counts_survive_an_eviction(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder, settings=ONE) as house:
        await use_a_memory(house)
        await house.memories("sam")
        assert [active.user for active in house.service._users.loaded()] == ["sam"]
        assert await access_count(house) == 1


async def test_an_eviction_that_cannot_write_does_not_fail_the_request_that_caused_it(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise Unavailable("the disk is full")

    async with open_house(tmp_path, embedder, settings=ONE) as house:
        await use_a_memory(house)
        with monkeypatch.context() as patch:
            patch.setattr(Resources, "commit", full)
            assert await house.memories("sam") == []
        assert [active.user for active in house.service._users.loaded()] == ["sam"]


async def test_access_counts_do_not_bring_back_a_memory_whose_deletion_is_under_way(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Resources.commit
    dropped, go_on = asyncio.Event(), asyncio.Event()

    async def slow(resources: Resources, writes: Sequence[Write]) -> None:
        await commit(resources, writes)
        if any(isinstance(write, Drop) for write in writes):
            dropped.set()
            await go_on.wait()

    async with open_house(tmp_path, embedder) as house:
        await use_a_memory(house)
        (active,) = house.service._users.loaded()
        assert active.accessed
        monkeypatch.setattr(Resources, "commit", slow)
        (memory,) = active.memories.all()
        deleting = asyncio.create_task(house.service.delete_memory("ming", memory.id, None))
        await dropped.wait()
        writing = asyncio.create_task(house.service._users.write_accesses(active))
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(deleting, writing)
        assert house.service._resources.store.rows(Memory, "ming") == []


async def test_sealed_turns_leave_the_memory_that_they_are_counted_in(house: House) -> None:
    told = await house.tell("ming", *[f"敦煌的骆驼第{n}次很高。" for n in range(20)], conversation="camel")
    (active,) = house.service._users.loaded()
    before = active.nbytes
    house.clock.pass_(days=3)
    late = await house.tell("ming", "今天的骆驼不高。", conversation="late")
    await house.service.seal()
    assert list(active.hot) == late["turn_ids"]
    assert active.nbytes < before
    view = (await house.as_("ming").get("/v1/conversations/camel")).json()
    assert [turn["id"] for turn in view["turns"]] == told["turn_ids"]


async def test_what_a_user_weighs_counts_turns_threads_and_conversations(house: House) -> None:
    await house.tell("ming", "你好", conversation="a")
    (active,) = house.service._users.loaded()
    indexes = active.memories.nbytes + active.turns.nbytes
    assert active.nbytes - indexes >= 5000


async def test_a_request_that_hangs_does_not_keep_the_lake_from_being_released(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder) as house:
        await use_a_memory(house)
        await house.tell("sam", "I prefer window seats.")
        await house.chat("sam", said("Which seats do I prefer?"))
        ming, _ = sorted(house.service._users.loaded(), key=lambda active: active.user)
        async with ming.lock:
            await house.service.stop()
    async with open_house(tmp_path, embedder) as house:
        assert len(await house.memories("ming")) == 1
        async with house.service._users.use("sam") as sam:
            assert sum(memory.access_count for memory in sam.memories.all()) == 1
