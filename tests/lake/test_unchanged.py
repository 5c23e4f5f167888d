"""What is written while a sealing looks stays; drafts that a kill left go; what lies in the home is its owner's alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lake.erasure import drop_sealed, erase_user
from lake.logs import seal
from lake.place import Place
from lake.store import Put, ShardStore
from schemas.turn import Turn
from tests.lake.conftest import memory, open_shard, turn
from tests.lake.sealing import LATER, SHANGHAI, files, fill, found_in_logs


def test_a_row_that_changes_between_looking_and_dropping_stays_hot(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    looked = store._applier.settle
    drop = store.drop_unchanged

    def meanwhile(*known: Any) -> int:
        reading: Callable[..., Any] = store.rows

        def rows(*args: Any, **kwargs: Any) -> Any:
            found = reading(*args, **kwargs)
            store.commit([Put([turn("t1", extraction="done", content="第一句", recalled=["m1"], topic="咖啡")])])
            return found

        with monkeypatch.context() as racing:
            racing.setattr(store, "rows", rows)
            return drop(*known)

    monkeypatch.setattr(store, "drop_unchanged", meanwhile)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    looked("turns")
    assert [row.topic for row in store.rows(Turn, "u1", ids=["t1"])] == ["咖啡"]
    assert store.rows(Turn, "u1", ids=["t2"]) == []


def test_a_row_that_waits_to_be_written_when_the_looking_begins_stays_hot(root: Path) -> None:
    with open_shard(root) as store:
        old = turn("t1", extraction="done")
        store.commit([Put([old])]).result()
        for number in range(20):
            store.commit([Put([old.but(topic=str(number))])])  # not waited for
            store.drop_unchanged(Turn, {("u1", "t1"): old})
            assert [row.topic for row in store.rows(Turn, "u1")] == [str(number)]


def leave_draft(place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sealing that is killed when its draft is written and not yet in place."""

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr("lake.parquet.put_in_place", die)
        with pytest.raises(KeyboardInterrupt):
            seal(store, place.logs, before=LATER, zone=SHANGHAI)
    (draft,) = place.logs.rglob(".*.tmp")
    return draft


@pytest.mark.parametrize("what", ["drop_sealed", "erase_user", "seal"])
def test_a_draft_that_a_kill_left_goes_with_the_next_deletion_or_sealing(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    fill(store)
    leave_draft(place, store, monkeypatch)
    assert found_in_logs(place, "第一句")
    if what == "drop_sealed":
        drop_sealed(store, place.logs, "u1", ["t1"])
    elif what == "erase_user":
        erase_user(store, place.logs, "u1")
    else:
        erase_user(store, place.logs, "u2")
        seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert not list(place.logs.rglob(".*.tmp"))
    if what == "seal":
        assert "turns/date=2026-03-01/shard-0.parquet" in files(place)
        assert store.rows(Turn, "u1", ids=["t1", "t2"]) == []
    else:
        assert found_in_logs(place, "第一句") == []
    if what == "drop_sealed":
        assert store.count(Turn, "u1") == 4  # the hot rows are the caller's to drop: sweeping a draft loses none


def test_another_shards_draft_is_not_ours_to_sweep(place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    draft = leave_draft(place, store, monkeypatch)
    with open_shard(place.shard(1)) as other:
        drop_sealed(other, place.logs, "u1", None)
    assert draft.exists()


def test_every_file_of_the_lake_is_its_owners_alone(place: Place, store: ShardStore) -> None:
    fill(store)
    store.commit([Put([memory("m1", vector=[0.5] * 8)])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    store.maintain(purge=True)
    store.flush()
    open_to_others = [str(path) for path in place.home.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert open_to_others == []
