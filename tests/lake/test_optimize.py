from __future__ import annotations

from pathlib import Path

import lancedb
import pytest

from lake.store import Drop, Put, ShardStore
from schemas.memory import Memory
from schemas.settings import Lake
from schemas.turn import Turn
from tests.lake.conftest import DIM, memory, open_shard, turn


def single_writes(store: ShardStore, count: int, first: int = 0) -> None:
    """Each write applied by itself, as in a slow trickle."""
    for n in range(first, first + count):
        store.commit([Put([turn(f"t{n}")])]).result()
        store.flush()


def files_with(root: Path, words: str) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and words.encode() in path.read_bytes())


def test_ten_thousand_single_writes_leave_few_fragments(root: Path) -> None:
    with open_shard(root) as store:
        futures = [store.commit([Put([turn(f"t{n}", user=f"u{n % 20}")])]) for n in range(10_000)]
        for future in futures:
            future.result()
        assert store.count(Turn, "u3") == 500
        store.maintain()
        assert store.stats().tables["turns"].rows == 10_000
        assert store.stats().tables["turns"].fragments == 1


def test_a_trickle_is_compacted_in_the_background(root: Path) -> None:
    with open_shard(root, settings=Lake(optimize_every=10, apply_every_ms=1)) as store:
        for n in range(60):
            store.commit([Put([turn(f"t{n}")])]).result()
            assert store.count(Turn, "u1") == n + 1
        store.close()
    with open_shard(root) as store:
        assert store.stats().tables["turns"].fragments <= 20


def test_old_versions_are_cleaned(root: Path) -> None:
    with open_shard(root, settings=Lake(keep_versions_h=0)) as store:
        single_writes(store, 12)
        store.maintain()
        assert len(lancedb.connect(root / "tables").open_table("turns").list_versions()) <= 2
        assert store.count(Turn, "u1") == 12


def test_a_tagged_version_is_survived_and_named(root: Path) -> None:
    with open_shard(root, settings=Lake(keep_versions_h=0)) as store:
        single_writes(store, 5)
        table = lancedb.connect(root / "tables").open_table("turns")
        table.tags.create("snapshot", table.version)
        single_writes(store, 10, first=5)
        assert store.maintain() == ["turns"]
        assert store.stats().tables["turns"].fragments == 1
        assert store.count(Turn, "u1") == 15
        table.checkout("snapshot")
        assert table.count_rows() == 5
    with open_shard(root) as store:
        assert store.count(Turn, "u1") == 15


def test_a_purge_leaves_no_byte_of_what_was_deleted(root: Path) -> None:
    with open_shard(root) as store:
        rows = [memory(f"m{n}", text=f"plain {n}", vector=[1.0] + [0.0] * (DIM - 1)) for n in range(100)]
        store.commit([Put([*rows, memory("secret", text="my safe opens with 7315"), memory("gone", "u2", text="hidden words")])]).result()
        store.flush()
        assert files_with(root, "7315")
        store.commit([Drop(Memory, "u1", ["secret"]), Drop(Memory, "u2", None)]).result()
        assert store.rows(Memory, "u2") == []
        store.maintain(purge=True)
        assert files_with(root, "7315") == []
        assert files_with(root, "hidden words") == []
        assert store.count(Memory, "u1") == 100
        assert store.vectors(Memory, "u1")[1].shape == (100, DIM)
    with open_shard(root) as store:
        assert store.count(Memory, "u1") == 100


def test_a_replaced_text_is_gone_after_a_purge(root: Path) -> None:
    with open_shard(root) as store:
        store.commit([Put([memory("m1", text="the old wording"), *[memory(f"n{n}") for n in range(50)]])]).result()
        store.flush()
        store.commit([Put([memory("m1", text="the new wording")])]).result()
        store.maintain(purge=True)
        assert files_with(root, "old wording") == []
        assert files_with(root, "new wording") != []


@pytest.mark.parametrize("purge", [False, True])
def test_maintenance_while_others_write_loses_nothing(root: Path, purge: bool) -> None:
    with open_shard(root, settings=Lake(keep_versions_h=0, apply_every_ms=1)) as store:
        futures = []
        for n in range(300):
            futures.append(store.commit([Put([turn(f"t{n}")]), Drop(Turn, "u1", [f"t{n - 50}"])]))
            if n % 60 == 0:
                store.maintain(purge=purge)
        for future in futures:
            future.result()
        assert {row.id for row in store.rows(Turn, "u1")} == {f"t{n}" for n in range(250, 300)}
