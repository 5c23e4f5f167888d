"""Erasing a user, and the nightly purge: no byte of what was deleted stays in the data folder (R31)."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from lake.erased import mark_of
from schemas.errors import Unavailable
from serve import snapshots
from serve.shard.service import ShardService
from tests.jobs.house import done, task
from tests.serve.house import House
from tests.serve.test_snapshots import go_back, make

MARK = "Zulu7719qx"


def holding(home: Path, mark: str) -> list[str]:
    """Files that hold a string, in UTF-8 or UTF-16."""
    needles = (mark.encode(), mark.encode("utf-16-le"))
    return sorted(
        str(path.relative_to(home)) for path in home.rglob("*") if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    )


async def furnish(house: House) -> None:
    """Alice's mark lies in hot tables, old versions, sealed logs and a snapshot; Bob's house looks alike."""
    for user, mark in (("alice", MARK), ("bob", "Bravo5501")):
        await house.tell(user, f"我最喜欢的咖啡馆是{mark}。", conversation=f"talk-{mark}")
        answer = await house.chat(user, {"role": "user", "content": f"记住，我的猫叫{mark}"})
        await house.as_(user).post("/v1/feedback", json={"turn": answer.headers["X-Laoma-Turn"], "signal": "up", "comment": mark})
    house.clock.pass_(days=3)
    await house.service.seal()
    await make(house, "one")
    house.clock.pass_(minutes=1)
    await house.tell("alice", f"My sister {MARK} lives in Oslo.")


async def test_no_byte_of_an_erased_user_stays_and_nobody_else_loses_a_row(house: House) -> None:
    await furnish(house)
    others = await house.memories("bob")
    assert len(holding(house.home, MARK)) > 3  # the search finds what is there
    assert any("one" in name for name in holding(house.home, MARK))
    refused = await house.as_("alice").delete("/v1/me", params={"user": "bob"})
    assert refused.status_code == 400
    answer = await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["rows"] > 5
    assert holding(house.home, MARK) == []
    assert await house.memories("bob") == others
    assert len((await house.as_("bob").get("/v1/conversations")).json()["data"]) == 2
    assert await house.memories("alice") == []
    assert (await house.as_("alice").get("/v1/export")).text == ""


async def test_an_older_state_does_not_bring_an_erased_user_back(house: House) -> None:
    await furnish(house)
    others = await house.memories("bob")
    await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    house.clock.pass_(minutes=1)
    await go_back(house, "one")
    assert await house.memories("alice") == []
    assert await house.memories("bob") == others
    assert holding(house.home, MARK) == []


async def test_after_an_erasure_the_user_may_begin_anew(house: House) -> None:
    await furnish(house)
    await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    house.clock.pass_(minutes=1)
    await house.tell("alice", "我住在苏州。")
    await make(house, "two")
    house.clock.pass_(minutes=1)
    await go_back(house, "two")
    assert ["苏州" in one["text"] for one in await house.memories("alice")] == [True]


async def test_an_erasure_that_was_killed_is_finished_by_the_next(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await furnish(house)

    async def killed(*_: object) -> object:
        raise Unavailable("killed here")

    with monkeypatch.context() as broken:
        broken.setattr(ShardService, "erase_frozen", killed)
        assert (await house.as_("alice").delete("/v1/me", params={"user": "alice"})).status_code == 503
    assert holding(house.home, MARK)  # the snapshot still has it
    assert (await house.as_("alice").delete("/v1/me", params={"user": "alice"})).status_code == 200
    assert holding(house.home, MARK) == []


async def test_the_erased_are_known_by_a_hash_alone(house: House) -> None:
    await house.tell("alice", "我住在苏州。")
    await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    text = (house.home / "erased.json").read_text()
    assert mark_of("alice") in text
    assert "alice" not in text


async def test_an_end_user_of_an_agent_can_be_erased_alone(house: House) -> None:
    shop = house.as_("shop", ["user", "delegate"])
    for name in ("ann", "ben"):
        body = {"messages": [{"role": "user", "content": f"我的猫叫{MARK}{name}。"}], "wait": True}
        await shop.post("/v1/turns", json=body, headers={"X-Laoma-User": name})
    await shop.delete("/v1/me", params={"user": "shop/ann"}, headers={"X-Laoma-User": "ann"})
    assert holding(house.home, f"{MARK}ann") == []
    assert (await shop.get("/v1/memories", headers={"X-Laoma-User": "ben"})).json()["data"]


async def test_the_purge_takes_what_was_deleted_one_by_one_out_of_old_versions_and_snapshots(house: House) -> None:
    await furnish(house)
    for memory in await house.memories("alice", q=MARK):
        await house.as_("alice").delete(f"/v1/memories/{memory['id']}")
    for talk in (await house.as_("alice").get("/v1/conversations")).json()["data"]:
        await house.as_("alice").delete(f"/v1/conversations/{talk['id']}")
    assert holding(house.home, MARK)
    house.clock.pass_(minutes=1)
    report = await done(task(house.home, "purge", shards=house.parts.shards, clock=house.clock))
    assert [row[0] for row in report.rows] == ["shard 0", "snapshots"]
    assert holding(house.home, MARK) == []
    assert len((await house.as_("bob").get("/v1/conversations")).json()["data"]) == 2
    assert snapshots.listed(house.home)[0].name == "one"


async def set_aside(house: House) -> Path:
    """A log file with alice's mark that can't be read any more, and was set aside when the next turn of its day was sealed."""
    await furnish(house)
    path = next((house.home / "logs" / "turns").rglob("*.parquet"))
    path.write_bytes(MARK.encode() + path.read_bytes()[:-100])
    house.clock.at -= timedelta(days=3)
    await house.tell("bob", "我住在苏州。")
    house.clock.pass_(days=3)
    await house.service.seal()
    (aside,) = path.parent.glob("*.damaged")
    return aside


async def test_an_erasure_takes_what_was_set_aside(house: House) -> None:
    aside = await set_aside(house)
    assert MARK.encode() in aside.read_bytes()
    await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    assert not aside.exists()
    assert holding(house.home, MARK) == []


async def test_the_purge_takes_what_was_set_aside_once_something_was_deleted_that_it_may_hold(house: House) -> None:
    aside = await set_aside(house)
    os.utime(aside, (house.clock.at.timestamp(),) * 2)
    house.clock.pass_(minutes=1)
    assert await house.service.purge() == "purged"
    assert aside.exists()
    memory = (await house.memories("alice"))[0]
    await house.as_("alice").delete(f"/v1/memories/{memory['id']}")
    assert await house.service.purge() == f"purged; {aside.name} of {aside.parent.name} was unreadable and went"
    assert not aside.exists()
