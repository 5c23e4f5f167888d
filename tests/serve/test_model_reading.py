"""The model's tier of extraction over real tables: it adds to what the rules read, in the background, from whole answers alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memory.extract.offline import OfflineExtractor
from memory.ports import Embedder
from schemas.errors import UpstreamFailed
from serve.shard import background_model
from serve.shard.backlog import Backlog
from tests.serve.house import EchoModel, House, open_house


class Reader(EchoModel):
    """Chats by script, and answers questions for memories from ``answers``, the last one again and again."""

    def __init__(self, *answers: str) -> None:
        super().__init__()
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []
        self.message: dict[str, Any] = {}
        self.away = 0
        self.hangs: asyncio.Event | None = None
        self.began, self.gave_way = asyncio.Event(), asyncio.Event()

    async def complete(self, body: dict[str, Any], *, priority: int = 0) -> dict[str, Any]:
        if "response_format" not in body:
            return await super().complete(body)
        assert priority > 0, "behind every person's call"
        self.asked.append(body)
        self.began.set()
        if self.hangs is not None:
            try:
                await self.hangs.wait()
            except asyncio.CancelledError:
                self.gave_way.set()
                raise
        if self.away:
            self.away -= 1
            raise UpstreamFailed("away")
        text = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return {"choices": [{"message": {"role": "assistant", "content": text, **self.message}, "finish_reason": "stop"}]}


@asynccontextmanager
async def learning(home: Path, embedder: Embedder, model: Reader) -> AsyncIterator[House]:
    async with open_house(home, embedder, model=model, extractor=OfflineExtractor(), reads=True) as house:
        backlog: Backlog = house.service._extraction._model._backlog  # type: ignore[union-attr]
        backlog._pause_s = backlog._longest_s = 0.001
        yield house


def facts(*found: str | dict[str, Any]) -> str:
    return json.dumps({"facts": list(found)}, ensure_ascii=False)


async def state(house: House, turn: str) -> str:
    return str((await house.as_("ming").get(f"/v1/turns/{turn}")).json()["extraction"])


async def texts(house: House) -> set[str]:
    return {memory["text"] for memory in await house.memories("ming")}


async def test_the_model_adds_what_no_rule_reads(tmp_path: Path, embedder: Embedder) -> None:
    said = "我住在泉州。阳台上那盆蓝雪花是外婆留下的。"
    async with learning(tmp_path, embedder, Reader(facts("阳台上那盆蓝雪花是外婆留下的", "我住在泉州"))) as house:
        told = await house.tell("ming", said)
        assert await texts(house) == {"我住在泉州", "阳台上那盆蓝雪花是外婆留下的"}
        changes = (await house.as_("ming").get("/v1/changes")).json()["data"]
        assert {change["after"]: change["actor"] for change in changes} == {
            "我住在泉州": "rule",
            "阳台上那盆蓝雪花是外婆留下的": "model",
        }
        assert {change["turn"] for change in changes} == set(told["turn_ids"])
        assert await state(house, told["turn_ids"][0]) == "done"


@pytest.mark.parametrize(
    "bad",
    [
        "",
        '{"facts":[{"text":"阳台上那盆蓝雪花',
        '<think>the user {"facts":["likes jazz"]}',
        "I will remember that.",
        '{"type":"object","properties":{"facts":{"type":"array"}}}',
    ],
)
async def test_a_bad_answer_is_asked_for_again_and_nothing_of_it_is_applied(tmp_path: Path, embedder: Embedder, bad: str) -> None:
    model = Reader(bad, facts("阳台上那盆蓝雪花是外婆留下的"))
    async with learning(tmp_path, embedder, model) as house:
        told = await house.tell("ming", "阳台上那盆蓝雪花是外婆留下的。")
        assert await texts(house) == {"阳台上那盆蓝雪花是外婆留下的"}
        assert [body["max_tokens"] for body in model.asked] == [800, 1600]
        assert await state(house, told["turn_ids"][0]) == "done"


async def test_reasoning_is_no_source_and_a_turn_without_an_answer_is_given_up_visibly(tmp_path: Path, embedder: Embedder) -> None:
    model = Reader("")
    model.message = {"reasoning_content": facts("阳台上那盆蓝雪花是外婆留下的")}
    async with learning(tmp_path, embedder, model) as house:
        told = await house.tell("ming", "我住在泉州。阳台上那盆蓝雪花是外婆留下的。")
        assert await texts(house) == {"我住在泉州"}
        assert len(model.asked) == 3
        assert await state(house, told["turn_ids"][0]) == "failed"
        assert (await house.service.figures())["model_reading_failed"] == 1
    model.message, model.answers = {}, [facts("阳台上那盆蓝雪花是外婆留下的")]
    async with learning(tmp_path, embedder, model) as house:
        await house.service.idle("ming")
        assert await texts(house) == {"我住在泉州", "阳台上那盆蓝雪花是外婆留下的"}
        assert await state(house, told["turn_ids"][0]) == "done"
        history = (await house.as_("ming").get("/v1/changes")).json()["data"]
        assert [change["action"] for change in history] == ["create", "create"], "the rules' memory is not decided on twice"


async def test_a_number_that_nobody_offered_costs_that_entry_alone(tmp_path: Path, embedder: Embedder) -> None:
    answer = facts({"text": "x", "of": "m12"}, {"id": "0", "event": "DELETE"}, {"event": "ADD", "text": "最爱喝铁观音"})
    async with learning(tmp_path, embedder, Reader(answer)) as house:
        await house.tell("ming", "说到茶嘛，铁观音，最爱喝铁观音")
        assert "".join(await texts(house)).count("铁观音") >= 1
        assert "x" not in await texts(house)


async def test_a_model_that_is_away_holds_up_no_rule_and_nobody_who_waits(tmp_path: Path, embedder: Embedder) -> None:
    model = Reader(facts("阳台上那盆蓝雪花是外婆留下的"))
    model.away = 5
    async with learning(tmp_path, embedder, model) as house:
        told = await house.tell("ming", "我住在泉州。阳台上那盆蓝雪花是外婆留下的。")
        assert "我住在泉州" in await texts(house)
        await house.tell("ming", "我对芒果过敏。")
        backlog: Backlog = house.service._extraction._model._backlog  # type: ignore[union-attr]
        while backlog.of("ming", 1):
            await backlog._changed.wait()
        assert await state(house, told["turn_ids"][0]) == "done"
        assert "阳台上那盆蓝雪花是外婆留下的" in await texts(house)


async def test_a_call_gives_way_to_a_person(tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_model, "_LOOK_S", 0.002)
    model = Reader(facts())
    model.hangs = asyncio.Event()
    async with learning(tmp_path, embedder, model) as house:
        body = {"messages": [{"role": "user", "content": "阳台上那盆蓝雪花是外婆留下的。"}]}
        assert (await house.as_("ming").post("/v1/turns", json=body)).status_code == 200
        await model.began.wait()
        opened = asyncio.Event()
        complete = EchoModel.complete

        async def slow(self: EchoModel, sent: dict[str, Any]) -> dict[str, Any]:
            await opened.wait()
            return await complete(self, sent)

        monkeypatch.setattr(EchoModel, "complete", slow)
        chat = asyncio.create_task(house.as_("ming").post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "早"}]}))
        await model.gave_way.wait()
        asked = len(model.asked)
        opened.set()
        assert (await chat).status_code == 200
        model.hangs.set()
        await house.service.idle("ming")
        assert len(model.asked) > asked


async def test_talk_and_pasted_text_ask_no_model(tmp_path: Path, embedder: Embedder) -> None:
    model = Reader(facts("用户喜欢聊天"))
    async with learning(tmp_path, embedder, model) as house:
        await house.tell("ming", "嗯", "。。。", "你猜我几岁？")
        assert model.asked == []
        assert await texts(house) == set()


async def test_without_a_capable_model_the_rules_are_alone(tmp_path: Path, embedder: Embedder) -> None:
    model = Reader(facts("阳台上那盆蓝雪花是外婆留下的"))
    async with open_house(tmp_path, embedder, model=model) as house:
        told = await house.tell("ming", "我住在泉州。阳台上那盆蓝雪花是外婆留下的。")
        assert model.asked == []
        assert await state(house, told["turn_ids"][0]) == "done"


async def test_a_known_memory_is_replaced_by_its_number(tmp_path: Path, embedder: Embedder) -> None:
    model = Reader(facts("客厅那台饮水机每月换一次滤芯"))
    async with learning(tmp_path, embedder, model) as house:
        await house.tell("ming", "客厅那台饮水机每月换一次滤芯。")
        model.answers = [facts({"text": "客厅那台饮水机改成每季度换一次滤芯", "of": "m1", "kind": "fact"})]
        await house.tell("ming", "客厅那台饮水机改成每季度换一次滤芯。")
        assert "m1" in json.dumps(model.asked[-1]["messages"])
        assert await texts(house) == {"客厅那台饮水机改成每季度换一次滤芯"}
