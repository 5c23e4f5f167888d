"""Turns: stored once, readable, searchable, deletable; ingest under load."""

from __future__ import annotations

import asyncio

import pytest

from tests.serve.house import House


def message(text: str, id: str | None = None, role: str = "user") -> dict[str, str]:
    return {"role": role, "content": text} | ({"id": id} if id else {})


async def test_the_same_message_id_is_stored_once(house: House) -> None:
    client = house.as_("ming")
    body = {"conversation_id": "tea", "messages": [message("我喜欢喝乌龙茶。", "m1"), message("记住了", "m2", "assistant")]}
    first = (await client.post("/v1/turns", json=body)).json()
    second = (await client.post("/v1/turns", json=body)).json()
    assert first == second
    view = (await client.get("/v1/conversations/tea")).json()
    assert [turn["content"] for turn in view["turns"]] == ["我喜欢喝乌龙茶。", "记住了"]
    assert view["turns"][0]["exchange"] == view["turns"][1]["exchange"]


async def test_messages_without_times_keep_their_order(house: House) -> None:
    client = house.as_("ming")
    body = {"conversation_id": "order", "messages": [message(f"第{n}句", f"m{n}") for n in range(12)]}
    await client.post("/v1/turns", json=body)
    view = (await client.get("/v1/conversations/order")).json()
    assert [turn["content"] for turn in view["turns"]] == [f"第{n}句" for n in range(12)]
    assert [turn["parent"] for turn in view["turns"][1:]] == [turn["id"] for turn in view["turns"][:-1]]


async def test_thirty_two_clients_at_once_lose_and_double_nothing(house: House) -> None:
    client = house.as_("ming")
    bodies = [{"conversation_id": f"c{n % 4}", "messages": [message("我喜欢喝乌龙茶。", f"m{n}")]} for n in range(32)]
    answers = await asyncio.gather(*(client.post("/v1/turns", json=body) for body in [*bodies, *bodies]))
    assert {answer.status_code for answer in answers} == {200}
    turns = [turn for n in range(4) for turn in (await client.get(f"/v1/conversations/c{n}")).json()["turns"]]
    assert sorted(turn["external_id"] for turn in turns) == sorted(f"m{n}" for n in range(32))
    await house.service.idle("ming")
    assert len(await house.memories("ming")) == 1


async def test_extraction_state_is_pending_then_done(house: House) -> None:
    client = house.as_("ming")
    ids = (await client.post("/v1/turns", json={"messages": [message("我喜欢喝乌龙茶。")]})).json()["turn_ids"]
    await house.service.idle("ming")
    assert (await client.get(f"/v1/turns/{ids[0]}")).json()["extraction"] == "done"


async def test_closing_a_conversation_waits_for_its_extraction(house: House) -> None:
    client = house.as_("ming")
    await client.post("/v1/turns", json={"conversation_id": "tea", "messages": [message("我喜欢喝乌龙茶。")]})
    view = (await client.post("/v1/conversations/tea/close")).json()
    assert view["conversation"]["closed_at"]
    assert {turn["extraction"] for turn in view["turns"]} == {"done"}
    assert len(await house.memories("ming")) == 1


async def test_turns_are_found_by_words_at_once_and_by_meaning_later(house: House) -> None:
    client = house.as_("ming")
    await house.tell("ming", "上个月去敦煌看了壁画，九色鹿那一窟最好看。", "阳台的薄荷又长虫了。", "周五要交季度报表。")
    found = (await client.post("/v1/turns/search", json={"query": "九色鹿", "limit": 1})).json()["turns"]
    assert "九色鹿" in found[0]["content"]
    body = {"query": "pests on the plants at home", "limit": 1}
    for _ in range(200):
        found = (await client.post("/v1/turns/search", json=body)).json()
        if found["complete"]:
            break
        await asyncio.sleep(0.05)
    assert found["complete"]
    assert "薄荷" in found["turns"][0]["content"]


