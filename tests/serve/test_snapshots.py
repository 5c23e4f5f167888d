"""Snapshots of the whole lake: to go back to, while serving; what was deleted stays deleted (R31)."""

from __future__ import annotations

import os

import pytest

from lake.place import Place
from schemas.errors import LaomaError, Unavailable
from serve import snapshots
from serve.shard.service import ShardService
from tests.serve.house import House, open_house

ADMIN = ["user", "admin"]


async def make(house: House, name: str) -> None:
    answer = await house.as_("root", ADMIN).post("/v1/snapshots", json={"name": name})  # type: ignore[arg-type]
    assert answer.status_code == 201, answer.text


async def go_back(house: House, name: str) -> dict[str, object]:
    answer = await house.as_("root", ADMIN).post(f"/v1/snapshots/{name}/restore")  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def texts(house: House, user: str) -> list[str]:
    return sorted(memory["text"] for memory in await house.memories(user))


async def test_a_restore_brings_back_what_was_and_takes_away_what_came_since(house: House) -> None:
    await house.tell("ming", "我喜欢喝无糖豆浆", conversation="a")
    before = await texts(house, "ming")
    await make(house, "one")
    house.clock.pass_(minutes=1)
    await house.tell("ming", "我养了一只叫团子的猫", conversation="b")
    assert await texts(house, "ming") != before
    done = await go_back(house, "one")
    assert await texts(house, "ming") == before
    assert [talk["id"] for talk in (await house.as_("ming").get("/v1/conversations")).json()["data"]] == ["a"]
    again = await go_back(house, str(done["before"]))
    assert again["restored"] == done["before"]
    assert any("团子" in text for text in await texts(house, "ming"))
    assert any("豆浆" in text for text in await house.recalled("ming", "我早餐喝什么？"))


async def test_what_was_deleted_since_is_not_brought_back(house: House) -> None:
    await house.tell("ming", "我对花生过敏", "我喜欢喝无糖豆浆", conversation="a")
    await house.tell("ming", "今天我在青石路迷路了", conversation="b")
    await make(house, "one")
    house.clock.pass_(minutes=1)
    me = house.as_("ming")
    gone = next(memory for memory in await house.memories("ming") if "花生" in memory["text"])
    assert (await me.delete(f"/v1/memories/{gone['id']}")).status_code == 200
    assert (await me.delete("/v1/conversations/b")).status_code == 200
    done = await go_back(house, "one")
    assert done["replayed"] == 2
    assert not any("花生" in text for text in await texts(house, "ming"))
    assert any("豆浆" in text for text in await texts(house, "ming"))
    assert [talk["id"] for talk in (await me.get("/v1/conversations")).json()["data"]] == ["a"]
    assert (await house.tell("ming", "你好", conversation="c"))["turn_ids"]


async def test_what_was_sealed_since_is_there_once_after_a_restore(house: House) -> None:
    await house.tell("ming", "我喜欢喝无糖豆浆", conversation="a")
    await make(house, "one")
    house.clock.pass_(days=3)
    await house.service.seal()
    await go_back(house, "one")
    exported = (await house.as_("ming").get("/v1/export")).text
    assert exported.count('"content": "我喜欢喝无糖豆浆"') == 1
    house.clock.pass_(days=1)
    await house.service.seal()
    assert len((await house.as_("ming").get("/v1/conversations/a")).json()["turns"]) == 1


async def test_a_snapshot_neither_stops_compaction_nor_cleaning_and_survives_both(house: House) -> None:
    await house.tell("ming", "我喜欢喝无糖豆浆", conversation="a")
    await make(house, "one")
    for number in range(3):
        house.clock.pass_(minutes=1)
        await house.tell("ming", f"我养了{number + 2}只猫")
    assert house.service._resources.store.maintain(purge=True) == []  # no table is held
    await go_back(house, "one")
    assert any("豆浆" in text for text in await texts(house, "ming"))
    assert not any("猫" in text for text in await texts(house, "ming"))


