"""Sealing looks at what is new or changed since it was copied, and at nothing else; what failed is not sealed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq
import pytest

from lake.erasure import drop_sealed, erase_user
from lake.history import sealed_turns
from lake.logs import seal
from lake.migrations import MIGRATIONS, rename
from lake.place import Place
from lake.sql import connect
from lake.store import Put, ShardStore
from schemas.memory import Change
from schemas.record import arrow_schema
from schemas.turn import Turn
from tests.lake.conftest import open_shard, turn
from tests.lake.sealing import LATER, SHANGHAI, change, fill, found_in_logs


def reads(store: ShardStore, place: Place, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the changes that a sealing reads."""
    seen: list[str] = []
    real = store.rows

    def rows(kind: Any, *args: Any, **kwargs: Any) -> Any:
        found = real(kind, *args, **kwargs)
        seen.extend(row.id for row in found if kind is Change)
        return found

    with monkeypatch.context() as watched:
        watched.setattr(store, "rows", rows)
        seal(store, place.logs, before=LATER, zone=SHANGHAI)
    return sorted(set(seen))


def sealed_changes(place: Place) -> list[str]:
    return sorted(
        row["id"] for path in (place.logs / "events").rglob("*.parquet") for row in pq.read_table(path, partitioning=None).to_pylist()
    )


def test_a_sealing_reads_only_the_history_that_is_new_or_changed(place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    assert reads(store, place, monkeypatch) == ["h1"]
    assert reads(store, place, monkeypatch) == []
    store.commit([Put([change("h2")])]).result()
    assert reads(store, place, monkeypatch) == ["h2"]
    store.commit([Put([change("h1", after=None)])]).result()
    assert reads(store, place, monkeypatch) == ["h1"]
    assert reads(store, place, monkeypatch) == []
    assert {"h1", "h2"} <= set(sealed_changes(place))


def test_what_is_owed_survives_a_restart_and_what_an_older_release_wrote_is_found(place: Place) -> None:
    root = place.shard(0)
    with open_shard(root) as store:
        store.commit([Put([change("h1"), change("late", at=LATER)])]).result()
        store._journal._db.execute("DELETE FROM owed")  # as an older release leaves it
    with open_shard(root) as store:
        seal(store, place.logs, before=LATER, zone=SHANGHAI)
        store.commit([Put([change("h2")])]).result()
    with open_shard(root) as store:
        seal(store, place.logs, before=LATER.replace(year=2027), zone=SHANGHAI)
    assert sealed_changes(place) == ["h1", "h2", "late"]


def test_a_change_that_is_written_while_it_is_copied_is_owed_again(
    place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    real = store.owed.paid

    def meanwhile(*paid: Any) -> None:
        store.commit([Put([change("h1", after="y")])]).result()
        real(*paid)

    with monkeypatch.context() as racing:
        racing.setattr(store.owed, "paid", meanwhile)
        seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert "h1" in reads(store, place, monkeypatch)


def test_a_damaged_day_gets_its_history_back(place: Place, store: ShardStore) -> None:
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    for path in (place.logs / "events").rglob("*.parquet"):
        path.write_bytes(b"")
    store.commit([Put([change("h2")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert {"h1", "h2", "f1"} <= set(sealed_changes(place))


def test_who_is_erased_is_owed_nothing(place: Place, store: ShardStore) -> None:
    store.commit([Put([change("h1", user="Zulu7719qx")])]).result()
    erase_user(store, place.logs, "Zulu7719qx")
    store.maintain(purge=True)
    assert not [path for path in place.home.rglob("*") if path.is_file() and b"Zulu7719qx" in path.read_bytes()]


def test_a_failed_turn_stays_until_it_is_settled_or_given_up(place: Place, store: ShardStore) -> None:
    store.commit([Put([turn("t1", extraction="failed"), turn("t2", extraction="given_up", extraction_note="ValueError: a bug")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    assert [row.id for row in store.rows(Turn, "u1")] == ["t1"]
    assert [row.extraction_note for row in sealed_turns(store, place.logs, "u1")] == ["ValueError: a bug"]


@pytest.fixture
def old_files(place: Place, store: ShardStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Days that a release wrote when ``content`` was called ``said``; today's is the second shape. The hot table stays of the first."""
    fill(store)
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    for path in (place.logs / "turns").rglob("*.parquet"):
        data = pq.read_table(path, partitioning=None)
        assert data.schema.metadata[b"laoma.version"] == b"1"
        names = ["said" if name == "content" else name for name in data.column_names if name != "extraction_note"]
        pq.write_table(data.drop_columns(["extraction_note"]).rename_columns(names), path)
    monkeypatch.setitem(MIGRATIONS, "turns", [rename("said", "content")])
    with monkeypatch.context() as newer:
        newer.setattr(Turn, "VERSION", 2)
        arrow_schema.cache_clear()
        yield
    arrow_schema.cache_clear()


@pytest.mark.usefixtures("old_files")
def test_an_old_file_is_read_asked_in_sql_and_cleaned_in_todays_shape(place: Place, store: ShardStore) -> None:
    assert [row.content for row in sealed_turns(store, place.logs, "u1", conversation="c1")] == ["第一句", "你好"]
    sealed = connect_sealed(place)
    assert sealed == [("t1", "第一句"), ("t2", "你好")]
    assert drop_sealed(store, place.logs, "u1", ["t1"]) == 2  # with the thumb that was given for it
    assert found_in_logs(place, "第一句") == []
    assert [row.id for row in sealed_turns(store, place.logs, "u1")] == ["t2"]


def connect_sealed(place: Place) -> list[Any]:
    return connect(place.home).execute("SELECT id, content FROM turns WHERE id IN ('t1', 't2') ORDER BY id").fetchall()


@pytest.mark.usefixtures("old_files")
def test_a_late_row_joins_an_old_file_which_is_then_of_todays_shape(place: Place, store: ShardStore) -> None:
    store.commit([Put([turn("t9", extraction="done", content="迟到")])]).result()
    seal(store, place.logs, before=LATER, zone=SHANGHAI)
    path = place.logs / "turns/date=2026-03-01/shard-0.parquet"
    assert pq.read_schema(path).metadata[b"laoma.version"] == b"2"
    assert {"第一句", "迟到"} <= {row.content for row in sealed_turns(store, place.logs, "u1")}
