"""From turns to memories when parts fail: nothing is lost, nobody waits for another's trouble."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memory.extract.offline import OfflineExtractor
from memory.ports import Embedder
from schemas.errors import Unavailable, UpstreamFailed
from serve.shard import active
from serve.shard.resources import Resources
from tests.serve.faulty import FaultyEmbedder
from tests.serve.house import House, open_house


def hurry(house: House) -> None:
    house.service._extraction._backlog._pause_s = 0.001
    house.service._extraction._backlog._longest_s = 0.001


async def state(house: House, user: str, turn: str) -> str:
    return str((await house.as_(user).get(f"/v1/turns/{turn}")).json()["extraction"])


async def test_a_short_outage_of_the_embedder_loses_no_memory(tmp_path: Path, embedder: Embedder) -> None:
    faulty = FaultyEmbedder(embedder)
    async with open_house(tmp_path, faulty) as house:
        hurry(house)
        faulty.fault, faulty.times = UpstreamFailed("away"), 2
        told = await house.tell("ming", "我喜欢喝乌龙茶。")
        assert await state(house, "ming", told["turn_ids"][0]) == "done"
        assert len(told["memories"]) == 1


async def test_in_a_long_outage_turns_stay_pending_and_a_waiting_client_is_answered(tmp_path: Path, embedder: Embedder) -> None:
    faulty = FaultyEmbedder(embedder)
    async with open_house(tmp_path, faulty) as house:
        hurry(house)
        faulty.fault = UpstreamFailed("away")
        told = await house.tell("ming", "我喜欢喝乌龙茶。")
        closed = await house.as_("ming").post(f"/v1/conversations/{told['conversation_id']}/close")
        assert closed.status_code == 200
        assert await state(house, "ming", told["turn_ids"][0]) == "pending"
        assert (await house.service.figures())["extraction_aside"] == 1
        house.service.require_alive()
    async with open_house(tmp_path, embedder) as house:
        await house.service.idle("ming")
        assert await state(house, "ming", told["turn_ids"][0]) == "done"


async def test_a_user_that_cannot_be_loaded_keeps_nobody_waiting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(house)
    load = active.load

    def torn(resources: Resources, user: str) -> active.ActiveUser:
        if user == "broken":
            raise RuntimeError("a torn file")
        return load(resources, user)

    with monkeypatch.context() as patch:
        patch.setattr(active, "load", torn)
        house.service._extraction._backlog.add("broken", "t1")
        await house.service.idle("broken")
        assert len((await house.tell("ming", "我喜欢喝乌龙茶。"))["memories"]) == 1
        assert house.service._extraction._backlog.of("broken", 1) == ["t1"]
        house.service.require_alive()
    while "t1" in house.service._extraction._backlog:
        await house.service._extraction._backlog._changed.wait()


async def test_a_failed_turn_is_read_again_when_its_conversation_closes(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(OfflineExtractor, "extract", broken)
        told = await house.tell("ming", "我喜欢喝乌龙茶。", conversation="tea")
        assert await state(house, "ming", told["turn_ids"][0]) == "failed"
        assert (await house.service.figures())["extraction_failed"] == 1
    view = (await house.as_("ming").post("/v1/conversations/tea/close")).json()
    assert [turn["extraction"] for turn in view["turns"]] == ["done"]
    assert len(await house.memories("ming")) == 1
    assert (await house.service.figures())["extraction_failed"] == 0


async def test_a_turn_that_fails_again_and_again_is_given_up_until_the_next_start(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0

    def broken(*_: object) -> None:
        nonlocal read
        read += 1
        raise ValueError("a bug")

    async with open_house(tmp_path, embedder) as house:
        with monkeypatch.context() as patch:
            patch.setattr(OfflineExtractor, "extract", broken)
            await house.tell("ming", "我喜欢喝乌龙茶。", conversation="tea")
            for _ in range(5):
                await house.as_("ming").post("/v1/conversations/tea/close")
        assert read == 3
        assert (await house.service.figures())["extraction_given_up"] == 1
    async with open_house(tmp_path, embedder) as house:
        await house.service.idle("ming")
        assert len(await house.memories("ming")) == 1


async def test_one_text_that_the_embedder_refuses_does_not_hold_up_the_rest(tmp_path: Path, embedder: Embedder) -> None:
    faulty = FaultyEmbedder(embedder)
    async with open_house(tmp_path, faulty) as house:
        hurry(house)
        faulty.fault, faulty.only = UpstreamFailed("400"), "乌龙"
        client = house.as_("ming")
        messages = [{"role": "user", "content": text} for text in ("我喜欢喝乌龙茶。", "我住在苏州。")]
        told = (await client.post("/v1/turns", json={"messages": messages})).json()
        await house.service._extraction._backlog.finished(told["turn_ids"])
        while house.service._extraction._backlog.of("ming", 1):
            await house.service._extraction._backlog._changed.wait()
        assert [await state(house, "ming", id) for id in told["turn_ids"]] == ["failed", "done"]


async def test_a_shard_whose_worker_died_says_so(house: House) -> None:
    house.service.require_alive()
    worker = house.service._extraction._worker
    assert worker is not None
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    with pytest.raises(Unavailable):
        house.service.require_alive()
