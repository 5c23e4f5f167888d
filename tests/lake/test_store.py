from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from lake.store import Drop, Put, ShardStore, quote
from lake.writes import encode
from schemas.errors import EmbedderMismatch, InvalidRequest, LaomaError, Unavailable
from schemas.memory import Change, Consent, Memory
from schemas.settings import Lake
from schemas.turn import Turn, TurnVector
from tests.lake.conftest import DIM, EMBEDDER, NOON, memory, open_shard, turn

ONE = [1.0] + [0.0] * (DIM - 1)
TWO = [0.0, 1.0] + [0.0] * (DIM - 2)


def put(store: ShardStore, *rows: Memory | Turn | TurnVector) -> None:
    store.commit([Put(list(rows))]).result()


def test_a_read_sees_every_write_that_was_acknowledged_before_it(store: ShardStore) -> None:
    for i in range(20):
        put(store, turn(f"t{i}"))
        assert len(store.rows(Turn, "u1")) == i + 1


def test_a_row_comes_back_equal(store: ShardStore) -> None:
    row = turn(
        "t1", content='我家：👨‍👩‍👧‍👦 🇨🇳 𠮷野家 ㎏½ ｈｔｔｐ \\d+\\"x\\"', recalled=["m1", "m2"], first_token_ms=12.5, interrupted=True
    )
    put(store, row)
    assert store.rows(Turn, "u1") == [row]


def test_a_write_of_the_same_id_replaces_the_row_and_users_do_not_share_ids(store: ShardStore) -> None:
    put(store, turn("t1", content="eins"), turn("t1", user="u2", content="zwei"))
    put(store, turn("t1", content="drei"))
    assert [row.content for row in store.rows(Turn, "u1")] == ["drei"]
    assert [row.content for row in store.rows(Turn, "u2")] == ["zwei"]


def test_several_writes_of_one_commit_keep_their_order(store: ShardStore) -> None:
    store.commit([Put([turn("a")]), Drop(Turn, "u1", None), Put([turn("b")]), Put([turn("c")]), Drop(Turn, "u1", ["c"])]).result()
    assert [row.id for row in store.rows(Turn, "u1")] == ["b"]


def test_a_commit_spans_tables_and_all_of_it_is_there(store: ShardStore) -> None:
    change = Change(id="h1", user="u1", memory="m1", at=NOON, action="create", after="x", reason="said so", actor="rule")
    store.commit([Put([memory("m1")]), Put([change])]).result()
    assert store.rows(Change, "u1") == [change]
    assert store.count(Memory, "u1") == 1


