"""Sealing: old rows move to the day files, once, and read back equal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pyarrow.parquet as pq
import pytest

from lake.history import sealed_turns
from lake.logs import seal
from lake.parquet import replace_file
from lake.place import Place
from lake.sql import connect
from lake.store import Put, ShardStore
from schemas.conversation import Event
from schemas.memory import Change
from schemas.turn import Turn
from tests.lake.conftest import NOON, turn
from tests.lake.sealing import LATER, SHANGHAI, change, files, fill


def test_settled_old_turns_move_to_the_day_they_have_in_the_users_zone(place: Place, store: ShardStore) -> None:
    fill(store)
    report = seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert str(report) == "sealed 2 turns and 3 events in 3 files"
    assert files(place) == [  # 12:00 UTC is 20:00 in Shanghai, 17:00 UTC the next day
        "events/date=2026-03-01/shard-0.parquet",
        "turns/date=2026-03-01/shard-0.parquet",
        "turns/date=2026-03-02/shard-0.parquet",
    ]
    assert sorted(row.id for row in store.rows(Turn, "u1")) == ["t3", "t4"]
    assert store.rows(Event, "u1") == []
    assert [row.id for row in store.rows(Change, "u1")] == ["h1"]


def test_sealed_turns_read_back_equal_by_id_conversation_and_time(place: Place, store: ShardStore) -> None:
    fill(store)
    before = store.rows(Turn, "u1", ids=["t1", "t2"])
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    everything = sealed_turns(store, place.logs, "u1")
    assert everything == sorted(before, key=lambda row: row.at)
    assert [row.id for row in sealed_turns(store, place.logs, "u1", ids=["t2", "t99"])] == ["t2"]
    assert sealed_turns(store, place.logs, "u1", ids=[]) == []
    assert [row.id for row in sealed_turns(store, place.logs, "u1", conversation="c1")] == ["t1", "t2"]
    assert [row.id for row in sealed_turns(store, place.logs, "u1", since=NOON + timedelta(minutes=1))] == ["t2"]
    assert [row.id for row in sealed_turns(store, place.logs, "u1", until=NOON + timedelta(hours=5))] == ["t1"]
    assert sealed_turns(store, place.logs, "u2") == []


def test_sealing_again_seals_nothing_twice_and_late_rows_join_their_day(place: Place, store: ShardStore) -> None:
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert str(seal(store, place.logs, before=LATER, zone=SHANGHAI)) == "sealed 0 turns and 0 events in 0 files"
    store.commit([Put([turn("t5", extraction="done", minutes=1)])]).result()
    assert seal(store, place.logs, before=LATER, zone=SHANGHAI).turns == 1
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t1", "t5", "t2"]
    assert len(files(place)) == 3


@pytest.mark.parametrize("step", ["lake.durable.os.replace", "lake.store.ShardStore.drop_unchanged", "lake.parquet.pq.write_table"])
def test_a_sealing_that_is_killed_is_finished_by_the_next_and_every_row_shows_once(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    fill(store)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(step, die)
        with pytest.raises(KeyboardInterrupt):
            seal(store, place.logs, before=LATER, zone=SHANGHAI)
    shown = connect(place.home).execute("SELECT id FROM turns ORDER BY id").fetchall()
    assert [row[0] for row in shown] == ["t1", "t2", "t3", "t4"]
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert sorted(row.id for row in [*sealed_turns(store, place.logs, "u1"), *store.rows(Turn, "u1")]) == ["t1", "t2", "t3", "t4"]
    assert not [name for name in files(place) if "tmp" in name]


def test_a_row_that_changed_while_it_was_sealed_stays_hot(place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)

    def meanwhile(*where: Any) -> None:
        replace_file(*where)
        store.commit([Put([turn("t1", extraction="done", content="第一句", recalled=["m1"], topic="咖啡")])])

    with monkeypatch.context() as racing:
        racing.setattr("lake.logs.replace_file", meanwhile)
        seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert [row.topic for row in store.rows(Turn, "u1", ids=["t1"])] == ["咖啡"]
    assert connect(place.home).execute("SELECT topic FROM turns WHERE id = 't1'").fetchall() == [("咖啡",)]
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert [row.topic for row in sealed_turns(store, place.logs, "u1", ids=["t1"])] == ["咖啡"]


def test_a_history_that_was_blanked_is_blanked_in_the_logs_too(place: Place, store: ShardStore) -> None:
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    store.commit([Put([change("h1", after=None)])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    (path,) = (place.logs / "events").rglob("*.parquet")
    assert [row["after"] for row in pq.read_table(path, partitioning=None).to_pylist() if row["id"] == "h1"] == [None]


def test_the_same_id_of_two_users_is_sealed_into_the_day_of_each(place: Place, store: ShardStore) -> None:
    store.commit([Put([turn("t1", extraction="done"), turn("t1", user="u2", extraction="done", minutes=60 * 24)])]).result()
    assert str(seal(store, place.logs, before=LATER, zone=SHANGHAI)) == "sealed 2 turns and 0 events in 2 files"
    assert [len(sealed_turns(store, place.logs, user)) for user in ("u1", "u2")] == [1, 1]
    assert store.count(Turn, None) == 0
