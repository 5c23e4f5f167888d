"""Old chats come in, conversation by conversation, and a whole import goes out again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lake.erased import mark_of
from lake.erasure import drop_sealed
from lake.history import sealed_turns
from lake.store import Drop, Put, Write
from memory.ports import Floats
from memory.statement import Statement
from schemas.conversation import Conversation, Event, Feedback
from schemas.deletion import Deletion
from schemas.imports import Import, Undone
from schemas.memory import Change, Memory
from schemas.turn import Turn, TurnVector
from serve.shard.active import ActiveUser
from serve.shard.editing import Editing
from serve.shard.extraction import ExtractionQueue
from serve.shard.ledger import record
from serve.shard.resources import Resources
from serve.shard.writing import Writing

_CONFIDENCE = re.compile(r"confidence ([\d.]+) → ")


@dataclass(frozen=True)
class Found:
    """What a turn says that may last; ``vector`` is of its text, shape (dim,)."""

    statement: Statement
    vector: Floats


@dataclass(frozen=True)
class Imported:
    """A conversation as it may be stored: masked, in order; ``found`` by the id of the turn, whose extraction is pending."""

    conversation: Conversation
    turns: list[Turn]
    found: dict[str, list[Found]] = field(default_factory=dict)


class Importing:
    """Writes what an import read, and takes it out again."""

    def __init__(self, resources: Resources, writing: Writing, extraction: ExtractionQueue, editing: Editing) -> None:
        self._resources, self._writing, self._extraction, self._editing = resources, writing, extraction, editing

    async def add(self, active: ActiveUser, brought: Sequence[Imported]) -> tuple[Counter[str], list[Turn]]:
        """Store conversations, each turn once, and decide on what they say; counts, and the turns that are new.

        Killed at any point it can be called again: a turn that is there is passed over, one that still waits is decided on.
        """
        done: Counter[str] = Counter()
        fresh: list[Turn] = []
        for one in brought:
            async with active.lock:
                new = [turn for turn in one.turns if active.turns.get(turn.id) is None]
                if new:
                    await self._writing.bring_in(active, one.conversation, new)
            done += Counter(turns_new=len(new), turns_known=len(one.turns) - len(new))
            fresh += new
            for turn in one.turns:
                if turn.id in one.found:
                    done += await self._decide(active, turn, one.found[turn.id])
        return done, fresh

    async def _decide(self, active: ActiveUser, turn: Turn, found: Sequence[Found]) -> Counter[str]:
        made: Mapping[str, Floats] = {one.statement.text: one.vector for one in found}
        changes = await self._extraction.settle_read(active, turn, [one.statement for one in found], dict(made))
        return Counter(change.action for change in changes)

    async def undo(self, active: ActiveUser, import_id: str) -> Undone:
        """Take an import out. Its turns go, hot and sealed, and the memories that nothing else confirms; what it had retired, changed or
        shaken is again as it was. It may be imported again: no tombstone stays. Killed in between, undoing again does the rest.
        """
        store, logs, user = self._resources.store, self._resources.logs, active.user
        sealed = await self._resources.in_thread(lambda: sealed_turns(store, logs, user), "bulk")
        async with active.lock:
            turns = {turn.id: turn for turn in [*sealed, *active.hot.values()] if turn.import_id == import_id}
            gone, restored = await self._undo_memories(active, import_id, set(turns))
            await self._drop_turns(active, turns)
        return Undone(turns=len(turns), memories=gone, restored=restored)

    async def _undo_memories(self, active: ActiveUser, import_id: str, turns: set[str]) -> tuple[int, int]:
        changes = await self._resources.in_thread(lambda: self._resources.store.rows(Change, active.user))
        touched = [change for change in changes if change.turn in turns]
        held = active.memories.all()
        gone = [one for one in held if one.import_id == import_id and set(one.turns) <= turns]
        ids = {one.id for one in gone}
        of: dict[str, list[Change]] = defaultdict(list)
        for change in touched:
            of[change.memory].append(change)
        mended = [mended for memory in held if memory.id not in ids and (mended := _as_before(memory, of[memory.id], turns)) is not None]
        now = active.moments.take()
        told = [
            Change(
                id=self._resources.new_id(),
                user=active.user,
                memory=memory.id,
                at=now,
                action="restore",
                after=memory.text,
                reason=f"import {import_id} was undone",
                actor="user",
            )
            for memory in mended
        ]
        if mended:
            await record(self._resources, active, mended, told)
        await self._editing.delete(active, gone, buried=False)
        return len(gone), len(mended)

    async def _drop_turns(self, active: ActiveUser, turns: Mapping[str, Turn]) -> None:
        store, logs, user, ids = self._resources.store, self._resources.logs, active.user, list(turns)
        if not ids:
            return
        now = active.moments.take()
        left = {node.conversation for id, node in active.threads.nodes.items() if id not in turns}
        emptied = sorted({turn.conversation for turn in turns.values()} - left)
        about = set(ids)
        noted: list[Write] = []
        for kind in (Event, Feedback):
            rows = await self._resources.in_thread(lambda kind=kind: store.rows(kind, user), "bulk")  # type: ignore[misc]
            noted.append(Drop(kind, user, sorted(row.id for row in rows if row.turn in about)))
        marks = [Deletion(id=mark_of(user, conversation), user=user, at=now, what="conversation") for conversation in emptied]
        await self._resources.commit([Drop(Turn, user, ids), Drop(TurnVector, user, ids), *noted, Put(marks)])
        await self._resources.in_thread(lambda: drop_sealed(store, logs, user, ids), "bulk")
        await self._resources.commit([Drop(Conversation, user, emptied)])
        for id in ids:
            active.hot.pop(id, None)
            active.turns.drop(id)
        for conversation in emptied:
            active.threads.drop(conversation)
            active.conversations.pop(conversation, None)

    async def put(self, row: Import) -> None:
        """Keep the record of an import."""
        await self._resources.commit([Put([row])])


def _as_before(memory: Memory, changes: Sequence[Change], turns: set[str]) -> Memory | None:
    """A memory as it was before these changes to it, which turns made that are going; None where nothing of it was theirs."""
    if not changes and turns.isdisjoint(memory.turns):
        return None
    row = memory.but(turns=[turn for turn in memory.turns if turn not in turns])
    for change in sorted(changes, key=lambda change: (change.at, change.id), reverse=True):
        if change.action == "replace" and row.status == "deprecated":
            row = row.but(status="active", valid_to=None)
        elif change.action == "merge" and change.before and row.text == change.after:
            row = row.but(text=change.before, previous=None, version=row.version + 1, vector=None, embedder=None)
        elif change.action == "confirm":
            row = row.but(confirmations=max(0, row.confirmations - 1))
        elif change.action == "demote" and (was := _CONFIDENCE.search(change.reason)):
            row = row.but(confidence=max(row.confidence, float(was.group(1))))
    return row
