from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lake.erasure import drop_sealed, erase_conversation
from lake.history import sealed_turns
from lake.logs import seal
from lake.parquet import merge, replace_file
from lake.place import Place
from lake.sql import connect
from lake.store import Drop, Put, ShardStore
from schemas.conversation import Conversation, Event, Feedback
from schemas.errors import Fenced, Unavailable
from schemas.memory import Change, Memory
from schemas.settings import Lake
from schemas.turn import Turn
from tests.lake.conftest import NOON, memory, open_shard, turn

SHANGHAI = ZoneInfo("Asia/Shanghai")
LATER = NOON + timedelta(days=10)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "home")
    place.create()
    return place


@pytest.fixture
def store(place: Place) -> Iterator[ShardStore]:
    with open_shard(place.shard(0)) as opened:
        yield opened


def change(row_id: str, **more: object) -> Change:
    fields = {"id": row_id, "user": "u1", "memory": "m1", "at": NOON, "action": "create", "after": "x", "reason": "r", "actor": "rule"}
    return Change.model_validate({**fields, **more})


def fill(store: ShardStore) -> None:
    store.commit(
        [
            Put([turn("t1", extraction="done", content="第一句", recalled=["m1"]), turn("t2", extraction="skipped", minutes=5 * 60)]),
            Put([turn("t3", extraction="pending"), turn("t4", extraction="done", minutes=60 * 24 * 30)]),
            Put([Event(id="e1", user="u1", at=NOON, kind="recall", detail='{"n": 1}')]),
            Put([Feedback(id="f1", user="u1", at=NOON, turn="t1", signal="down")]),
            Put([change("h1")]),
        ]
    ).result()


def files(place: Place) -> list[str]:
    return sorted(str(path.relative_to(place.logs)) for path in place.logs.rglob("*") if path.is_file())


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


@pytest.mark.parametrize("step", ["lake.durable.os.replace", "lake.logs._drop_unchanged", "lake.parquet.pq.write_table"])
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


def test_any_duckdb_reads_the_parquet_alone(place: Place, store: ShardStore) -> None:
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    plain = duckdb.connect()
    plain.execute("SET TimeZone = 'UTC'")
    source = f"read_parquet('{place.logs}/turns/*/*.parquet', hive_partitioning=true)"
    turns = plain.execute(f'SELECT id, content, "at", recalled, date FROM {source} ORDER BY id').fetchall()
    assert [(row[0], row[1], row[2].isoformat(), row[3], str(row[4])) for row in turns] == [
        ("t1", "第一句", "2026-03-01T12:00:00+00:00", ["m1"], "2026-03-01"),
        ("t2", "你好", "2026-03-01T17:00:00+00:00", [], "2026-03-02"),
    ]
    kinds = plain.execute(f"SELECT kind, count(*) FROM read_parquet('{place.logs}/events/**/*.parquet') GROUP BY 1 ORDER BY 1").fetchall()
    assert kinds == [("change", 1), ("feedback", 1), ("recall", 1)]
    metadata = pq.ParquetFile(next((place.logs / "turns").rglob("*.parquet"))).metadata
    assert metadata.row_group(0).column(0).compression == "ZSTD"