async def test_a_search_keeps_to_its_conversation_and_times(house: House) -> None:
    client = house.as_("ming")
    await house.tell("ming", "敦煌的门票要提前订。", conversation="trip")
    await house.tell("ming", "敦煌的骆驼很高。", conversation="camel")
    body = {"query": "敦煌", "conversation_id": "camel"}
    assert [turn["conversation_id"] for turn in (await client.post("/v1/turns/search", json=body)).json()["turns"]] == ["camel"]
    body = {"query": "敦煌", "to": "2020-01-01T00:00:00Z"}
    assert (await client.post("/v1/turns/search", json=body)).json()["turns"] == []


async def test_a_deleted_conversation_is_gone_and_its_memories_stay(house: House) -> None:
    client = house.as_("ming")
    await house.tell("ming", "我喜欢喝乌龙茶。", conversation="tea/with slash")
    assert (await client.delete("/v1/conversations/tea/with slash")).json()["count"] == 1
    assert (await client.get("/v1/conversations/tea/with slash")).status_code == 404
    assert (await client.post("/v1/turns/search", json={"query": "乌龙茶"})).json()["turns"] == []
    assert len(await house.memories("ming")) == 1


async def test_sealed_turns_stay_readable_searchable_and_deletable(house: House) -> None:
    client = house.as_("ming")
    told = await house.tell("ming", "敦煌的骆驼很高。", conversation="camel")
    house.clock.pass_(days=3)
    assert "1" in await house.service.seal()
    turn = (await client.get(f"/v1/turns/{told['turn_ids'][0]}")).json()
    assert turn["content"] == "敦煌的骆驼很高。"
    assert (await client.get("/v1/conversations/camel")).json()["turns"] == [turn]
    assert (await client.post("/v1/turns/search", json={"query": "骆驼"})).json()["turns"]
    assert (await client.delete("/v1/conversations/camel")).status_code == 200
    assert "骆驼" not in (await client.get("/v1/export")).text
    assert not [path for path in (house.home / "logs").rglob("*.parquet") if "骆驼".encode() in path.read_bytes()]


@pytest.mark.parametrize("sealed", [False, True])
async def test_what_was_noted_about_a_conversation_is_deleted_with_it(house: House, sealed: bool) -> None:
    client = house.as_("ming")
    for name, comment in (("gone", "骆驼讲得不对"), ("kept", "豆浆讲得好")):
        body = {"messages": [message("讲讲。"), {"role": "assistant", "content": "好。"}], "conversation_id": name, "wait": True}
        turns = (await client.post("/v1/turns", json=body)).json()["turn_ids"]
        thumb = {"turn": turns[1], "signal": "down", "comment": comment}
        assert (await client.post("/v1/feedback", json=thumb)).status_code == 201
    if sealed:
        house.clock.pass_(days=3)
        await house.service.seal()
    assert (await client.delete("/v1/conversations/gone")).status_code == 200
    exported = (await client.get("/v1/export")).text
    assert ("骆驼" in exported, "豆浆" in exported) == (False, True)
    assert not [path for path in (house.home / "logs").rglob("*.parquet") if "骆驼".encode() in path.read_bytes()]


async def test_a_damaged_day_file_takes_no_user_down_and_shows_in_the_figures(house: House) -> None:
    await house.tell("ming", "敦煌的骆驼很高。", conversation="camel")
    house.clock.pass_(days=3)
    await house.service.seal()
    for path in (house.home / "logs" / "turns").rglob("*.parquet"):
        path.write_bytes(b"PAR1 no more")
    assert (await house.as_("hong").get("/v1/conversations")).status_code == 200
    assert (await house.as_("ming").get("/v1/conversations/camel")).json()["turns"] == []
    assert (await house.service.figures())["damaged_files"] == 1.0


async def test_imported_turns_keep_their_own_time(house: House) -> None:
    client = house.as_("ming")
    body = {"messages": [message("我上周开始学陶艺。") | {"at": "2023-05-08T10:00:00+08:00"}], "conversation_id": "old"}
    await client.post("/v1/turns", json=body)
    assert (await client.get("/v1/conversations/old")).json()["turns"][0]["at"] == "2023-05-08T02:00:00Z"


async def test_a_conversation_id_that_no_path_can_name_is_refused(house: House) -> None:
    for id in ("a\n", "..", "."):
        answer = await house.as_("ming").post("/v1/turns", json={"conversation_id": id, "messages": [message("x")]})
        assert answer.status_code == 400