def test_parallel_writes_of_one_id_leave_one_row(store: ShardStore) -> None:
    def write(n: int) -> None:
        put(store, memory("m1", text=f"text {n}"))

    threads = [threading.Thread(target=write, args=(n,)) for n in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.count(Memory, "u1") == 1


def test_parallel_commits_share_syncs(root: Path) -> None:
    with open_shard(root, settings=Lake(apply_every_ms=60_000, apply_rows=100_000)) as store:
        before = store.stats().syncs
        futures = [store.commit([Put([turn(f"t{i}")])]) for i in range(500)]
        for future in futures:
            future.result()
        assert store.stats().syncs - before < 250
        assert store.count(Turn, "u1") == 500


def test_a_deletion_takes_the_exact_rows_only(store: ShardStore) -> None:
    odd = ["O'Brien", "x' OR 1=1 --", "a_b", "aXb", "a%", "100%", 'say "hi"', "back\\slash"]
    put(store, *[turn("t1", user=user) for user in odd])
    store.commit([Drop(Turn, "x' OR 1=1 --", None), Drop(Turn, "a_b", ["t1"])]).result()
    assert store.users() == sorted(set(odd) - {"x' OR 1=1 --", "a_b"})
    assert [row.user for row in store.rows(Turn, "O'Brien", ids=["t1"])] == ["O'Brien"]
    assert store.rows(Turn, None, where=f"user = {quote('back' + chr(92) + 'slash')}")[0].user == "back\\slash"


def test_rows_are_filtered_by_ids_and_where_and_a_table_never_written_is_empty(store: ShardStore) -> None:
    put(store, *[turn(f"t{i}", extraction="pending" if i % 2 else "done") for i in range(6)])
    assert {row.id for row in store.rows(Turn, None, where="extraction = 'pending'")} == {"t1", "t3", "t5"}
    assert {row.id for row in store.rows(Turn, "u1", ids=["t1", "t2", "t99"])} == {"t1", "t2"}
    assert store.rows(Turn, "u1", ids=[]) == []
    assert store.rows(Consent, "u1") == []
    assert store.count(Consent, "u1") == 0


def test_vectors_come_as_one_matrix_of_one_user(store: ShardStore) -> None:
    put(store, memory("m1", vector=ONE), memory("m2", vector=TWO), memory("m3"), memory("m4", user="u2", vector=ONE))
    put(store, memory("m5", vector=TWO, status="archived"))
    ids, matrix = store.vectors(Memory, "u1", where="status = 'active'")
    assert dict(zip(ids, matrix.tolist(), strict=True)) == {"m1": ONE, "m2": TWO}
    assert matrix.dtype == np.float32
    assert store.vectors(TurnVector, "u1")[1].shape == (0, DIM)


def test_a_memory_read_without_its_vector_and_written_back_keeps_it(store: ShardStore) -> None:
    put(store, memory("m1", vector=ONE))
    (row,) = store.rows(Memory, "u1")
    assert row.vector is None
    put(store, row.but(access_count=3))
    put(store, row.but(access_count=4))
    (row,) = store.rows(Memory, "u1", vectors=True)
    assert (row.vector, row.access_count) == (ONE, 4)
    put(store, row.but(vector=None, embedder=None))
    assert store.vectors(Memory, "u1")[0] == []


def test_turn_vectors_are_read_with_their_vector(store: ShardStore) -> None:
    row = TurnVector(id="t1", user="u1", embedder=EMBEDDER, vector=ONE)
    put(store, row)
    assert store.rows(TurnVector, "u1") == [row]


def test_everything_is_there_after_a_restart_and_the_journal_is_empty(root: Path) -> None:
    with open_shard(root) as store:
        put(store, turn("t1"), turn("t2"))
    with open_shard(root) as store:
        assert {row.id for row in store.rows(Turn, "u1")} == {"t1", "t2"}
        assert store.stats().journal == 0
        assert store.stats().fence == 2


def test_flush_empties_the_journal(root: Path) -> None:
    with open_shard(root, settings=Lake(apply_every_ms=60_000, apply_rows=100_000)) as store:
        put(store, turn("t1"))
        assert store.stats().journal == 1
        store.flush()
        assert store.stats().journal == 0
        assert store.stats().tables["turns"].rows == 1


def test_a_text_that_is_no_unicode_fails_alone(store: ShardStore) -> None:
    bad = turn("t1").model_copy(update={"content": "a\udc81"})
    with pytest.raises(InvalidRequest):
        store.commit([Put([bad])]).result()
    put(store, turn("t2"))
    assert store.count(Turn, "u1") == 1


def test_another_embedder_is_refused_by_name_and_by_length_but_all_else_works(root: Path) -> None:
    with open_shard(root) as store:
        put(store, memory("m1", vector=ONE), memory("m2", vector=TWO))
    for embedder, dim in (("other/embedder", DIM), (EMBEDDER, 16)):
        with open_shard(root, embedder=embedder, dim=dim) as store:
            with pytest.raises(EmbedderMismatch, match=r"set embedding\.model and embedding\.dim .* back"):
                store.vectors(Memory, "u1")
            new = memory(f"n{dim}").but(embedder=embedder, vector=[0.0] * dim)
            with pytest.raises(EmbedderMismatch):
                store.commit([Put([new])]).result()
            assert {row.id for row in store.rows(Memory, "u1")} >= {"m1"}
    with open_shard(root, embedder="other/embedder", dim=16) as store:
        store.commit([Drop(Memory, "u1", ["m2"])]).result()
        put(store, store.rows(Memory, "u1")[0].but(access_count=7))
    with open_shard(root) as store:
        assert [(row.id, row.vector, row.access_count) for row in store.rows(Memory, "u1", vectors=True)] == [("m1", ONE, 7)]


def test_a_vector_of_the_wrong_length_is_refused(store: ShardStore) -> None:
    with pytest.raises(EmbedderMismatch):
        store.commit([Put([memory("m1", vector=[1.0, 2.0])])]).result()


def test_without_any_vector_another_embedder_is_simply_taken(root: Path) -> None:
    with open_shard(root) as store:
        put(store, memory("m1"))
    with open_shard(root, embedder="new", dim=4) as store:
        put(store, memory("m2").but(embedder="new", vector=[0.5] * 4))
        assert store.vectors(Memory, "u1")[0] == ["m2"]


def test_vectors_that_still_wait_in_the_journal_keep_their_length_when_another_embedder_opens_the_lake(root: Path) -> None:
    open_shard(root).close()
    entry = encode(Put([memory("m1", vector=ONE)]))
    with sqlite3.connect(root / "journal.sqlite") as db:
        db.execute("INSERT INTO entries (name, version, payload) VALUES (?, ?, ?)", (entry.table, entry.version, entry.payload))
    with open_shard(root, embedder="new", dim=4) as store:
        assert [row.vector for row in store.rows(Memory, "u1", vectors=True)] == [ONE]
        with pytest.raises(EmbedderMismatch):
            store.vectors(Memory, "u1")


def test_after_close_nothing_is_taken(root: Path) -> None:
    store = open_shard(root)
    store.close()
    store.close()
    with pytest.raises(Unavailable):
        store.commit([Put([turn("t1")])]).result()
    with pytest.raises(LaomaError):
        store.rows(Turn, "u1")


def test_an_empty_commit_is_done_at_once(store: ShardStore) -> None:
    assert store.commit([]).result() is None
    assert store.commit([Put([])]).result() is None
