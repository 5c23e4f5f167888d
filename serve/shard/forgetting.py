"""Deletions carried out once more: on an older state that was restored, and on snapshots, so that what was deleted stays so (R31)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from lake.erased import mark_of
from lake.erasure import erase_conversation, erase_user, renew_sealed
from lake.store import Drop, Put, ShardStore, Write
from memory import edits
from memory.summary_upkeep import without_deleted
from schemas.conversation import Conversation
from schemas.deletion import Deletion
from schemas.memory import Change, Memory, Tombstone
from schemas.turn import Turn


class Forgotten(BaseModel):
    """What was deleted in a shard since some moment; ``users`` are marks of erased ones."""

    model_config = ConfigDict(frozen=True)

    stones: list[Tombstone] = []
    deletes: list[Change] = []
    deletions: list[Deletion] = []
    users: set[str] = set()

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to do again."""
        return not (self.stones or self.deletes or self.deletions or self.users)


def forgotten_since(store: ShardStore, at: datetime, erased: set[str]) -> Forgotten:
    """What the living shard says was deleted after ``at``; ``erased`` are the marks of users that were erased after it."""
    newer = f"\"at\" > timestamp '{at.astimezone(UTC).strftime('%Y-%m-%d %H:%M:%S.%f')}'"
    return Forgotten(
        stones=store.rows(Tombstone, None, where=newer),
        deletes=store.rows(Change, None, where=f"{newer} AND action = 'delete'"),
        deletions=store.rows(Deletion, None, where=newer),
        users=erased,
    )


def forget_again(store: ShardStore, logs: Path, forgotten: Forgotten) -> int:
    """Delete in this store what was deleted elsewhere; returns how many memories, conversations, users went. Killed in between, doing it
    again does the rest. Nobody may seal this store meanwhile."""
    count = 0
    for user in store.users() if forgotten.users else ():
        if mark_of(user) in forgotten.users:
            erase_user(store, logs, user)
            count += 1
    for user in sorted({row.user for row in (*forgotten.stones, *forgotten.deletes)}):
        if mark_of(user) not in forgotten.users:
            stones = [stone for stone in forgotten.stones if stone.user == user]
            deletes = [change for change in forgotten.deletes if change.user == user]
            count += _forget_memories(store, logs, user, stones, deletes)
    for user, marks in _by_user(forgotten.deletions).items():
        for row in store.rows(Conversation, user):
            if (deletion := marks.get(mark_of(user, row.id))) is not None:
                erase_conversation(store, logs, user, row.id, deletion.at)
                count += 1
    return count


def _forget_memories(store: ShardStore, logs: Path, user: str, stones: list[Tombstone], deletes: list[Change]) -> int:
    ids, words = {change.memory for change in deletes}, {stone.id for stone in stones}
    memories, changes = store.rows(Memory, user), store.rows(Change, user)
    gone = [memory for memory in memories if memory.id in ids or edits.is_buried(memory, words)]
    buried = {memory.id for memory in gone}
    quoting, blanked = edits.blot_out(gone, [memory for memory in memories if memory.id not in buried], changes)
    conversations = store.rows(Conversation, user)
    sources = {turn.conversation for turn in store.rows(Turn, user, ids=sorted({id for one in gone for id in one.turns}))}
    retold = without_deleted(conversations, sources, edits.wordings(gone, changes)) if gone else []
    writes: list[Write] = [Put(retold), Put(stones), Put([*blanked, *deletes]), Put(quoting), Drop(Memory, user, sorted(buried))]
    renew_sealed(store, logs, blanked)  # first: once the memories are gone, nothing tells any more what quotes them
    store.commit(writes).result()
    return len(gone)


def _by_user(deletions: Iterable[Deletion]) -> dict[str, dict[str, Deletion]]:
    found: dict[str, dict[str, Deletion]] = defaultdict(dict)
    for row in deletions:
        found[row.user][row.id] = row
    return found
