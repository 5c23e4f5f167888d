"""What is deleted leaves the logs too, whatever it meets on its way."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from datetime import timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lake.erasure import drop_sealed, erase_conversation, renew_sealed
from lake.history import sealed_turns
from lake.logs import seal
from lake.parquet import merge
from lake.place import Place
from lake.sql import connect
from lake.store import Drop, Put, ShardStore
from schemas.conversation import Conversation, Event, Feedback
from schemas.turn import Turn
from tests.lake.conftest import NOON, turn
from tests.lake.sealing import LATER, SHANGHAI, change, files, fill, found_in_logs


def test_what_a_user_deletes_leaves_the_logs_and_others_rows_stay(place: Place, store: ShardStore) -> None:
    fill(store)
    store.commit([Put([turn("t1", user="u2", extraction="done", content="bleibt")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert drop_sealed(store, place.logs, "u1", ["t1"]) == 2  # with the thumb on it
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t2"]
    assert found_in_logs(place, "第一句") == []
    assert drop_sealed(store, place.logs, "u1", None) == 3
    assert sealed_turns(store, place.logs, "u1") == []
    assert [row.content for row in sealed_turns(store, place.logs, "u2")] == ["bleibt"]
    assert files(place) == ["turns/date=2026-03-01/shard-0.parquet"]


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
    assert found_in_logs(place, "第一句") == []


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
    assert found_in_logs(place, "第一句") == []
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t2"]


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
        gone = erase_conversation(store, place.logs, "u1", "c1", LATER)
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
            assert found_in_logs(place, "about t2") == found_in_logs(place, "of c1") == []


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
            erase_conversation(store, place.logs, "u1", "c1", LATER)
    assert store.count(Conversation, "u1") == 1
    erase_conversation(store, place.logs, "u1", "c1", LATER)
    assert (store.count(Conversation, "u1"), store.count(Turn, "u1"), sealed_turns(store, place.logs, "u1")) == (0, 0, [])
    assert found_in_logs(place, "第一句") == []


def test_reworded_changes_take_the_place_of_their_sealed_copies_at_once(place: Place, store: ShardStore) -> None:
    late = change("h2", after="忌口 hazelnuts", at=NOON + timedelta(hours=5))  # the next day in Shanghai
    others = [change("h1", user="u2", after="bleibt"), change("h3", after="bleibt auch")]
    store.commit([Put([change("h1", after="忌口 hazelnuts"), late, *others])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert len(found_in_logs(place, "hazelnuts")) == 2
    blanked = [change("h1", after=None), late.but(after=None), change("h9", after=None)]
    assert renew_sealed(store, place.logs, blanked) == 2
    assert found_in_logs(place, "hazelnuts") == []
    rows = [
        row for path in sorted((place.logs / "events").rglob("*.parquet")) for row in pq.read_table(path, partitioning=None).to_pylist()
    ]
    assert [(row["user"], row["id"], row["after"]) for row in rows] == [
        ("u1", "h1", None), ("u1", "h3", "bleibt auch"), ("u2", "h1", "bleibt"), ("u1", "h2", None),
    ]  # fmt: skip


def test_a_rewording_that_is_killed_shows_nowhere_and_is_finished_by_the_next_sealing(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.commit([Put([change("h1", after="hazelnuts")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    store.commit([Put([change("h1", after=None)])]).result()
    with monkeypatch.context() as killed:
        killed.setattr("lake.erasure.replace_file", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            renew_sealed(store, place.logs, [change("h1", after=None)])
    store.flush()
    for view in ("changes", "events"):
        assert connect(place.home).execute(f"SELECT id, \"after\" FROM {view} WHERE id = 'h1'").fetchall() == [("h1", None)]
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert found_in_logs(place, "hazelnuts") == []


def test_what_is_reworded_while_its_file_is_written_is_reworded_there_too(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.commit([Put([change("h1", after="hazelnuts")])]).result()
    blanked = [change("h1", after=None)]
    renewing = threading.Thread(target=renew_sealed, args=(store, place.logs, blanked))

    def reword_meanwhile(*tables: pa.Table) -> pa.Table:
        store.commit([Put(blanked)]).result()
        renewing.start()
        monkeypatch.undo()
        return merge(*tables)

    monkeypatch.setattr("lake.logs.merge", reword_meanwhile)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    renewing.join()
    assert len(list((place.logs / "events").rglob("*.parquet"))) == 1
    assert found_in_logs(place, "hazelnuts") == []
