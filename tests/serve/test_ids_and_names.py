"""Secrets in what clients name things by, and names and messages in which nothing can be read."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.serve.house import House
from tests.serve.test_turns import message

CARD = "6222021234567890128"
ID_CARD = "11010519491231002X"


def stored(house: House) -> bytes:
    """Every byte below the home, the journal and the tables included."""
    return b"".join(path.read_bytes() for path in house.home.rglob("*") if path.is_file())


async def test_a_secret_in_any_name_that_a_client_gives_is_stored_nowhere(house: House) -> None:
    client = house.as_("ming")
    told = message("我喜欢喝乌龙茶。", f"msg {ID_CARD}") | {"name": f"小明 {ID_CARD}"}
    first = (await client.post("/v1/turns", json={"conversation_id": f"talk {ID_CARD}", "messages": [told], "wait": True})).json()
    again = (await client.post("/v1/turns", json={"conversation_id": f"talk {ID_CARD}", "messages": [told], "wait": True})).json()
    assert again["turn_ids"] == first["turn_ids"]
    house.model.reply = "好。"
    answer = await house.chat("ming", {"role": "user", "content": "你好"}, headers={"X-Laoma-Conversation": f"chat {ID_CARD}"})
    assert ID_CARD not in str(answer.headers)
    assert ID_CARD not in (await client.get("/v1/export")).text
    house.service._resources.store.flush()
    assert ID_CARD.encode() not in stored(house)


async def test_a_conversation_is_found_by_the_clients_own_id_and_by_the_masked_one(house: House) -> None:
    client = house.as_("ming")
    own, other = "phone 13800138000", "phone 13900139000"
    masked = [(await house.tell("ming", "敦煌的骆驼很高。", conversation=id))["conversation_id"] for id in (own, other)]
    assert len(set(masked)) == 2
    for id in (own, masked[0]):
        view = (await client.get(f"/v1/conversations/{id}")).json()
        assert [turn["content"] for turn in view["turns"]] == ["敦煌的骆驼很高。"]
        found = (await client.post("/v1/turns/search", json={"query": "骆驼", "conversation_id": id})).json()["turns"]
        assert [turn["conversation_id"] for turn in found] == [masked[0]]
    await house.tell("ming", "敦煌的门票要提前订。", conversation=masked[0])
    assert (await client.post(f"/v1/conversations/{own}/close")).status_code == 200
    assert (await client.delete(f"/v1/conversations/{own}")).json()["count"] == 2
    assert (await client.get(f"/v1/conversations/{masked[0]}")).status_code == 404


async def test_end_users_named_by_long_numbers_are_kept_apart(house: House) -> None:
    agent = house.as_("agent", ["user", "delegate"])
    for number, text in ((CARD, "我住在杭州。"), ("6222021234567890110", "我住在苏州。")):
        body = {"messages": [message(text)], "wait": True}
        await agent.post("/v1/turns", json=body, headers={"X-Laoma-User": number})
    texts = []
    for number in (CARD, "6222021234567890110"):
        rows = (await agent.get("/v1/memories", headers={"X-Laoma-User": number})).json()["data"]
        texts.append([row["text"] for row in rows])
    assert [("杭州" in one, "苏州" in one) for (one,) in texts] == [(True, False), (False, True)]
    house.service._resources.store.flush()
    assert CARD.encode() not in stored(house)


@pytest.mark.parametrize("text", ["\u200b\u200d\ufeff", "\x00\x01\x1f", "\u3164\u2800 \u115f", "\u2060\u00ad", "\u0301\ufe0f"])
async def test_a_message_in_which_nothing_can_be_read_has_no_text(house: House, text: str) -> None:
    client = house.as_("ming")
    answer = await client.post("/v1/turns", json={"messages": [message(text)], "conversation_id": "blank"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "messages")
    assert "has no text" in answer.json()["error"]["message"]
    await house.chat("ming", {"role": "user", "content": text}, headers={"X-Laoma-Conversation": "blank"})
    assert (await client.get("/v1/conversations/blank")).status_code == 404


@pytest.mark.parametrize("text", ["？", "……", "👍", "❤️", "7", "\u200bok"])
async def test_a_sign_alone_is_a_message(house: House, text: str) -> None:
    answer = await house.as_("ming").post("/v1/turns", json={"messages": [message(text)]})
    assert answer.status_code == 200


async def test_an_empty_reply_of_zero_width_characters_leaves_no_row(house: House) -> None:
    house.model.reply = "\u200b\u200b"
    await house.chat("ming", {"role": "user", "content": "你好"}, headers={"X-Laoma-Conversation": "c"})
    view = (await house.as_("ming").get("/v1/conversations/c")).json()
    assert [turn["role"] for turn in view["turns"]] == ["user"]


def test_masked_ids_look_like_what_they_are() -> None:
    from serve.shard.masking import masked_id

    masked = masked_id("ming", "phone 13800138000")
    assert re.fullmatch(r"phone \[phone\]~[0-9a-f]{16}", masked)
    assert masked_id("ming", masked) == masked
    assert masked_id("hong", "phone 13800138000") != masked
    assert masked_id("ming", "tea-talk") == "tea-talk"


@pytest.mark.parametrize("name", ["%41", "100%", "a b", "会议 %E4", "A"])
async def test_a_conversation_in_an_answers_header_is_the_same_one_when_sent_back(house: House, name: str) -> None:
    await house.tell("lin", "第一句", conversation=name)
    header = (await house.chat("lin", {"role": "user", "content": "第二句"}, headers={"X-Laoma-Conversation": quote(name)})).headers
    again = await house.chat("lin", {"role": "user", "content": "第三句"}, headers={"X-Laoma-Conversation": header["X-Laoma-Conversation"]})
    assert again.headers["X-Laoma-Conversation"] == header["X-Laoma-Conversation"]
    turns = (await house.as_("lin").get(f"/v1/conversations/{quote(name, safe='')}")).json()["turns"]
    assert [turn["content"] for turn in turns if turn["role"] == "user"] == ["第一句", "第二句", "第三句"]
