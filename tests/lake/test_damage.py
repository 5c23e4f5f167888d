"""Files that are broken, or somebody else's: they cost their own rows and nobody else's."""

from __future__ import annotations

import errno
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lake.erasure import drop_sealed, erase_user
from lake.history import sealed_turns
from lake.logs import seal
from lake.place import Place
from lake.sql import connect
from lake.store import Put, ShardStore
from schemas.errors import Fenced, Unavailable
from schemas.settings import Lake
from tests.lake.conftest import open_shard, turn
from tests.lake.sealing import LATER, SHANGHAI, files, fill


def damage(path: Path, how: str) -> None:
    whole = path.read_bytes()
    path.write_bytes(
        {"empty": b"", "cut": whole[: len(whole) // 2], "other": b"PAR1 no more", "rotten": whole[:4] + bytes(200) + whole[204:]}[how]
    )


@pytest.mark.parametrize("how", ["empty", "cut", "other", "rotten"])
def test_a_damaged_day_costs_its_own_rows_and_is_counted(place: Place, store: ShardStore, how: str) -> None:
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    bad = place.logs / "turns/date=2026-03-01/shard-0.parquet"
    damage(bad, how)
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t2"]
    assert store.stats().damaged_files == 1
    if how != "rotten":
        assert connect(place.home).execute("SELECT id FROM turns ORDER BY id").fetchall() == [("t2",), ("t3",), ("t4",)]
    assert drop_sealed(store, place.logs, "u1", ["t2"]) == 1
    before = bad.read_bytes()
    store.commit([Put([turn("t6", extraction="done")])]).result()
    assert seal(store, place.logs, before=LATER, zone=SHANGHAI).turns == 1
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t6"]
    assert bad.with_suffix(".1.damaged").read_bytes() == before
    assert store.stats().damaged_files == 1
    with pytest.MonkeyPatch.context() as later:
        later.setattr(store, "_damaged", set())
        seal(store, place.logs, before=LATER, zone=SHANGHAI)
        assert store.stats().damaged_files == 1


def test_a_shard_reads_and_rewrites_its_own_files_alone(place: Place, store: ShardStore) -> None:
    fill(store)
    with open_shard(place.shard(1)) as other:
        other.commit([Put([turn("t1", extraction="done", content="第二片")])]).result()
        seal(other, place.logs, before=LATER, zone=SHANGHAI)
        seal(store, place.logs, before=LATER, zone=SHANGHAI)
        assert [row.content for row in sealed_turns(other, place.logs, "u1")] == ["第二片"]
        assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t1", "t2"]
        damage(place.logs / "turns/date=2026-03-01/shard-1.parquet", "empty")
        assert len(sealed_turns(store, place.logs, "u1")) == 2
        assert (drop_sealed(store, place.logs, "u1", None), store.stats().damaged_files) == (5, 0)


def test_a_former_owner_replaces_no_log_file(place: Place) -> None:
    former = open_shard(place.shard(0), settings=Lake(apply_every_ms=60_000, lease_s=0.2))
    fill(former)
    with pytest.raises(Unavailable), former.owning():  # the newcomer waits in vain while a file may be under way
        open_shard(place.shard(0), settings=Lake(lease_s=0.1))
    for work in (
        lambda: seal(former, place.logs, before=LATER, zone=SHANGHAI),
        lambda: drop_sealed(former, place.logs, "u1", None),
    ):
        (place.logs / "turns/date=2026-03-01").mkdir(parents=True, exist_ok=True)
        (place.logs / "turns/date=2026-03-01/shard-0.parquet").write_bytes(b"the new owner's")
        with pytest.raises(Fenced):
            work()
        assert files(place) == ["turns/date=2026-03-01/shard-0.parquet"]
    former.close()


@pytest.mark.parametrize("how", ["empty", "cut", "other", "rotten"])
def test_an_erasure_takes_what_can_not_be_read_and_the_others_history_is_copied_anew(place: Place, store: ShardStore, how: str) -> None:
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    aside, bad = place.logs / "turns/date=2026-03-01/shard-0.1.damaged", place.logs / "events/date=2026-03-01/shard-0.parquet"
    bad.with_name("shard-0.7.damaged").write_bytes(b"set aside by an earlier process")
    bad.with_name("shard-1.1.damaged").write_bytes(b"another shard's")
    aside.write_bytes(b"Zulu7719qx")
    damage(bad, how)
    erase_user(store, place.logs, "u2")
    assert [name for name in files(place) if "damaged" in name or "events" in name] == ["events/date=2026-03-01/shard-1.1.damaged"]
    assert store.stats().damaged_files == 0
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t1", "t2"]
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    kinds = [row["kind"] for row in pq.read_table(bad, partitioning=None).to_pylist()]
    assert sorted(kinds) == ["change", "feedback"]


def test_an_erasure_is_not_done_while_the_disk_keeps_a_file_from_being_read(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    before = files(place)

    def fails(*_: object) -> object:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr("lake.erasure.read_file", fails)
        disk.setattr("lake.damaged.read_file", fails)
        with pytest.raises(Unavailable, match="erase again"):
            erase_user(store, place.logs, "u1")
    assert files(place) == before
    erase_user(store, place.logs, "u1")
    assert files(place) == []
