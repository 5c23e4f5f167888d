"""Vectors of turns in the background, and a lake whose vectors come from another embedder."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.ports import Embedder
from schemas.errors import UpstreamFailed
from serve.shard import turn_vectors
from serve.shard.turn_vectors import TurnVectors
from tests.serve.faulty import FaultyEmbedder
from tests.serve.house import House, open_house


async def complete(house: House, user: str) -> bool:
    found = await house.as_(user).post("/v1/turns/search", json={"query": "茶", "limit": 1})
    return bool(found.json()["complete"])


async def nothing_waits(vectors: TurnVectors) -> None:
    while vectors.waiting():
        await vectors._backlog._changed.wait()


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_vectors, "_RETRY_S", 0.001)
    monkeypatch.setattr(turn_vectors, "_RETRY_MOST_S", 0.001)


async def test_a_user_whose_turns_fail_holds_up_nobody_else(tmp_path: Path, embedder: Embedder) -> None:
    faulty = FaultyEmbedder(embedder)
    async with open_house(tmp_path, faulty) as house:
        faulty.fault, faulty.only = UpstreamFailed("refused"), "坏"
        await house.tell("bad", "坏了？")
        await house.tell("ming", "今天天气真好")
        await house.service._turn_vectors._backlog.empty("ming")
        assert await complete(house, "ming")
        assert not await complete(house, "bad")


@pytest.mark.usefixtures("hurry")
async def test_a_text_that_is_refused_holds_up_no_other_of_its_user(tmp_path: Path, embedder: Embedder) -> None:
    faulty = FaultyEmbedder(embedder)
    async with open_house(tmp_path, faulty) as house:
        faulty.fault, faulty.only = UpstreamFailed("refused"), "坏"
        await house.tell("ming", "坏了？", "今天天气真好", "你觉得哪种茶好喝？")
        while house.service._turn_vectors.waiting() > 1:
            await house.service._turn_vectors._backlog._changed.wait()
        faulty.fault = None
        await nothing_waits(house.service._turn_vectors)
        assert await complete(house, "ming")


async def test_under_another_embedder_memories_and_turns_are_found_by_words_and_nothing_is_embedded(
    tmp_path: Path, embedder: Embedder
) -> None:
    async with open_house(tmp_path, embedder) as house:
        await house.tell("ming", "我不喜欢香菜。", "你觉得哪种茶好喝？")
        await nothing_waits(house.service._turn_vectors)
    other = FaultyEmbedder(embedder)
    other.name = "another"
    async with open_house(tmp_path, other) as house:
        assert any("香菜" in text for text in await house.recalled("ming", "我不喜欢香菜"))
        found = (await house.as_("ming").post("/v1/turns/search", json={"query": "香菜"})).json()["turns"]
        assert "香菜" in found[0]["content"]
        told = await house.tell("ming", "我住在苏州。")
        await nothing_waits(house.service._turn_vectors)
        assert other.passages == []
        assert (await house.as_("ming").get(f"/v1/turns/{told['turn_ids'][0]}")).json()["extraction"] == "pending"
        house.service.require_alive()
    async with open_house(tmp_path, embedder) as house:
        await house.service.idle("ming")
        assert any("苏州" in memory["text"] for memory in await house.memories("ming"))


async def test_the_sentences_of_a_turn_are_known_after_a_restart(tmp_path: Path, embedder: Embedder) -> None:
    async def scored(house: House) -> list[tuple[str, float]]:
        found = await house.as_("ming").post("/v1/turns/search", json={"query": "Where do I keep the spare key?"})
        return [(turn["content"], turn["score"]) for turn in found.json()["turns"]]

    async with open_house(tmp_path, embedder) as house:
        await house.tell("ming", "The roof leaked again on Tuesday. My spare key hangs behind the boiler. Bread is cheaper at the mill.")
        await house.tell("ming", "I keep the spare tyre in the shed. A key for the shed is with the neighbours.")
        await house.service._turn_vectors._backlog.empty("ming")
        before = await scored(house)
        assert len(before) == 2
    async with open_house(tmp_path, embedder) as house:
        after = await scored(house)
        assert [content for content, _ in after] == [content for content, _ in before]
        assert [score for _, score in after] == pytest.approx([score for _, score in before], abs=1e-3)
