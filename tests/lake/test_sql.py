"""DuckDB over the lake: views of sealed and hot rows."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from lake.logs import seal
from lake.place import Place
from lake.sql import connect
from lake.store import Drop, Put, ShardStore
from schemas.memory import Memory
from schemas.turn import Turn
from tests.lake.conftest import memory, open_shard, turn
from tests.lake.sealing import LATER, SHANGHAI, fill


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
