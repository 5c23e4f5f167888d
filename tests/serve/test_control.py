"""The user's control in the chat: told from the lake, forgotten at once, leave asked for once (R29, R30, R32)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.asking_leave import question
from memory.ports import Embedder
from tests.serve.house import House, open_house

ASK_ZH, ASK_EN = question("health", chinese=True), question("health", chinese=False)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


async def said(house: House, *messages: dict[str, str]) -> str:
    answer = await house.chat("ming", *messages)
    return str(answer.json()["choices"][0]["message"]["content"])


async def test_what_is_remembered_is_told_from_the_lake_in_the_users_language(house: House) -> None:
    assert "还没有" in await said(house, user("你记得我什么？"))
    await house.tell("ming", "我住在苏州。我喜欢喝乌龙茶。")
    asked = len(house.model.bodies)
    chinese = await said(house, user("你记得关于我的哪些信息？"))
    assert "我住在苏州" in chinese
    assert "乌龙茶" in chinese
    english = await said(house, user("What do you know about me?"))
    assert "on record" in english
    assert "我住在苏州" in english
    assert len(house.model.bodies) == asked, "no model was asked"


async def test_it_is_streamed_too(house: House) -> None:
    await house.tell("ming", "我住在苏州。")
    body = {"messages": [user("你记得我什么？")], "stream": True}
    answer = await house.as_("ming").post("/v1/chat/completions", json=body)
    assert "我住在苏州" in answer.text
    assert answer.text.rstrip().endswith("data: [DONE]")


@pytest.mark.parametrize("words", ["忘掉我住在苏州这件事", "把苏州忘掉", "忘掉我住哪里", "forget that 我住在苏州"])
async def test_what_is_to_be_forgotten_is_gone_from_recall_and_stays_so(house: House, words: str) -> None:
    await house.tell("ming", "我住在苏州。我喜欢喝乌龙茶。")
    assert "苏州" in await said(house, user(words))
    assert [memory["text"] for memory in await house.memories("ming")] == ["我喜欢喝乌龙茶"]
    assert not any("苏州" in text for text in await house.recalled("ming", "我住在哪个城市？"))
    assert (await house.as_("ming").get("/v1/memories", params={"q": "苏州"})).json()["data"] == []
    await house.chat("ming", user("我住在哪个城市？"))
    assert "苏州" not in house.model.prompt()


async def test_nothing_is_deleted_where_nothing_fits(house: House) -> None:
    await house.tell("ming", "我喜欢喝乌龙茶。")
    assert "没有找到" in await said(house, user("忘掉怎么给自行车链条上油"))
    assert len(await house.memories("ming")) == 1


async def test_what_was_just_said_is_not_kept(house: House) -> None:
    first = user("我喜欢喝乌龙茶。")
    reply = await said(house, first)
    assert "不记" in await said(house, first, assistant(reply), user("别记这个"))
    assert await house.memories("ming") == []
    house.clock.pass_(days=1)
    await house.service._turn_vectors._backlog.empty("ming")
    await house.chat("ming", user("我跟你说过我喜欢喝什么吗？"))
    assert "乌龙茶" not in house.model.prompt()


async def test_all_is_forgotten_once_it_is_confirmed(house: House) -> None:
    await house.tell("ming", "我住在苏州。我喜欢喝乌龙茶。")
    assert "确认" in await said(house, user("忘掉一切"))
    assert len(await house.memories("ming")) == 2
    assert "2" in await said(house, user("确认忘掉一切"))
    assert await house.memories("ming") == []


async def test_a_deleted_memorys_words_are_not_kept_in_the_answers_that_told_them(house: House) -> None:
    await house.tell("ming", "我住在苏州。")
    await said(house, user("你记得我什么？"))
    replies = [
        turn["content"]
        for page in (await house.as_("ming").get("/v1/conversations")).json()["data"]
        for turn in (await house.as_("ming").get(f"/v1/conversations/{page['id']}")).json()["turns"]
        if turn["role"] == "assistant"
    ]
    assert not any("苏州" in reply for reply in replies)


async def test_leave_is_asked_for_once_and_what_was_said_is_kept_after_a_yes(house: House) -> None:
    house.model.reply = "保重。"
    first = user("我对青霉素过敏。")
    reply = await said(house, first)
    assert reply == f"保重。\n\n{ASK_ZH}"
    assert await house.memories("ming") == []
    answer = await said(house, first, assistant(reply), user("可以"))
    assert "会记住" in answer
    assert any("青霉素" in memory["text"] for memory in await house.memories("ming"))
    assert [row["id"] for row in (await house.as_("ming").get("/v1/consents")).json()] == ["health"]
    assert "不记" in await said(house, user("别再记我的健康信息"))
    assert (await house.as_("ming").get("/v1/consents")).json() == []


async def test_after_a_no_it_is_neither_kept_nor_asked_for_again(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder) as before:
        before.model.reply = "Take care."
        first = user("I was diagnosed with asthma.")
        reply = await said(before, first)
        assert reply.endswith(ASK_EN)
        assert "keep nothing" in await said(before, first, assistant(reply), user("No"))
    async with open_house(tmp_path, embedder) as after:
        after.model.reply = "Take care."
        assert await said(after, user("My asthma is worse, I was diagnosed again.")) == "Take care."
        assert "asthma" not in (await after.as_("ming").get("/v1/export")).text


async def test_the_line_stands_in_a_stream_too_and_below_no_json(house: House) -> None:
    body = {"messages": [user("我得了痛风。")], "response_format": {"type": "json_object"}}
    answer = await house.as_("ming").post("/v1/chat/completions", json=body)
    assert answer.json()["choices"][0]["message"]["content"] == house.model.reply
    answer = await house.as_("ming2").post("/v1/chat/completions", json={"messages": [user("我得了痛风。")], "stream": True})
    assert ASK_ZH in answer.text


async def test_nothing_is_asked_or_done_where_memory_is_off_or_read(house: House) -> None:
    await house.tell("ming", "我住在苏州。")
    for mode in ("off", "read"):
        answer = await house.chat("ming", user("我得了痛风。"), headers={"X-Laoma-Memory": mode})
        assert answer.json()["choices"][0]["message"]["content"] == house.model.reply
        await house.chat("ming", user("忘掉我住在苏州"), headers={"X-Laoma-Memory": mode})
    assert len(await house.memories("ming")) == 1
