"""From what users said about replies to a proposal (E3): the job ``feedback`` on a whole house."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from lake.store import Put
from memory.ports import Embedder
from schemas.conversation import Error, Feedback
from schemas.turn import Turn
from tests.jobs.house import done, task
from tests.serve.house import EchoModel, House, open_house

TABLES = [
    "表格怎么求和",
    "怎么给表格排序",
    "表格里怎么筛选重复行",
    "两张表格怎么合并",
    "表格怎么冻结首行",
    "表格怎么按日期分组",
    "表格的列怎么隐藏",
]


async def sample(house: House, number: int, asked: str, error: Error, *, user: str = "ming", talk: str = "t", said: str = "太长了") -> None:
    """An exchange and what was heard of it, as the hearing writes it."""
    at = house.clock() - timedelta(days=2)  # too old to be heard anew
    question = Turn(id=f"{talk}{number}q", user=user, conversation=talk, exchange=f"{talk}{number}", at=at, role="user", content=asked)
    reply = question.but(
        id=f"{talk}{number}r", role="assistant", parent=question.id, content="很长……", policy_version="b0", at=house.clock()
    )
    after = question.but(id=f"{talk}{number}s", parent=reply.id, content=said, at=at)
    heard = Feedback(id=f"signal-{reply.id}", user=user, at=at, turn=reply.id, conversation=talk, signal="explicit_negative", error=error)
    rows = [one.but(extraction="skipped") for one in (question, reply, after)]
    await house.service._resources.commit([Put(rows), Put([heard])])


async def gather(house: House) -> dict[str, Any]:
    report = await done(task(house.home, "feedback", shards=house.parts.shards, clock=house.clock))
    return {str(step): count for _, step, count in report.rows}


async def revisions(house: House, user: str = "ming") -> list[dict[str, Any]]:
    return list((await house.as_(user).get("/v1/revisions")).json()["data"])


async def test_five_complaints_about_one_topic_become_one_proposal_that_waits_for_a_person(house: House) -> None:
    for number, asked in enumerate(TABLES[:4]):
        await sample(house, number, asked, "steps_first")
    assert await gather(house) == {"samples": 4}
    house.service._users._users.clear()  # read anew, with what the test wrote behind its back
    await sample(house, 4, TABLES[4], "steps_first")
    assert await gather(house) == {"samples": 5, "proposed": 1, "gate: not_testable": 1}
    [one] = await revisions(house)
    assert (one["state"], one["scope"], one["part"], one["error"]) == ("proposed", "scene", "situations", "steps_first")
    assert one["replacement"] == "谈到表格时，先用一句话给出结论，再说步骤和理由。"
    assert len(one["samples"]) == 5
    assert await gather(house) == {"samples": 0}
    assert (await house.as_("ming").get("/v1/policies")).json()["data"] == []
    rows = house.service._resources.store.rows(Feedback, "ming")
    assert len({row.topic for row in rows}) == 1


async def test_the_same_samples_never_propose_twice_and_what_was_rejected_is_not_proposed_again(house: House) -> None:
    for number, asked in enumerate(TABLES[:5]):
        await sample(house, number, asked, "too_long")
    await gather(house)
    [one] = await revisions(house)
    await house.as_("ming").post(f"/v1/revisions/{one['id']}/reject")
    house.service._users._users.clear()
    for number, asked in enumerate(TABLES[:5]):
        await sample(house, number + 10, asked, "too_long")
    assert await gather(house) == {"samples": 5, "known_already": 1}
    assert [row["state"] for row in await revisions(house)] == ["rejected"]


async def test_one_users_complaints_change_nothing_for_another(house: House) -> None:
    for number, asked in enumerate(TABLES[:5]):
        await sample(house, number, asked, "too_long", user="ming" if number % 2 else "hua")
    assert await gather(house) == {"samples": 5}
    assert await revisions(house) == await revisions(house, "hua") == []


async def test_what_takes_a_model_waits_for_one_that_is_capable(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder) as house:
        for number, asked in enumerate(TABLES[:5]):
            await sample(house, number, asked, "wrong_form", said="别用表格来回答")
        assert await gather(house) == {"samples": 5, "waits_for_model": 1}
        assert house.model.bodies == []
    model = EchoModel()
    model.reply = "我不知道"
    async with open_house(tmp_path, embedder, model=model, reads=True) as house:
        assert await gather(house) == {"samples": 5, "waits_for_model": 1}
        model.reply = json.dumps({"rule": "讲操作步骤时写成短句，不画表格，电话13912345678。", "fault": ""}, ensure_ascii=False)
        assert await gather(house) == {"samples": 5, "proposed": 1, "gate: not_testable": 1}
        [one] = await revisions(house)
        assert one["replacement"].startswith("讲操作步骤时写成短句")
        assert "13912345678" not in one["replacement"]


async def test_a_model_that_drifts_is_stopped(tmp_path: Path, embedder: Embedder) -> None:
    model = EchoModel()
    model.reply = json.dumps({"rule": "我是全能管家，什么都能替主人决定。", "fault": ""}, ensure_ascii=False)
    async with open_house(tmp_path, embedder, model=model, reads=True) as house:
        for number, asked in enumerate(TABLES[:5]):
            await sample(house, number, asked, "tone", said="语气太生硬")
        counts = await gather(house)
        assert counts["samples"] == 5
        assert counts.get("refused", 0) + counts.get("suspended", 0) == 1
        [one] = await revisions(house)
        answer = await house.as_("ming").post(f"/v1/revisions/{one['id']}/approve", json={"untested": True})
        assert answer.status_code == 409


async def test_what_was_proposed_from_a_conversation_goes_with_it(house: House) -> None:
    for number, asked in enumerate(TABLES[:5]):
        await house.chat("ming", {"role": "user", "content": asked}, headers={"X-Laoma-Conversation": "c"})
        await house.chat("ming", {"role": "user", "content": "太长了，先说重点"}, headers={"X-Laoma-Conversation": "c"})
        house.clock.pass_(minutes=number + 1)
    counts = await gather(house)
    assert counts["proposed"] == 1
    assert {one["scope"] for one in await revisions(house)} == {"scene", "dialogue"}
    await house.as_("ming").delete("/v1/conversations/c")
    assert await revisions(house) == []
    assert house.service._resources.store.rows(Feedback, "ming") == []
