"""Exchanges under way: on every path the question is read, and nothing is left open."""

from __future__ import annotations

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
