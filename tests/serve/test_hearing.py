"""What is heard of an exchange (E1, E2), and what holds at once in its conversation alone (E5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lake.store import Put
from memory.ports import Embedder
from schemas.conversation import Feedback
from schemas.exchange import Closing, Opening, Spoken
from schemas.policy import BASE, Policy, RevisionIn
from serve.shard.service import ShardService
from tests.serve.house import Clock, House, open_house

LONG = "回答尽量简短，三句话以内说完要点。"


async def said(house: House, text: str, reply: str = "好的。", talk: str = "c", user: str = "ming", **headers: str) -> str:
    house.model.reply = reply
    answer = await house.chat(user, {"role": "user", "content": text}, headers={"X-Laoma-Conversation": talk, **headers})
    return str(answer.headers.get("X-Laoma-Turn", ""))


def heard(house: House, user: str = "ming") -> dict[str, Feedback]:
    return {row.turn: row for row in house.service._resources.store.rows(Feedback, user)}


async def dialogue(house: House) -> list[dict[str, Any]]:
    return [one for one in (await house.as_("ming").get("/v1/revisions")).json()["data"] if one["scope"] == "dialogue"]


def last_system(house: House) -> str:
    return str(house.model.bodies[-1]["messages"][0]["content"])


async def test_what_a_user_says_about_a_reply_becomes_its_feedback(house: House) -> None:
    first = await said(house, "把会议改到周五", "已改到周四。")
    second = await said(house, "不对，我说的是周五", "改好了，周五。")
    await said(house, "太好了，谢谢你", "不客气。")
    rows = heard(house)
    assert [(rows[id].signal, rows[id].error) for id in (first, second)] == [("explicit_negative", "wrong"), ("positive", None)]
    assert len(rows) == 2
    assert (rows[first].id, rows[first].conversation, rows[first].policy_version) == (f"signal-{first}", "c", "b0")
    assert rows[first].comment is None


async def test_an_omission_is_named_as_soon_as_the_reply_is_there_and_praise_takes_it_back(house: House) -> None:
    reply = await said(house, "查查周三和周四的天气", "周三多云。")
    assert (heard(house)[reply].error, heard(house)[reply].missing) == ("missed_entity", ["周四"])
    await said(house, "很好，谢谢", "不客气。")
    assert (heard(house)[reply].signal, heard(house)[reply].error) == ("positive", None)


async def test_of_what_is_not_stored_nothing_is_heard(house: House) -> None:
    for mode in ("off", "read"):
        await said(house, "把会议改到周五", "已改到周四。", **{"X-Laoma-Memory": mode})
        await said(house, "不对，是周五，你又错了", **{"X-Laoma-Memory": mode})
    assert heard(house) == {}
    assert (await house.as_("ming").get("/v1/revisions")).json()["data"] == []


async def test_a_reply_that_was_cut_off_counts_half_and_less_than_what_is_said_then(house: House) -> None:
    opening = Opening(messages=[Spoken(role="user", text="讲讲唐朝")], ids=["q1"], conversation_id="c", store=True, at=house.clock())
    opened = await house.service.open_exchange("ming", opening)
    times = {"first_token_ms": None, "total_ms": 5.0, "prompt_tokens": None, "completion_tokens": None}
    closing = Closing(id="r1", opened=opened, content="唐朝" * 300, interrupted=True, model="echo", at=house.clock(), **times)
    await house.service.close_exchange("ming", closing)
    await house.service.idle("ming")
    row = heard(house)["r1"]
    assert (row.signal, row.error, row.weight) == ("interruption", "too_long", 0.5)
    messages = [{"role": "user", "content": "讲讲唐朝"}, {"role": "assistant", "content": "唐朝" * 300}]
    await house.chat("ming", *messages, {"role": "user", "content": "不对，我问的是宋朝"}, headers={"X-Laoma-Conversation": "c"})
    assert (heard(house)["r1"].signal, heard(house)["r1"].error) == ("explicit_negative", "wrong")


async def test_a_dialogue_that_another_agent_answered_is_not_judged(house: House) -> None:
    messages = [("user", "几点开会"), ("assistant", "四点。"), ("user", "不对，错了")]
    body = {"messages": [{"role": role, "content": text} for role, text in messages], "wait": True}
    await house.as_("ming").post("/v1/turns", json=body)
    await house.service.idle("ming")
    assert heard(house) == {}


async def test_one_explicit_word_holds_at_once_in_its_conversation_and_is_gone_with_it(house: House) -> None:
    await said(house, "黑洞是什么", "黑洞是……" * 40)
    await said(house, "太长了，简短点", "好。")
    assert LONG not in last_system(house)
    await said(house, "那中子星呢", "是……")
    assert LONG in last_system(house)
    await said(house, "中子星是什么", talk="other")
    assert LONG not in last_system(house)
    assert [(one["state"], one["replacement"], one["conversation"]) for one in await dialogue(house)] == [("live", LONG, "c")]
    assert (await house.as_("ming").get("/v1/policies")).json()["data"] == []
    await house.as_("ming").post("/v1/conversations/c/close")
    await said(house, "白矮星呢")
    assert LONG not in last_system(house)
    assert [one["state"] for one in await dialogue(house)] == ["rejected"]


async def test_a_later_wish_takes_the_place_of_the_earlier_one(house: House) -> None:
    await said(house, "黑洞是什么", "黑洞是……" * 40)
    await said(house, "太长了，简短点", "一种天体。")
    await said(house, "太简略了，详细点", "黑洞是……")
    await said(house, "那中子星呢")
    assert LONG not in last_system(house)
    assert "回答详细一点，补充细节和例子。" in last_system(house)
    assert [one["state"] for one in await dialogue(house)] == ["live", "rejected"]


async def test_what_a_kill_left_unheard_is_heard_when_the_user_comes_again_and_only_once(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder) as house:
        house.service._hearing._backlog.add = lambda user, id: None  # type: ignore[method-assign]
        reply = await said(house, "黑洞是什么", "黑洞是……" * 40)
        await said(house, "太长了，简短点", "好。")
        assert heard(house) == {}
    clock = Clock()
    clock.pass_(hours=2)
    for _ in range(2):
        async with open_house(tmp_path, embedder, clock=clock) as house:
            await house.as_("ming").get("/v1/memories")
            await house.service.idle("ming")
            assert [(row.turn, row.error) for row in heard(house).values()] == [(reply, "too_long")]
            assert len(await dialogue(house)) == 1
            [row] = await dialogue(house)
            if row["state"] == "live":
                await house.as_("ming").post(f"/v1/revisions/{row['id']}/reject")
            assert [one["state"] for one in await dialogue(house)] == ["rejected"]


async def test_a_thumb_with_words_names_its_error(house: House) -> None:
    reply = await said(house, "黑洞是什么", "黑洞是……" * 40)
    row = (await house.as_("ming").post("/v1/feedback", json={"turn": reply, "signal": "down", "comment": "太啰嗦"})).json()
    assert (row["signal"], row["error"]) == ("down", "too_long")


@pytest.mark.parametrize("scope", ["scene", "global"])
async def test_an_approval_that_was_killed_half_way_is_approved_again_to_the_same_end(house: House, scope: str) -> None:
    root = house.as_("root", ["user", "admin"])
    owner = BASE if scope == "global" else "root"
    revision = (await root.post("/v1/revisions", json={"replacement": "日期写成年月日。", "scope": scope})).json()
    kept = await house.service.revision(owner, revision["id"])
    policy, _ = await house.service.revised(owner, kept, None)
    await house.service._resources.commit([Put([policy])])  # what an earlier release wrote before it was killed
    answers = [(await root.post(f"/v1/revisions/{revision['id']}/approve", json={"untested": True})).json() for _ in range(2)]
    assert [(one["state"], one["policy"]) for one in answers] == [("live", policy.id)] * 2
    assert [one["id"] for one in (await root.get("/v1/policies")).json()["data"]] == [policy.id]


async def test_a_version_and_its_revision_are_written_together_and_a_version_never_changes(house: House) -> None:
    service: ShardService = house.service
    revision = await service.judged("ming", RevisionIn(replacement="日期写成年月日。"), "r1")
    await service.keep_revision("ming", revision)
    policy, lived = await service.revised("ming", revision, None)
    await service.adopt("ming", policy, lived)
    assert (await service.revision("ming", "r1")).state == "live"
    await service.adopt("ming", policy.but(rules=["别的"]), lived)
    assert [row.rules for row in service._resources.store.rows(Policy, "ming")] == [["日期写成年月日。"]]


async def test_the_constitution_that_is_in_force_is_told_by_its_hash(house: House) -> None:
    page = (await house.as_("ming").get("/v1/policies")).json()
    assert page["constitution"] == page["constitution_at_start"] != ""
    from evolution.constitution import default_text

    (house.home / "constitution.yaml").write_text(default_text() + "# mine\n", encoding="utf-8")
    edited = (await house.as_("ming").get("/v1/policies")).json()
    assert edited["constitution_at_start"] == page["constitution"] != edited["constitution"]
