"""The worker that writes summaries (R2): with a model or without, beside the replies, and again after a kill or a deletion."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from memory.ports import Embedder
from memory.summary import Summary, stored_summaries
from schemas.conversation import Conversation
from tests.serve.house import EchoModel, House, open_house


class Summariser(EchoModel):
    """Echoes people; asked for a summary it answers with ``summary``."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[dict[str, Any]] = []
        self.summary: Callable[[str], str] = lambda _: json.dumps({"topic": "模型写的话题", "user_view": "", "open_items": ""})

    async def complete(self, body: dict[str, Any], priority: int = 0) -> dict[str, Any]:
        name = body.get("response_format", {}).get("json_schema", {}).get("name")
        if name is None:
            return await super().complete(body)
        self.asked.append(body)
        text = self.summary(body["messages"][-1]["content"]) if name == "summary" else '{"facts": []}'
        return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}


async def say(house: House, first: int, last: int, *, conversation: str = "c1", said: dict[int, str] | None = None) -> None:
    """Exchanges ``first`` to ``last`` of a talk, each with all before it, as a client sends them."""
    for exchange in range(first, last + 1):
        messages = []
        for number in range(1, exchange + 1):
            text = (said or {}).get(number, f"那第{number}件事怎么办？")
            messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "好的。"}]
        answer = await house.chat("ming", *messages[:-1], headers={"X-Laoma-Conversation": conversation})
        assert answer.status_code == 200, answer.text


def summaries(house: House, conversation: str = "c1") -> list[Summary]:
    rows = house.service._resources.store.rows(Conversation, "ming")
    return stored_summaries(next(row for row in rows if row.id == conversation).summaries)


def head(house: House) -> str:
    return str(house.model.bodies[-1]["messages"][0]["content"])


async def test_without_a_model_a_rule_writes_it_before_the_exchanges_leave(house: House) -> None:
    await say(house, 1, 17)
    assert summaries(house) == []
    await say(house, 18, 18)
    (one,) = summaries(house)
    assert (one.since, one.upto, one.by, one.topic) == (0, 6, "rule", "那第1件事怎么办")


async def test_a_capable_model_writes_it_and_its_words_stand_in_the_prompt(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder, model=Summariser(), reads=True) as house:
        await say(house, 1, 21)
        assert [(one.upto, one.by, one.topic) for one in summaries(house)] == [(6, "model", "模型写的话题")]
        assert "第1–6轮：话题“模型写的话题”" in head(house)
        (asked,) = [body for body in house.model.asked if body["response_format"]["json_schema"]["name"] == "summary"]
        assert "那第6件事怎么办" in asked["messages"][-1]["content"]
        assert "那第7件事怎么办" not in asked["messages"][-1]["content"]


async def test_bad_answers_are_asked_again_three_times_then_a_rule_writes_it(tmp_path: Path, embedder: Embedder) -> None:
    model = Summariser()
    model.summary = lambda _: '{"topic": "A talk about things"}'
    async with open_house(tmp_path, embedder, model=model, reads=True) as house:
        await say(house, 18, 18)
        while not summaries(house):  # noqa: ASYNC110  one that is set aside has no event
            await asyncio.sleep(0.05)
        assert len([one for one in model.asked if one["response_format"]["json_schema"]["name"] == "summary"]) == 3
        assert [one.by for one in summaries(house)] == ["rule"]


async def test_a_secret_that_a_model_tells_is_masked(tmp_path: Path, embedder: Embedder) -> None:
    model = Summariser()
    model.summary = lambda _: json.dumps({"topic": "寄到电话 13812345678", "user_view": "那件事"})
    async with open_house(tmp_path, embedder, model=model, reads=True) as house:
        await say(house, 18, 18, said={1: "我们说说寄件的事"})
        assert all("13812345678" not in one.stored() for one in summaries(house))


async def test_a_deleted_memory_leaves_every_summary_and_comes_into_none_again(house: House) -> None:
    said = {1: "我对花生过敏。"}
    await say(house, 1, 18, said=said)
    assert "花生" in summaries(house)[0].stored()
    (memory,) = [one for one in await house.memories("ming") if "花生" in one["text"]]
    assert (await house.as_("ming").delete(f"/v1/memories/{memory['id']}")).status_code == 200
    assert summaries(house) == []
    await say(house, 19, 21, said=said)
    assert [one.upto for one in summaries(house)] == [6]
    assert "花生" not in summaries(house)[0].stored()
    assert "花生" not in head(house)


async def test_a_killed_service_writes_what_is_missing_with_the_next_reply(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder) as house:
        await house.service._summarising.stop()  # killed before it could write anything
        messages: list[dict[str, str]] = []
        for number in range(1, 23):
            messages += [{"role": "user", "content": f"第{number}件事？"}, {"role": "assistant", "content": "好的。"}]
            body = {"messages": messages[:-1]}
            answer = await house.as_("ming").post("/v1/chat/completions", json=body, headers={"X-Laoma-Conversation": "c1"})
            assert answer.status_code == 200
        assert "第1–6轮：话题“第1件事”" in head(house)
        before = head(house)
        assert summaries(house) == []
    async with open_house(tmp_path, embedder) as house:
        messages.append({"role": "user", "content": "第23件事？"})
        await house.chat("ming", *messages, headers={"X-Laoma-Conversation": "c1"})
        assert head(house) == before
        assert [(one.since, one.upto) for one in summaries(house)] == [(0, 6)]
        await house.service.erase("ming")
        assert house.service._resources.store.rows(Conversation, "ming") == []


async def test_the_same_id_of_two_users_is_two_conversations(house: House) -> None:
    await say(house, 1, 18)
    body = {"messages": [{"role": "user", "content": "你好呀老朋友"}]}
    await house.as_("lan").post("/v1/chat/completions", json=body, headers={"X-Laoma-Conversation": "c1"})
    await house.service.idle("lan")
    assert len(summaries(house)) == 1
    assert [row.summaries for row in house.service._resources.store.rows(Conversation, "lan")] == [[]]


async def test_a_conversation_ends_after_ten_minutes_of_silence_and_the_next_message_opens_it_anew(house: House) -> None:
    async def closed() -> Any:
        await house.service._end_silent()
        (row,) = house.service._resources.store.rows(Conversation, "ming")
        return row.closed_at

    await say(house, 1, 1)
    house.clock.pass_(minutes=9)
    assert await closed() is None
    house.clock.pass_(minutes=2)
    (row,) = house.service._resources.store.rows(Conversation, "ming")
    assert await closed() == row.last_at + timedelta(minutes=10)
    await say(house, 2, 2)
    assert await closed() is None
