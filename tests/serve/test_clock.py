"""The machine's clock is set back: the order of what was said stays, and what was said later holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.ports import Embedder
from serve.shard.moments import TICK, Moments
from tests.serve.house import Clock, House, open_house

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def contents(house: House, conversation: str) -> list[str]:
    view = (await house.as_("ming").get(f"/v1/conversations/{conversation}")).json()
    return [turn["content"] for turn in view["turns"]]


async def test_a_conversation_keeps_its_order_when_the_clock_goes_back(house: House) -> None:
    said = [f"第{n}句话" for n in range(6)]
    for text in said:
        await house.tell("ming", text, conversation="order")
        house.clock.pass_(minutes=-20)
    assert await contents(house, "order") == said


async def test_a_chat_keeps_its_order_when_the_clock_goes_back_before_the_reply(house: House) -> None:
    headers = {"X-Laoma-Conversation": "order"}
    expected = []
    for number in range(3):
        house.model.reply = f"答{number}"
        await house.chat("ming", {"role": "user", "content": f"问{number}"}, headers=headers)
        house.clock.pass_(minutes=-30)
        expected += [f"问{number}", f"答{number}"]
    assert await contents(house, "order") == expected


@pytest.mark.parametrize("restart", [False, True])
async def test_a_later_statement_wins_and_is_recalled_though_the_clock_went_back(tmp_path: Path, embedder: Embedder, restart: bool) -> None:
    clock = Clock()
    async with open_house(tmp_path, embedder, clock=clock) as house:
        await house.tell("ming", "我住在杭州。")
        if not restart:
            clock.pass_(hours=-1)
            await house.tell("ming", "我搬到苏州了，现在住在苏州。")
            assert await house.recalled("ming", "我住在哪里？") == [row["text"] for row in await house.memories("ming")]
    if restart:
        clock.pass_(hours=-1)
        async with open_house(tmp_path, embedder, clock=clock) as house:
            assert any("杭州" in text for text in await house.recalled("ming", "我住在哪里？"))
            await house.tell("ming", "我搬到苏州了，现在住在苏州。")
            texts = [row["text"] for row in await house.memories("ming")]
            assert any("苏州" in text for text in texts)
            assert not any("杭州" in text for text in texts)
            assert await house.recalled("ming", "我住在哪里？") == texts


async def test_an_edit_after_the_clock_went_back_is_the_latest_version(house: House) -> None:
    await house.tell("ming", "我喜欢喝乌龙茶。")
    memory = (await house.memories("ming"))[0]
    house.clock.pass_(hours=-1)
    for text in ("我喜欢喝龙井。", "我喜欢喝普洱。"):
        assert (await house.as_("ming").patch(f"/v1/memories/{memory['id']}", json={"text": text})).status_code == 200
    reverted = (await house.as_("ming").post(f"/v1/memories/{memory['id']}/revert", json={})).json()
    assert reverted["text"] == "我喜欢喝龙井。"


async def test_a_time_ahead_that_a_client_gives_moves_no_clock(house: House) -> None:
    client = house.as_("ming")
    ahead = {"role": "user", "content": "这句话来自将来", "at": "2026-03-02T02:30:00Z"}
    await client.post("/v1/turns", json={"messages": [ahead], "conversation_id": "ahead"})
    await house.tell("ming", "现在说的话", conversation="present")
    turn = (await client.get("/v1/conversations/present")).json()["turns"][0]
    assert turn["at"] < "2026-03-02T01:01"


def test_a_clock_that_was_wrong_by_more_than_the_leeway_is_followed() -> None:
    times = iter([NOON, NOON - timedelta(hours=1), NOON - timedelta(hours=9)])
    moments = Moments(lambda: next(times), timedelta(hours=2))
    assert [moments.take(count=3), moments.take(), moments.take()] == [NOON, NOON + 3 * TICK, NOON - timedelta(hours=9)]


def test_a_user_resumes_behind_what_was_stored_within_the_leeway() -> None:
    moments = Moments(lambda: NOON, timedelta(hours=2))
    moments.resume([NOON - timedelta(days=3), NOON + timedelta(hours=1), NOON + timedelta(hours=8)])
    assert moments.now() == NOON + timedelta(hours=1)
    assert moments.take() == NOON + timedelta(hours=1) + TICK
