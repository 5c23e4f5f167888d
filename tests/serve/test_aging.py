"""Time and memories through the real pipeline: jobs, promotion, revival; each step a row in the history."""

from __future__ import annotations

from tests.jobs.house import done, task
from tests.serve.house import House


async def actions(house: House, user: str) -> list[str]:
    return [change["action"] for change in (await house.as_(user).get("/v1/changes")).json()["data"]]


async def test_the_nightly_review_archives_and_says_why_and_again_finds_nothing(house: House) -> None:
    await house.tell("ming", "我住在苏州。", "我儿子的班主任姓邵。")
    house.clock.pass_(days=100)
    report = await done(task(house.home, "decay", shards=house.parts.shards, clock=house.clock))
    assert [0, "archive", 1] in report.rows
    assert [one["text"] for one in await house.memories("ming")] == ["我住在苏州"]
    [gone] = await house.memories("ming", status="archived")
    history = (await house.as_("ming").get(f"/v1/memories/{gone['id']}")).json()["history"]
    assert (history[-1]["action"], history[-1]["actor"]) == ("archive", "job")
    assert "90 days" in history[-1]["reason"]
    again = await done(task(house.home, "decay", shards=house.parts.shards, clock=house.clock))
    assert again.rows == [[0, "nothing", 0]]


async def test_an_archived_memory_answers_where_nothing_else_does_and_lives_again_in_doubt(house: House) -> None:
    await house.tell("ming", "我儿子的班主任姓邵。", "我住在苏州。")
    house.clock.pass_(days=100)
    await house.service.decay()
    assert any("邵" in text for text in await house.recalled("ming", "我儿子的班主任姓什么？"))
    assert len(await house.memories("ming", status="archived")) == 1  # a look revives nothing
    await house.chat("ming", {"role": "user", "content": "我儿子的班主任姓什么？"})
    assert "可能" in house.model.prompt()
    assert await house.memories("ming", status="archived") == []
    assert (await actions(house, "ming"))[0] == "revive"


async def test_drift_is_looked_for_in_what_was_changed_often(house: House) -> None:
    await house.tell("ming", "我早上只喝无糖豆浆。")
    [memory] = await house.memories("ming")
    for text in ("我早上喝豆浆", "今年的雪下得特别大，山路都封了"):
        await house.as_("ming").patch(f"/v1/memories/{memory['id']}", json={"text": text})
    report = await done(task(house.home, "drift", shards=house.parts.shards, clock=house.clock))
    assert [0, "restore", 1] in report.rows
    assert [one["text"] for one in await house.memories("ming")] == ["我早上喝豆浆"]


async def test_nobody_elses_memories_age_with_a_user(house: House) -> None:
    for user in ("ming", "hua"):
        await house.tell(user, "我儿子的班主任姓邵。")
    house.clock.pass_(days=50)
    await house.chat("hua", {"role": "user", "content": "我儿子的班主任姓什么？"})
    house.clock.pass_(days=50)
    await house.service.decay()
    assert await house.memories("ming") == []
    assert len(await house.memories("hua")) == 1