async def test_a_restore_that_was_killed_is_finished_at_the_next_start(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.tell("ming", "我对花生过敏", "我喜欢喝无糖豆浆", conversation="a")
    await make(house, "one")
    house.clock.pass_(minutes=1)
    gone = next(memory for memory in await house.memories("ming") if "花生" in memory["text"])
    await house.as_("ming").delete(f"/v1/memories/{gone['id']}")
    await house.tell("ming", "我养了一只叫团子的猫", conversation="b")

    def killed(*_: object) -> int:
        raise Unavailable("killed here")

    with monkeypatch.context() as broken:
        broken.setattr("serve.shard.snapshots.forget_again", killed)
        answer = await house.as_("root", ADMIN).post("/v1/snapshots/one/restore")  # type: ignore[arg-type]
        assert answer.status_code == 503
    await house.service.stop()
    async with open_house(house.home, house.service._resources.embedder, clock=house.clock) as again:
        found = await texts(again, "ming")
        assert len(found) == 1
        assert "豆浆" in found[0]


async def test_only_an_admin_sees_snapshots(house: House) -> None:
    assert (await house.as_("ming").get("/v1/snapshots")).status_code == 403
    assert (await house.as_("ming").post("/v1/snapshots")).status_code == 403


@pytest.mark.parametrize("name", ["../x", ".hidden", "a/b", "", "x" * 81])
async def test_a_name_leads_nowhere_else(house: House, name: str) -> None:
    answer = await house.as_("root", ADMIN).post("/v1/snapshots", json={"name": name})  # type: ignore[arg-type]
    assert answer.status_code == 400


async def test_a_damaged_snapshot_is_refused_and_nothing_changes(house: House) -> None:
    await house.tell("ming", "我喜欢喝无糖豆浆", conversation="a")
    await make(house, "one")
    await house.tell("ming", "我养了一只叫团子的猫", conversation="b")
    before = await texts(house, "ming")
    for path in (Place(house.home).snapshots / "one").rglob("memories.lance/data/*"):
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data[: len(data) // 2])
    answer = await house.as_("root", ADMIN).post("/v1/snapshots/one/restore")  # type: ignore[arg-type]
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "bad_snapshot"
    assert await texts(house, "ming") == before


async def test_names_are_taken_once_and_automatic_ones_are_pruned(house: House) -> None:
    await house.tell("ming", "我喜欢喝无糖豆浆", conversation="a")
    await make(house, "mine")
    assert (await house.as_("root").post("/v1/snapshots", json={"name": "mine"})).status_code == 409
    for _ in range(snapshots.KEEP_AUTOMATIC + 2):
        house.clock.pass_(minutes=1)
        await snapshots.create(house.parts.shards, house.home, house.clock(), reason="import")
    found = snapshots.listed(house.home)
    assert len(found) == snapshots.KEEP_AUTOMATIC + 1
    assert found[-1].name == "mine"
    assert (await house.as_("root").delete("/v1/snapshots/mine")).status_code == 200
    assert (await house.as_("root").delete("/v1/snapshots/mine")).status_code == 404


async def test_half_a_snapshot_is_none(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.tell("ming", "我喜欢喝无糖豆浆", conversation="a")

    async def fail(*_: object) -> None:
        raise LaomaError("no space")

    monkeypatch.setattr(ShardService, "freeze", fail)
    with pytest.raises(LaomaError, match="no space"):
        await snapshots.create(house.parts.shards, house.home, house.clock(), name="half")
    assert snapshots.listed(house.home) == []
    assert os.listdir(Place(house.home).snapshots) == []


async def test_going_back_to_the_oldest_automatic_snapshot_does_not_lose_it(house: House) -> None:
    await house.tell("ming", "我住在苏州。")
    for number in range(snapshots.KEEP_AUTOMATIC):
        house.clock.pass_(minutes=1)
        await snapshots.create(house.parts.shards, house.home, house.clock(), reason="import", name=f"auto-{number}")
    house.clock.pass_(minutes=1)
    await go_back(house, "auto-0")
    assert await texts(house, "ming") == ["我住在苏州"]


async def test_a_snapshot_that_is_gone_never_passes_for_an_empty_one(house: House) -> None:
    await house.tell("ming", "我住在苏州。")
    await make(house, "one")
    snapshot = snapshots.get(house.home, "one")
    await snapshots.remove(house.home, "one")
    with pytest.raises(LaomaError):
        await house.service.thaw(snapshot)
    assert not (house.service._resources.store.root / "thawing.json").exists()
    assert await texts(house, "ming") == ["我住在苏州"]


async def test_after_a_restore_no_draft_lies_about_and_a_days_file_is_the_lakes_own(house: House) -> None:
    await house.tell("ming", "我住在苏州。", conversation="a")
    house.clock.pass_(days=3)
    await house.service.seal()
    await make(house, "one")
    house.clock.pass_(minutes=1)
    await go_back(house, "one")
    assert not list(house.home.rglob(".*.tmp"))
    await house.as_("ming").delete("/v1/me", params={"user": "ming"})
    assert not [path for path in house.home.rglob("*.parquet*") if "苏州".encode() in path.read_bytes()]


async def test_a_snapshot_by_hand_costs_no_automatic_one(house: House) -> None:
    for number in range(snapshots.KEEP_AUTOMATIC):
        house.clock.pass_(minutes=1)
        await snapshots.create(house.parts.shards, house.home, house.clock(), reason="import", name=f"auto-{number}")
    house.clock.pass_(minutes=1)
    await make(house, "mine")
    assert len(snapshots.listed(house.home)) == snapshots.KEEP_AUTOMATIC + 1
