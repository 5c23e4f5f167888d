"""All of laoma in one file, and onto another machine: people, memories, keys, and what stays deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx
import pytest

from lake.backup import pack, unpack
from memory.ports import Embedder
from schemas.errors import Conflict
from serve.backups import adopt, is_new
from tests.serve.house import House, open_house
from tests.serve.test_erasing import MARK, holding
from tests.serve.test_snapshots import go_back, make


async def packed(house: House, file: Path) -> Path:
    await make(house, "one")
    pack(house.home, "one", file, at=house.clock(), laoma="0.1.0")
    return file


async def test_a_new_machine_has_what_the_old_one_had(house: House, embedder: Embedder, tmp_path: Path) -> None:
    await house.tell("ming", "我早上只喝无糖豆浆。", conversation="a")
    house.clock.pass_(days=3)
    await house.service.seal()
    await house.tell("ming", "我养了一只叫团子的猫。", conversation="b")
    key = house.as_("ming").headers["Authorization"]
    file, other = await packed(house, tmp_path / "b.tar.gz"), tmp_path / "other"
    unpack(file, other)
    assert is_new(other)
    new_key = adopt(other, "one", house.clock)
    assert new_key
    assert not is_new(other)
    async with open_house(other, embedder, clock=house.clock) as there:
        async with httpx.AsyncClient(base_url=there.url, headers={"Authorization": key}) as ming:
            texts = [one["text"] for one in (await ming.get("/v1/memories")).json()["data"]]
            assert sorted(texts) == sorted(one["text"] for one in await house.memories("ming"))
            assert len((await ming.get("/v1/conversations/a")).json()["turns"]) == 1
            recalled = (await ming.post("/v1/recall", json={"query": "我早上喝什么？"})).json()["memories"]
            assert "豆浆" in recalled[0]["text"]
        async with httpx.AsyncClient(base_url=there.url, headers={"Authorization": f"Bearer {new_key}"}) as owner:
            assert (await owner.get("/v1/jobs")).status_code == 200


async def test_a_lake_is_never_overwritten_by_adoption(house: House, tmp_path: Path) -> None:
    unpack(await packed(house, tmp_path / "b.tar.gz"), tmp_path / "other")
    adopt(tmp_path / "other", "one", house.clock)
    with pytest.raises(Conflict):
        adopt(tmp_path / "other", "one", house.clock)


async def test_who_was_erased_here_is_not_brought_back_by_an_older_backup(house: House, embedder: Embedder, tmp_path: Path) -> None:
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    await house.tell("bob", "我住在苏州。")
    file, other = await packed(house, tmp_path / "b.tar.gz"), tmp_path / "other"
    house.clock.pass_(minutes=5)
    await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    other.mkdir()
    shutil.copy(house.home / "erased.json", other)  # the home that was erased from, its lake lost since
    unpack(file, other)
    adopt(other, "one", house.clock)
    async with open_house(other, embedder, clock=house.clock) as there:
        assert await there.memories("alice") == []
        assert await there.memories("bob")
    assert holding(other, MARK) == []


async def test_a_backup_that_is_restored_into_the_running_lake_brings_no_byte_of_the_erased(house: House, tmp_path: Path) -> None:
    await house.tell("alice", f"我家的猫叫{MARK}。")
    await house.tell("bob", "我住在苏州。")
    file = await packed(house, tmp_path / "b.tar.gz")
    house.clock.pass_(minutes=5)
    await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    house.clock.pass_(minutes=5)
    unpack(file, house.home)
    assert holding(house.home, MARK)
    await go_back(house, "one")
    assert await house.memories("bob")
    assert holding(house.home, MARK) == []


async def test_a_restore_that_was_killed_begins_anew(
    house: House, embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.tell("ming", "我早上只喝无糖豆浆。")
    file, other = await packed(house, tmp_path / "b.tar.gz"), tmp_path / "other"
    unpack(file, other)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("serve.backups.forget_again", killed)
        with pytest.raises(KeyboardInterrupt):
            adopt(other, "one", house.clock)
    unpack(file, other)
    adopt(other, "one", house.clock)
    async with open_house(other, embedder, clock=house.clock) as there:
        assert len(await there.memories("ming")) == 1


def test_the_search_for_bytes_finds_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"..." + MARK.encode("utf-16-le"))
    assert holding(tmp_path, MARK) == ["x"]
