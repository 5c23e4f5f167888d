"""Exchanges under way: on every path the question is read, and nothing is left open."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from schemas.errors import Unavailable
from schemas.exchange import Closing, Opened, Opening, Spoken
from tests.serve.house import House


def opening(house: House, text: str) -> Opening:
    id = house.parts.new_id()
    return Opening(messages=[Spoken(role="user", text=text)], ids=[id], conversation_id=None, store=True, at=house.clock())


def closing(house: House, opened: Opened) -> Closing:
    return Closing(
        id=house.parts.new_id(),
        opened=opened,
        content="好的。",
        interrupted=False,
        model="echo",
        first_token_ms=1.0,
        total_ms=2.0,
        prompt_tokens=None,
        completion_tokens=None,
        at=house.clock(),
    )


async def test_a_question_whose_gateway_died_is_read_after_a_while(house: House) -> None:
    exchanges = house.service._exchanges
    opened = await house.service.open_exchange("ming", opening(house, "我喜欢喝乌龙茶。"))
    await exchanges.settle_forgotten()
    assert len(exchanges) == 1
    exchanges._longest_s = -1.0
    await exchanges.settle_forgotten()
    await house.service.idle("ming")
    assert len(exchanges) == 0
    assert opened.parent is not None
    assert (await house.service.turn("ming", opened.parent)).extraction == "done"
    assert len(await house.memories("ming")) == 1


async def test_a_reply_that_cannot_be_stored_leaves_no_question_open(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = await house.service.open_exchange("ming", opening(house, "我喜欢喝乌龙茶。"))

    async def full(*_: object) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(house.service._writing, "close", full)
    with pytest.raises(Unavailable):
        await house.service.close_exchange("ming", closing(house, opened))
    await house.service.idle("ming")
    assert len(house.service._exchanges) == 0
    assert len(await house.memories("ming")) == 1


async def test_a_recall_that_cannot_be_logged_does_not_cost_the_chat_its_memory(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.tell("ming", "我对花生过敏。")

    async def full(*_: object) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(house.service._recalling, "log", full)
    opened = await house.service.open_exchange("ming", opening(house, "我能吃花生吗？"))
    assert "花生" in opened.standing + opened.recent
    await house.service.close_exchange("ming", closing(house, opened))
    assert len(house.service._exchanges) == 0


@pytest.mark.parametrize("part", ["_control.answer", "_control.aside", "_recalling.first_question"])
async def test_an_opening_that_fails_half_way_leaves_its_question_read_and_nothing_open(
    house: House, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def broken(*_: object) -> None:
        raise Unavailable("the disk is full")

    owner, name = part.split(".")
    monkeypatch.setattr(getattr(house.service._exchanges, owner), name, broken)
    with pytest.raises(Unavailable):
        await house.service.open_exchange("ming", opening(house, "我喜欢喝乌龙茶。"))
    await house.service.idle("ming")
    assert len(house.service._exchanges) == 0
    assert [memory["text"] for memory in await house.memories("ming")] == ["我喜欢喝乌龙茶"]


async def test_a_turn_that_was_stored_before_its_opening_failed_is_read_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("not foreseen")

    monkeypatch.setattr(house.service._writing, "_mend", broken)
    with pytest.raises(RuntimeError):
        await house.service.open_exchange("ming", opening(house, "我喜欢喝乌龙茶。"))
    await house.service.idle("ming")
    assert [memory["text"] for memory in await house.memories("ming")] == ["我喜欢喝乌龙茶"]
    monkeypatch.undo()
    opened = await house.service.open_exchange("ming", opening(house, "还有红茶。"))
    assert opened.parent is not None, "the lock is free"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_reply_whose_first_storing_fails_is_stored_by_the_next_try_or_let_go(
    house: House, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    calls: list[str] = []
    shards = house.parts.shards
    call = shards.call

    async def failing(method: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(method.__name__)
        if calls.count("close_exchange") == 1 and method.__name__ == "close_exchange":
            raise Unavailable("the shard moves")
        return await call(method, *args, **kwargs)

    monkeypatch.setattr(shards, "call", failing)
    await house.chat("ming", {"role": "user", "content": "我喜欢喝乌龙茶。"}, stream=stream)
    while len(house.service._exchanges):  # noqa: ASYNC110  what is kept of a request has no event
        await asyncio.sleep(0.01)
    assert calls[-1] == ("close_exchange" if stream else "abandon_exchange")
    await house.service.idle("ming")
    assert [memory["text"] for memory in await house.memories("ming")] == ["我喜欢喝乌龙茶"]
