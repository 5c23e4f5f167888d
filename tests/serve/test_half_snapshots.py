"""What a kill leaves of a snapshot, half made or half removed, keeps nothing that is deleted (R31)."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from lake.backup import pack, unpack
from lake.snapshot_folder import MANIFEST, alone
from serve import snapshots
from tests.jobs.house import done, task
from tests.serve.house import House
from tests.serve.test_erasing import MARK, holding
from tests.serve.test_snapshots import go_back, make


async def leave_halves(house: House) -> Path:
    """Alice's mark in a snapshot that was being made, and in one that was being unpacked."""
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    await make(house, "half")
    folder = house.home / "snapshots"
    shutil.copytree(folder / "half", folder / ".old.part")
    (folder / "half" / MANIFEST).unlink()
    house.clock.pass_(minutes=1)
    return folder


async def test_an_erasure_sweeps_half_snapshots(house: House) -> None:
    await leave_halves(house)
    assert any(name.startswith("snapshots/.old.part") for name in holding(house.home, MARK))
    assert (await house.as_("alice").delete("/v1/me", params={"user": "alice"})).status_code == 200
    assert holding(house.home, MARK) == []


async def test_the_purge_sweeps_half_snapshots(house: House) -> None:
    folder = await leave_halves(house)
    await done(task(house.home, "purge", shards=house.parts.shards, clock=house.clock))
    assert [path.name for path in folder.iterdir()] == []


async def test_the_next_snapshot_sweeps_them_and_may_take_their_name(house: House) -> None:
    folder = await leave_halves(house)
    await make(house, "half")
    assert [path.name for path in folder.iterdir()] == ["half"]
    await go_back(house, "half")


async def test_a_snapshot_in_the_making_is_not_swept_an_erasure_waits_for_it(house: House) -> None:
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    await make(house, "whole")
    house.clock.pass_(minutes=1)
    async with alone(house.home):
        half = house.home / "snapshots" / "new"
        shutil.copytree(half.with_name("whole"), half, ignore=shutil.ignore_patterns(MANIFEST))
        erasing = asyncio.create_task(house.as_("alice").delete("/v1/me", params={"user": "alice"}))
        await asyncio.sleep(0)
        assert not (await asyncio.wait([erasing], timeout=0.5))[0]
        assert half.exists()
        shutil.copy(half.with_name("whole") / MANIFEST, half)
    assert (await erasing).status_code == 200
    assert half.exists()
    assert holding(house.home, MARK) == []


async def test_an_unpacking_that_was_killed_before_the_rename_leaves_nothing_that_looks_whole(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.tell("alice", "我住在苏州。")
    await make(house, "one")
    file = tmp_path / "b.tar.gz"
    pack(house.home, "one", file, at=house.clock(), laoma="0.1.0")

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("lake.snapshot_folder.shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            unpack(file, house.home)
    assert snapshots.listed(house.home) == []
    unpack(file, house.home)
    assert [one.name for one in snapshots.listed(house.home)] == ["one"]


@pytest.mark.parametrize("manifest", ["", "{", '{"name": "one"}', "[]"])
async def test_a_snapshot_whose_manifest_can_not_be_read_goes_with_the_next_purge(house: House, manifest: str) -> None:
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    await make(house, "one")
    await make(house, "two")
    (house.home / "snapshots" / "one" / MANIFEST).write_text(manifest)
    assert [one.name for one in snapshots.listed(house.home)] == ["two"]
    report = await done(task(house.home, "purge", shards=house.parts.shards, clock=house.clock))
    assert report.rows[-1] == ["snapshots", "1 looked through; one was unreadable and went"]
    assert [path.name for path in (house.home / "snapshots").iterdir()] == ["two"]


async def test_an_erasure_takes_unreadable_snapshots_and_cleans_copied_ones(house: House) -> None:
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    await house.tell("bob", "我住在苏州。")
    await make(house, "one")
    folder = house.home / "snapshots"
    shutil.copytree(folder / "one", folder / "copy-of-one")
    shutil.copytree(folder / "one", folder / "broken")
    (folder / "broken" / MANIFEST).write_text("")
    house.clock.pass_(minutes=1)
    await house.as_("alice").delete("/v1/me", params={"user": "alice"})
    assert holding(house.home, MARK) == []
    assert sorted(one.name for one in snapshots.listed(house.home)) == ["copy-of-one", "one"]
    await go_back(house, "copy-of-one")
    assert ["苏州" in one["text"] for one in await house.memories("bob")] == [True]
