"""Planted faults show in the figures that the doctor reads, and a sound lake shows none."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from lake.sql import connect
from lake.store import ShardStore
from lake.symptoms import Symptoms, symptoms
from lake.writes import Put
from schemas.conversation import Feedback
from schemas.record import Record
from tests.lake.conftest import DIM, NOON, memory, turn

NOW = NOON + timedelta(days=2)


def _seen(store: ShardStore, tmp_path: Path, *rows: Record) -> Symptoms:
    store.commit([Put([row]) for row in rows]).result()
    store.flush()
    with connect(tmp_path) as lake:
        return symptoms(lake, NOW)


def _reply(id: str, **more: object) -> Record:
    return turn(id, **{"role": "assistant", "extraction": "skipped", "minutes": 60.0, "conversation": "c1", **more})  # type: ignore[arg-type]


def _wrong(id: str, of: str) -> Feedback:
    return Feedback(id=id, user="u1", at=NOON, turn=of, signal="down", topic="预算")


def test_a_sound_lake_has_no_symptom(store: ShardStore, tmp_path: Path) -> None:
    seen = _seen(store, tmp_path, memory("m1"), turn("t1", extraction="done"), _reply("r1", recalled=["m1"]))
    assert (seen.replies, seen.replies_with_memory, seen.unread, seen.crossed, seen.stale, seen.corrected) == (1, 1, 0, 0, 0, 0)


def test_replies_that_nothing_was_recalled_for_are_counted(store: ShardStore, tmp_path: Path) -> None:
    seen = _seen(store, tmp_path, memory("m1"), _reply("r1"), _reply("r2"), _reply("r3", user="u2"))
    assert (seen.replies, seen.replies_with_memory) == (2, 0)


def test_turns_that_failed_or_wait_too_long_are_counted(store: ShardStore, tmp_path: Path) -> None:
    late = turn("t3", minutes=2 * 24 * 60 - 5)
    assert _seen(store, tmp_path, turn("t1"), turn("t2", extraction="failed"), late).unread == 2


def test_a_memory_of_somebody_else_and_one_that_had_ended_are_told_apart(store: ShardStore, tmp_path: Path) -> None:
    ended = memory("m2", status="deprecated", valid_to=NOON)
    seen = _seen(store, tmp_path, memory("m1", user="u2"), ended, _reply("r1", recalled=["m1", "m2"]))
    assert (seen.crossed, seen.stale) == (1, 1)


def test_the_same_topic_corrected_again_is_counted(store: ShardStore, tmp_path: Path) -> None:
    assert _seen(store, tmp_path, *(_wrong(f"f{n}", f"r{n}") for n in range(4))).corrected == 4


def test_replies_are_compared_before_and_after_an_update(store: ShardStore, tmp_path: Path) -> None:
    before = [_reply(f"r{n}", policy_version="1") for n in range(4)]
    after = [_reply(f"s{n}", policy_version="2", minutes=90.0, interrupted=n == 0) for n in range(4)]
    seen = _seen(store, tmp_path, *before, *after, _wrong("f1", "s1"))
    assert (seen.before, seen.after) == ((4, 0.0), (4, 0.5))


def test_the_embedders_of_stored_vectors_are_named(store: ShardStore, tmp_path: Path) -> None:
    assert _seen(store, tmp_path, memory("m1", vector=[1.0] * DIM)).embedders == ("test/embedder",)