def test_what_a_user_deletes_leaves_the_logs_and_others_rows_stay(place: Place, store: ShardStore) -> None:
    fill(store)
    store.commit([Put([turn("t1", user="u2", extraction="done", content="bleibt")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert drop_sealed(store, place.logs, "u1", ["t1"]) == 2  # with the thumb on it
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t2"]
    assert not [path for path in place.logs.rglob("*.parquet") if "第一句".encode() in path.read_bytes()]
    assert drop_sealed(store, place.logs, "u1", None) == 3
    assert sealed_turns(store, place.logs, "u1") == []
    assert [row.content for row in sealed_turns(store, place.logs, "u2")] == ["bleibt"]
    assert files(place) == ["turns/date=2026-03-01/shard-0.parquet"]


def test_views_join_sealed_and_hot_rows_of_all_shards(place: Place, store: ShardStore) -> None:
    fill(store)
    store.commit([Put([memory("m1", vector=[1.0] + [0.0] * 7)])]).result()
    with open_shard(place.shard(1)) as other:
        other.commit([Put([turn("t9", user="u9")]), Put([memory("m9", user="u9")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    store.flush()
    lake = connect(place.home)
    assert lake.execute('SELECT "user", count(*) FROM turns GROUP BY 1 ORDER BY 1').fetchall() == [("u1", 4), ("u9", 1)]
    assert lake.execute("SELECT kind, count(*) FROM events GROUP BY 1 ORDER BY 1").fetchall() == [
        ("change", 1),
        ("feedback", 1),
        ("recall", 1),
    ]
    assert lake.execute("SELECT id, action FROM changes").fetchall() == [("h1", "create")]
    assert lake.execute("SELECT id, signal FROM feedback").fetchall() == [("f1", "down")]
    assert lake.execute("SELECT id, text FROM memories ORDER BY id").fetchall() == [("m1", "喝咖啡不加糖"), ("m9", "喝咖啡不加糖")]


def test_times_are_shown_in_the_users_zone(place: Place, store: ShardStore) -> None:
    place.config.write_text("zone: America/New_York\n", encoding="utf-8")
    fill(store)
    store.flush()
    lake = connect(place.home)
    assert lake.execute("SELECT CAST(\"at\" AS VARCHAR) FROM turns WHERE id = 't1'").fetchall() == [("2026-03-01 07:00:00-05",)]
    (moment,) = lake.execute("SELECT \"at\" FROM turns WHERE id = 't1'").fetchall()[0]
    assert moment == datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_an_empty_lake_has_the_views_and_no_rows(tmp_path: Path) -> None:
    lake = connect(tmp_path / "nothing-here")
    views = {row[0] for row in lake.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()}
    assert views >= {"turns", "events", "memories", "changes", "conversations", "feedback", "consents", "tombstones"}
    for view in views:
        assert lake.execute(f"SELECT * FROM {view}").fetchall() == []
    columns = [row[0] for row in lake.execute("DESCRIBE memories").fetchall()]
    assert columns == [name for name in Memory.model_fields if name != "vector"]


def test_sql_reads_no_file_and_writes_none(place: Place, store: ShardStore) -> None:
    lake = connect(place.home)
    for query in (
        f"COPY turns TO '{place.logs}/x.parquet'",
        "SELECT * FROM read_csv('/etc/passwd')",
        f"ATTACH '{place.home}/x.db'",
        "SET enable_external_access = true",
    ):
        with pytest.raises(duckdb.Error):
            lake.execute(query)
    assert not list(place.logs.rglob("x*"))


def test_a_dropped_user_is_gone_from_the_hot_views(place: Place, store: ShardStore) -> None:
    fill(store)
    store.commit([Drop(Turn, "u1", None)]).result()
    store.flush()
    assert connect(place.home).execute("SELECT count(*) FROM turns").fetchall() == [(0,)]


def test_the_same_id_of_two_users_is_sealed_into_the_day_of_each(place: Place, store: ShardStore) -> None:
    store.commit([Put([turn("t1", extraction="done"), turn("t1", user="u2", extraction="done", minutes=60 * 24)])]).result()
    assert str(seal(store, place.logs, before=LATER, zone=SHANGHAI)) == "sealed 2 turns and 0 events in 2 files"
    assert [len(sealed_turns(store, place.logs, user)) for user in ("u1", "u2")] == [1, 1]
    assert store.count(Turn, None) == 0


def bytes_in_logs(place: Place, word: str) -> list[Path]:
    return [path for path in place.logs.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_what_is_deleted_after_the_days_were_listed_gets_into_no_file(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    owning = store.owning

    def delete_first() -> AbstractContextManager[None]:
        store.commit([Drop(Turn, "u1", ["t1"])]).result()
        return owning()

    monkeypatch.setattr(store, "owning", delete_first)
    assert seal(store, place.logs, before=LATER, zone=SHANGHAI).turns == 1
    assert bytes_in_logs(place, "第一句") == []


def test_what_is_deleted_while_its_file_is_written_is_taken_out_again(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    cleaning = threading.Thread(target=drop_sealed, args=(store, place.logs, "u1", ["t1"]))

    def delete_meanwhile(*tables: pa.Table) -> pa.Table:
        if not cleaning.is_alive():
            store.commit([Drop(Turn, "u1", ["t1"])]).result()
            cleaning.start()
        monkeypatch.undo()
        return merge(*tables)

    monkeypatch.setattr("lake.logs.merge", delete_meanwhile)
    assert seal(store, place.logs, before=LATER, zone=SHANGHAI).turns == 2
    cleaning.join()
    assert bytes_in_logs(place, "第一句") == []
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t2"]


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


def test_deleting_a_conversation_takes_what_was_noted_about_it_and_leaves_the_rest(place: Place, store: ShardStore) -> None:
    fill(store)
    kept = [turn("x1", conversation="c2", extraction="done"), turn("x2", user="u2", extraction="done")]
    talks = [Conversation(id=name, user=user, opened_at=NOON, last_at=NOON) for name, user in (("c1", "u1"), ("c2", "u1"), ("c1", "u2"))]
    store.commit([Put(kept), Put(talks)]).result()
    notes = [
        Event(id="e2", user="u1", at=NOON, kind="recall", conversation="c1", detail="of c1"),
        Event(id="e3", user="u1", at=NOON, kind="recall", turn="t2", detail="of t2"),
        Event(id="e4", user="u1", at=NOON, kind="recall", conversation="c2", turn="x1", detail="of c2"),
        Event(id="e5", user="u2", at=NOON, kind="recall", conversation="c1", detail="of u2"),
    ]
    thumbs = [
        Feedback(id=f"f-{name}", user="u1", at=NOON, turn=name, signal="down", comment=f"about {name}") for name in ("t2", "t4", "x1")
    ]
    store.commit([Put(notes), Put(thumbs), Put([change("h2", turn="t1")])]).result()
    for sealed_before in (True, False):
        if sealed_before:
            seal(store, place.logs, before=LATER, zone=SHANGHAI)
        else:
            store.commit([Put(talks[:1]), Put(notes), Put(thumbs), Put([turn("t7")])]).result()
        gone = erase_conversation(store, place.logs, "u1", "c1")
        assert sorted(gone) == (["t1", "t2", "t3", "t4"] if sealed_before else ["t7"])
        store.flush()
        lake = connect(place.home)
        assert lake.execute("SELECT id FROM turns ORDER BY id").fetchall() == [("x1",), ("x2",)]
        left = lake.execute("SELECT id FROM events WHERE kind = 'recall' ORDER BY id").fetchall()
        assert left == [("e1",), ("e4",), ("e5",)] if sealed_before else [("e1",), ("e3",), ("e4",), ("e5",)]
        assert lake.execute("SELECT id FROM feedback WHERE id != 'f-t4' AND id != 'f-t2' ORDER BY id").fetchall() == [("f-x1",)]
        assert lake.execute("SELECT id FROM changes ORDER BY id").fetchall() == [("h1",), ("h2",)]
        assert sorted((row.user, row.id) for row in store.rows(Conversation, None)) == [("u1", "c2"), ("u2", "c1")]
        if sealed_before:
            assert bytes_in_logs(place, "about t2") == bytes_in_logs(place, "of c1") == []


@pytest.mark.parametrize("step", ["lake.erasure.drop_sealed", "lake.erasure.replace_file"])
def test_a_deletion_that_is_killed_is_finished_by_deleting_again(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    fill(store)
    store.commit([Put([Conversation(id="c1", user="u1", opened_at=NOON, last_at=NOON)])]).result()
    store.commit([Put([turn("x1", user="u2", extraction="done")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(step, die)
        with pytest.raises(KeyboardInterrupt):
            erase_conversation(store, place.logs, "u1", "c1")
    assert store.count(Conversation, "u1") == 1
    erase_conversation(store, place.logs, "u1", "c1")
    assert (store.count(Conversation, "u1"), store.count(Turn, "u1"), sealed_turns(store, place.logs, "u1")) == (0, 0, [])
    assert bytes_in_logs(place, "第一句") == []


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
