"""kill -9 in the middle of a deed on the lake: done again after a restart, the lake is what an undisturbed deed leaves."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow.parquet as pq
import pytest

from lake.frozen import LOGS, frozen_root
from lake.parquet import day_files
from lake.tables import KINDS
from memory.ports import Embedder
from schemas.settings import Settings
from serve import snapshots
from serve.embedders import build
from tests.jobs.deed import DEEDS, WHEN
from tests.serve.house import Clock, House, open_house
from tests.serve.test_snapshots import make

REPO = Path(__file__).parents[2]
MARK, GONE = "Zulu7719qx", "Kilo3302zz"
"""Alice's own word, and one that she had deleted: in a memory, and with a conversation."""

POINTS = [
    ("seal", "before:lake.parquet.put_in_place:1"),  # a draft beside the day's file
    ("seal", "after:lake.logs.replace_file:2"),  # in the file, and hot still
    ("seal", "after:lake.store.ShardStore.drop_unchanged:1"),
    ("purge", "before:lake.store.ShardStore.maintain:1"),  # of the snapshot
    ("purge", "before:serve.shard.forgetting.renew_sealed:1"),  # of the snapshot: its logs quote what is deleted
    ("purge", "after:serve.shard.forgetting.renew_sealed:1"),
    ("purge", "before:lake.applier.clean:9"),
    ("snapshot", "before:lake.frozen._link:9"),
    ("snapshot", "before:serve.snapshots._write:1"),
    ("snapshot", "before:lake.durable.put_in_place:1"),  # the manifest is a draft
    ("restore", "after:lake.tables.Tables.thaw:1"),
    ("restore", "before:serve.shard.snapshots.forget_again:1"),
    ("restore", "after:serve.shard.snapshots.ShardSnapshots.thaw:1"),
    ("erase", "before:lake.erasure.drop_sealed:1"),
    ("erase", "before:lake.store.ShardStore.maintain:1"),
    ("erase", "before:serve.shard.snapshots.erase_user:1"),
]

NOTHING_OF = {"purge": GONE, "restore": GONE, "erase": MARK}
"""A word that no file holds after the deed."""


async def furnish(house: House) -> None:
    """Two users: sealed days and hot ones, a snapshot, and what was deleted after it."""
    for user, mark in (("alice", MARK), ("bob", "Bravo5501")):
        await house.tell(user, f"我最喜欢的咖啡馆是{mark}。", "我对花生过敏", conversation=f"talk-{user}")
        await house.tell(user, f"我的吉他叫{GONE}。", conversation=f"gone-{user}")
    house.clock.pass_(days=3)
    await house.service.seal()
    for user, mark in (("alice", MARK), ("bob", "Bravo5501")):
        answer = await house.chat(user, {"role": "user", "content": f"记住，我的猫叫{mark}"})
        await house.as_(user).post("/v1/feedback", json={"turn": answer.headers["X-Laoma-Turn"], "signal": "up", "comment": mark})
    house.clock.pass_(days=1)
    await make(house, "one")
    house.clock.pass_(minutes=1)
    for user in ("alice", "bob"):
        await house.tell(user, "我喜欢喝无糖豆浆", conversation=f"later-{user}")
        for memory in await house.memories(user, q=GONE):
            assert (await house.as_(user).delete(f"/v1/memories/{memory['id']}")).status_code == 200
        assert (await house.as_(user).delete(f"/v1/conversations/gone-{user}")).status_code == 200


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return build(Settings().embedding)


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    home = tmp_path_factory.mktemp("furnished")

    async def work() -> None:
        async with open_house(home, embedder) as house:
            await furnish(house)

    asyncio.run(work())
    return home


@pytest.fixture(scope="module")
def undisturbed(furnished: Path, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each deed leaves when nothing comes between."""
    found = {}
    for name in DEEDS:
        home = tmp_path_factory.mktemp(name)
        shutil.copytree(furnished, home, dirs_exist_ok=True)
        found[name] = asyncio.run(carry_out(home, embedder, name, WHEN))
    return found


async def carry_out(home: Path, embedder: Embedder, deed: str, at: Any) -> dict[str, Any]:
    async with open_house(home, embedder, clock=Clock(at)) as house:
        await DEEDS[deed](house)
        found = contents(house)
    return found | {"traces": sorted(holding(home, word)) if (word := NOTHING_OF.get(deed)) else []}


def contents(house: House) -> dict[str, Any]:
    """Every row: of the living tables, of the logs, of the snapshot that was there before."""
    store = house.service._resources.store
    living = {name: sorted(repr(row) for row in store.rows(kind, None)) for name, kind in KINDS.items()}
    folder = house.home / "snapshots"
    frozen = {one.name: one.shards for one in snapshots.listed(house.home) if one.name in ("one", "two")}
    return {
        "living": living,
        "logs": logged(house.home / LOGS),
        "snapshots": frozen,
        "frozen": {name: table(frozen_root(folder / name, "0") / "tables") for name in frozen},
        "frozen logs": {name: logged(folder / name / LOGS) for name in frozen},
        "drafts": sorted(path.name for path in (*house.home.rglob(".*"),) if path.suffix != ".lock"),
    }


def table(tables: Path) -> dict[str, list[str]]:
    database = lancedb.connect(tables)
    names = sorted(path.stem for path in tables.glob("*.lance"))
    return {name: sorted(map(repr, database.open_table(name).to_arrow().to_pylist())) for name in names}


def logged(logs: Path) -> dict[str, list[str]]:
    files = [path for log in ("turns", "events") for path in day_files(logs, log)]
    return {str(path.relative_to(logs)): sorted(map(repr, pq.read_table(path, partitioning=None).to_pylist())) for path in files}


def holding(home: Path, mark: str) -> set[str]:
    found = set()
    for path in home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            rows = str(pq.read_table(path, partitioning=None).to_pylist()) if data[:4] == b"PAR1" == data[-4:] else ""
            if mark.encode() in data or mark.encode("utf-16-le") in data or mark in rows:
                found.add(str(path.relative_to(home)))
    return found


@pytest.mark.parametrize(("deed", "point"), POINTS)
def test_a_deed_that_was_killed_and_is_done_again_leaves_what_an_undisturbed_one_does(
    deed: str, point: str, furnished: Path, undisturbed: dict[str, Any], embedder: Embedder, tmp_path: Path
) -> None:
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True)
    child = subprocess.run(
        [sys.executable, "-m", "tests.jobs.deed", str(tmp_path), deed, point], cwd=REPO, capture_output=True, timeout=120
    )
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()[-2000:]
    after = asyncio.run(carry_out(tmp_path, embedder, deed, WHEN + timedelta(minutes=1)))
    expected = undisturbed[deed]
    assert expected["traces"] == []
    for part in expected:
        assert after[part] == expected[part], part
