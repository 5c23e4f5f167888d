"""One bad row costs itself: it is refused before it is written, and one that got in all the same is set aside."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from lake.apply import apply
from lake.sifting import lies_in_rows, sift
from lake.store import Drop, Put, ShardStore
from lake.writes import Folded, encode
from schemas.conversation import Conversation
from schemas.errors import InvalidRequest, Unavailable
from schemas.memory import Memory
from schemas.record import Record
from schemas.settings import Lake
from schemas.turn import Turn, TurnVector
from tests.lake.conftest import DIM, EMBEDDER, NOON, memory, open_shard, turn

SLOW = Lake(apply_every_ms=60_000, apply_rows=100_000)


def forged(row: Record, **fields: object) -> Record:
    """A row with fields that no validation saw."""
    return row.model_copy(update=fields)


def talk() -> Conversation:
    return Conversation(id="c1", user="u1", opened_at=NOON, last_at=NOON)


def vector(values: list[Any]) -> Record:
    return forged(TurnVector(id="t1", user="u1", embedder=EMBEDDER, vector=[0.0] * DIM), vector=values)


@pytest.mark.parametrize(
    "row",
    [
        forged(turn("bad"), prompt_tokens=2**70),
        forged(turn("bad"), prompt_tokens="many"),
        forged(turn("bad"), content=None),
        forged(turn("bad"), content=b"\xff\xfe"),
        forged(turn("bad"), recalled=[3]),
        forged(turn("bad"), total_ms=float("inf")),
        forged(memory("bad"), created_at=None),
        forged(talk(), centroid=[float("nan")]),
        forged(talk(), centroid=[None]),
        vector([float("nan")] * DIM),
        vector([1e39] * DIM),
        vector([None] * DIM),
    ],
    ids=lambda row: "",
)
def test_a_row_that_no_table_holds_is_refused_with_all_of_its_commit(store: ShardStore, row: Record) -> None:
    with pytest.raises(InvalidRequest, match="can't be stored"):
        store.commit([Put([turn("beside")]), Put([row])]).result()
    store.commit([Put([turn("t1")])]).result()
    assert [found.id for found in store.rows(Turn, "u1")] == ["t1"]
    assert store.stats().quarantined == 0


def smuggle(root: Path, *entries: Any) -> None:
    """Journal entries that an owner without today's checks left behind."""
    journal = sqlite3.connect(root / "journal.sqlite")
    with journal:
        for entry in entries:
            row = (entry.table, entry.version, entry.payload)
            journal.execute("INSERT INTO entries (name, version, payload) VALUES (?, ?, ?)", row)
    journal.close()


def test_a_shard_opens_with_a_bad_row_in_its_journal_and_all_the_others_are_there(root: Path) -> None:
    open_shard(root).close()
    bad = vector([float("nan")] * DIM)
    good = [encode(Put([turn(f"t{n}")])) for n in range(5)]
    smuggle(root, *good[:3], encode(Put([bad])), *good[3:], encode(Put([forged(turn("t9"), prompt_tokens=2**70)])))
    for _ in range(2):
        with open_shard(root) as store:
            assert sorted(row.id for row in store.rows(Turn, "u1")) == ["t0", "t1", "t2", "t3", "t4"]
            assert store.count(TurnVector, "u1") == 0
            assert (store.stats().journal, store.stats().quarantined) == (0, 2)


def test_a_running_shard_sets_a_refused_row_aside_and_goes_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_shard(root, settings=SLOW) as store:
        monkeypatch.setattr("lake.store.checked", lambda write: write)
        bad = forged(turn("bad"), prompt_tokens=2**70)
        store.commit([Put([turn("t1")]), Put([bad]), Put([memory("m1")])]).result()
        store.commit([Put([turn("t2")]), Drop(Turn, "u1", ["t1"])]).result()
        assert [row.id for row in store.rows(Turn, "u1")] == ["t2"]
        assert [row.id for row in store.rows(Memory, "u1")] == ["m1"]
        store.flush()
        assert (store.stats().journal, store.stats().quarantined, store.stats().failure) == (0, 1, None)
    aside = sqlite3.connect(root / "journal.sqlite").execute("SELECT name, payload LIKE '%\"bad\"%' FROM quarantine").fetchall()
    assert aside == [("turns", 1)]


@pytest.mark.parametrize(
    "error",
    [OSError(28, "No space left on device"), RuntimeError("lance error: LanceError(IO): disk"), MemoryError(), ValueError("no table")],
)
def test_what_lies_in_the_disk_sets_nothing_aside(root: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    with open_shard(root, settings=SLOW) as store:

        def fail(*_: object) -> int:
            raise error

        with monkeypatch.context() as full:
            full.setattr("lake.applier.apply", fail)
            store.commit([Put([turn("t1")]), Put([turn("t2")])]).result()
            with pytest.raises(Unavailable):
                store.rows(Turn, "u1")
        assert store.count(Turn, "u1") == 2
        assert store.stats().quarantined == 0


def test_every_culprit_is_found_and_every_other_entry_is_carried_in_order() -> None:
    carried: list[str] = []

    def carry(writes: list[Any]) -> None:
        ids = [write.rows[0].id for write in writes]
        if {"t3", "t4", "t9"} & set(ids):
            raise OverflowError("too big")
        carried.extend(ids)

    refused = sift([(n, Put([turn(f"t{n}")])) for n in range(10)], carry)
    assert [(one.seq, one.table) for one in refused] == [(3, "turns"), (4, "turns"), (9, "turns")]
    assert carried == ["t0", "t1", "t2", "t5", "t6", "t7", "t8"]


@pytest.mark.parametrize("row", [vector([float("nan")] * DIM), vector([1.0]), forged(vector([1.0] * DIM), user=None)])
def test_what_lancedb_raises_about_rows_is_known_as_such(store: ShardStore, row: Record) -> None:
    with pytest.raises((ValueError, RuntimeError)) as raised:
        apply(store._tables, Folded(TurnVector, rows={("u1", "t1"): row}))
    assert lies_in_rows(raised.value)
