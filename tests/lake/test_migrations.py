from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import ClassVar

import lancedb
import pyarrow as pa
import pytest

from lake.migrations import MIGRATIONS, conform, fill, lift, rename
from lake.store import Put
from lake.tables import KINDS
from schemas.errors import LaomaError
from schemas.memory import Memory
from schemas.record import Moment, Record, arrow_schema
from schemas.turn import Turn
from tests.lake.conftest import DIM, NOON, memory, open_shard, turn


class Note(Record):
    """Version 1 said ``body`` for ``text`` and had no ``mood``; version 2 had no ``mood``."""

    TABLE: ClassVar[str] = "notes"
    VERSION: ClassVar[int] = 3

    text: str
    mood: str
    stars: int = 5
    at: Moment | None = None


@pytest.fixture(autouse=True)
def notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "notes", Note)
    monkeypatch.setitem(MIGRATIONS, "notes", [rename("body", "text"), fill("mood", "calm")])


def older_lake(root: Path, version: int, data: dict[str, list[object]], name: str = "notes") -> None:
    table = pa.table(data).replace_schema_metadata({"laoma.table": name, "laoma.version": str(version)})
    lancedb.connect(root / "tables").create_table(name, table)


def test_a_lake_of_the_first_version_reads_and_writes_after_opening(root: Path) -> None:
    older_lake(root, 1, {"id": ["n1"], "user": ["u1"], "body": ["旧文"], "schema_version": [1], "gone": ["x"]})
    with open_shard(root) as store:
        assert store.rows(Note, "u1") == [Note(id="n1", user="u1", text="旧文", mood="calm")]
        store.commit([Put([Note(id="n2", user="u1", text="new", mood="glad", stars=3, at=NOON)])]).result()
        assert store.count(Note, "u1") == 2
    table = lancedb.connect(root / "tables").open_table("notes")
    assert table.schema == arrow_schema(Note, DIM)
    assert table.schema.metadata[b"laoma.version"] == b"3"


def test_a_lifted_lake_is_not_lifted_again(root: Path) -> None:
    older_lake(root, 2, {"id": ["n1"], "user": ["u1"], "text": ["x"]})
    with open_shard(root) as store:
        version = store.stats().tables["notes"].version
    with open_shard(root) as store:
        assert store.stats().tables["notes"].version == version
        assert store.rows(Note, "u1")[0].mood == "calm"


def test_rows_that_wait_in_the_journal_in_an_older_shape_are_lifted_too(root: Path) -> None:
    open_shard(root).close()
    payload = json.dumps({"rows": [{"id": "n1", "user": "u1", "body": "旧文"}], "vectors": {}})
    with sqlite3.connect(root / "journal.sqlite") as db:
        db.execute("INSERT INTO entries (name, version, payload) VALUES ('notes', 1, ?)", (payload,))
    with open_shard(root) as store:
        assert store.rows(Note, "u1") == [Note(id="n1", user="u1", text="旧文", mood="calm")]


def test_added_columns_with_a_default_need_no_step(root: Path) -> None:
    with open_shard(root) as store:
        store.commit([Put([turn("t1")]), Put([memory("m1", vector=[1.0] + [0.0] * (DIM - 1))])]).result()
    db = lancedb.connect(root / "tables")
    db.open_table("turns").drop_columns(["parent", "interrupted", "recalled"])
    db.open_table("memories").drop_columns(["subject", "access_count"])
    with sqlite3.connect(root / "journal.sqlite") as journal:
        journal.execute("DELETE FROM hardened")
        journal.execute("DELETE FROM facts")
    with open_shard(root) as store:
        assert store.rows(Turn, "u1") == [turn("t1")]
        assert store.rows(Memory, "u1", vectors=True) == [memory("m1", vector=[1.0] + [0.0] * (DIM - 1))]


def test_a_lake_newer_than_the_code_is_refused_with_one_clear_line(root: Path) -> None:
    older_lake(root, 4, {"id": ["n1"], "user": ["u1"], "text": ["x"]})
    with pytest.raises(LaomaError, match="install the newer release") as refusal:
        open_shard(root)
    assert "\n" not in str(refusal.value)
    assert refusal.value.code == "lake_newer"


def test_a_missing_step_is_named(root: Path) -> None:
    del MIGRATIONS["notes"][1]
    older_lake(root, 1, {"id": ["n1"], "user": ["u1"], "body": ["x"]})
    with pytest.raises(LaomaError, match="no migration of table 'notes' from shape 1 to 3"):
        open_shard(root)


def test_steps_run_from_the_stored_version_on() -> None:
    data = pa.table({"text": ["x"]})
    assert lift("notes", 2, 3, data).column_names == ["text", "mood"]
    assert lift("notes", 3, 3, data).column_names == ["text"]


def test_nulls_where_today_a_value_is_needed_become_the_default() -> None:
    data = pa.table({"id": ["n1"], "user": ["u"], "text": ["x"], "mood": ["y"], "stars": pa.array([None], pa.int64())})
    assert conform(data, Note, DIM)["stars"].to_pylist() == [5]
