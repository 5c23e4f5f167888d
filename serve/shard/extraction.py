"""From turns to memories, after the reply: one turn at a time, its statements, decisions and its own state committed together.

So it is idempotent: killed at any point, a turn is either still pending or settled with all that came of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from lake.store import Put, Write
from memory.adjudicate import Decision, adjudicate
from memory.candidates import candidates, nearest
from memory.edits import tombstoned
from memory.extract.protocol import Passage, Said
from memory.ports import Floats
from memory.privacy import names_a_secret
from memory.related import NEAREST, Related, Relations
from memory.remember import apply
from memory.statement import Statement
from schemas.errors import EmbedderMismatch, TooMany, Unavailable, UpstreamFailed
from schemas.memory import Actor, Change, Memory
from schemas.turn import Extraction, Turn
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.aging import promoted, told
from serve.shard.background_model import BackgroundModel
from serve.shard.backlog import Backlog
from serve.shard.embedding import embed
from serve.shard.ledger import record
from serve.shard.model_reading import ModelReading
from serve.shard.resources import Resources

log = logging.getLogger("laoma.extraction")
PASSING = (UpstreamFailed, TooMany, Unavailable, OSError)
"""Errors that pass by themselves: an embedder that is away or busy, a lake that can't be written now."""
_BEFORE = 20
_TRIES = 3
"""How often a failed turn is read in a process."""
_UNSETTLED = ("pending", "failed", "given_up")
_NOTE = 200
"""Characters of a reason."""
_CHUNK = 200
_MANY = 500
"""So many memories are judged beside the event loop."""
_SUSPECT = 5
"""After so many failures in a row the turn itself may be what fails."""


class ExtractionQueue:
    """Pending turns, settled by one worker; clients may wait for a turn.

    A user whose turn can't be settled now (the embedder is away, the lake can't be written or read) steps aside for a growing pause
    while others go on. A turn that can't be read at all becomes ``failed``, and is tried again at a start, when its conversation
    is closed and each night, a few times a process; then it is ``given_up``, with the reason.
    What the rules have read a capable model reads after them (``model_reading``), while ``busy``
    says that nobody waits for a reply.
    """

    def __init__(self, resources: Resources, users: ActiveUsers, *, busy: Callable[[], bool] = lambda: False) -> None:
        self._resources = resources
        self._users = users
        self._backlog = Backlog()
        self._relations = Relations(resources.embedder)
        self._failed: dict[str, int] = {}
        self._by_rules: set[str] = set()
        self._worker: asyncio.Task[None] | None = None
        self._model: ModelReading | None = None
        if resources.model is not None:
            asked = BackgroundModel(resources.model, resources.settings.model, busy)
            self._model = ModelReading(resources, users, asked, self._passage, self._add, self._mark_failed)

    def start(self) -> None:
        """Take up what an earlier process left pending or failed, then work until :meth:`stop`."""
        left = self._resources.store.rows(Turn, None, where="extraction IN ('pending', 'failed', 'given_up')")
        self._by_rules |= self._decided(left)
        for turn in sorted(left, key=lambda turn: (turn.at, turn.id)):
            self.add(turn)
        self._worker = asyncio.create_task(self._work())
        if self._model is not None:
            self._model.start()

    async def stop(self) -> None:
        """Leave the rest pending: a turn at work is either settled with all that came of it, or pending still."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
        if self._model is not None:
            await self._model.stop()

    @property
    def alive(self) -> bool:
        """Whether the workers work, or are not meant to."""
        return (self._worker is None or not self._worker.done()) and (self._model is None or self._model.alive)

    def add(self, turn: Turn) -> None:
        """Queue a turn, once; one that failed before too, a few times."""
        if self._model is not None and turn.id in self._model:
            return
        if turn.extraction == "pending" or (turn.extraction in ("failed", "given_up") and self._failed.get(turn.id, 0) < _TRIES):
            self._backlog.add(turn.user, turn.id)

    async def retry(self) -> int:
        """Queue every turn that failed and is not given up; returns how many."""
        left = await self._resources.in_thread(lambda: self._resources.store.rows(Turn, None, where="extraction = 'failed'"))
        for turn in left:
            self.add(turn)
        return len(left)

    def figures(self) -> dict[str, float]:
        """``waiting`` turns, ``aside``: users that can't be read now, ``failed`` turns of this process, ``given_up``: those not
        tried again."""
        tries = self._failed.values()
        return {
            "extraction_waiting": float(len(self._backlog)),
            "extraction_aside": float(self._backlog.aside()),
            "extraction_failed": float(len(tries)),
            "extraction_given_up": float(sum(1 for one in tries if one >= _TRIES)),
            **(self._model.figures() if self._model is not None else {}),
        }

    async def settled(self, turn_ids: list[str]) -> None:
        """Returns when none of these is waiting any more, or when their user is set aside for long: they stay pending then."""
        await self._backlog.finished(turn_ids)
        if self._model is not None:
            await self._model.settled(turn_ids)

    async def idle(self, user: str) -> None:
        """Returns when nothing of this user is waiting, or when the user is set aside for long."""
        await self._backlog.empty(user)
        if self._model is not None:
            await self._model.idle(user)

    async def _work(self) -> None:
        while True:
            user = await self._backlog.next()
            turn_id = self._backlog.of(user, 1)[0]
            try:
                await self._settle(user, turn_id)
                self._backlog.done(user, [turn_id])
            except PASSING as error:
                log.warning("turn %s waits: %s", turn_id, error)
                self._backlog.failed(user)
            except Exception:
                log.exception("turn %s waits: its user can't be worked on now", turn_id)
                self._backlog.failed(user)

    async def _settle(self, user: str, turn_id: str) -> None:
        """Raises what makes the turn wait."""
        async with self._users.use(user) as active:
            turn = active.hot.get(turn_id)
            if turn is None or turn.extraction not in _UNSETTLED:
                return
            if active.by_words_only:
                log.warning("turn %s stays %s until the lake's embedder and the configured one are the same", turn_id, turn.extraction)
                return
            try:
                if turn.id not in self._by_rules or not self._hand_on(turn):
                    await self._read(active, turn)
            except EmbedderMismatch as error:
                log.warning("turn %s stays %s: %s", turn_id, turn.extraction, error.message)
            except PASSING as error:
                if self._backlog.failures(user) < _SUSPECT or not await self._embedder_answers():
                    raise
                log.exception("turn %s alone could not be read for memories", turn_id)
                await self._mark_failed(active, turn, error)
            except Exception as error:
                log.exception("turn %s could not be read for memories", turn_id)
                await self._mark_failed(active, turn, error)

    async def _embedder_answers(self) -> bool:
        """Whether a turn that fails again and again is to blame itself: others could be read now."""
        try:
            await embed(self._resources, ["."])
        except Exception:
            return False
        return True

    async def _read(self, active: ActiveUser, turn: Turn) -> None:
        """Reading and embedding, the slow part, leave the user's lock free for the turns that come meanwhile."""
        resources, passage = self._resources, self._passage(active, turn)
        statements = await resources.in_thread(lambda: resources.extractor.extract(passage))
        model_too = self._reads_by_model(turn)
        await self._store(active, turn, statements, "pending" if model_too else "done", "rule")
        self._by_rules.add(turn.id)
        if model_too:
            self._hand_on(turn)

    def _passage(self, active: ActiveUser, turn: Turn) -> Passage:
        return Passage(turn.content, turn.at, self._resources.zone, _before(active, turn))

    def _reads_by_model(self, turn: Turn) -> bool:
        """What was imported is read by rules alone: years of it would keep a model busy for days."""
        return self._model is not None and self._resources.learns() and turn.origin in ("chat", "api")

    def _hand_on(self, turn: Turn) -> bool:
        """Let the model read what the rules have read; False where there is none that may."""
        if self._model is None or not self._reads_by_model(turn):
            return False
        self._model.add(turn)
        return True

    async def _add(self, active: ActiveUser, turn: Turn, statements: Sequence[Statement]) -> None:
        """Store what the model has found beyond the rules: with it the turn is done."""
        await self._store(active, turn, statements, "done", "model")

    def _decided(self, turns: Sequence[Turn]) -> set[str]:
        """Those of the turns that the rules read, with decisions, before the process ended: they are not decided on twice."""
        found: set[str] = set()
        for start in range(0, len(turns), _CHUNK):
            ids = ", ".join("'" + turn.id.replace("'", "''") + "'" for turn in turns[start : start + _CHUNK])
            found |= {change.turn for change in self._resources.store.rows(Change, None, where=f"turn IN ({ids})") if change.turn}
        return found

    async def _store(self, active: ActiveUser, turn: Turn, statements: Sequence[Statement], state: Extraction, actor: Actor) -> None:
        texts = list(dict.fromkeys(statement.text for statement in statements))
        made = dict(zip(texts, await embed(self._resources, texts), strict=True))
        async with active.lock:
            if turn.id in active.hot and active.hot[turn.id].extraction != "skipped":  # "forget that" may have come meanwhile
                await self._decide(active, active.hot[turn.id], statements, made, state, actor)

    async def settle_read(self, active: ActiveUser, turn: Turn, statements: Sequence[Statement], made: dict[str, Floats]) -> list[Change]:
        """Decide on what a turn that waits was found to say elsewhere; the decisions, none where it waits no more.

        ``made`` holds the vectors of the statements' texts, shape (dim,) each.
        """
        async with active.lock:
            held = active.hot.get(turn.id)
            if held is None or held.extraction != "pending":
                return []
            return await self._decide(active, held, statements, made, "done", "rule")

    async def _decide(
        self, active: ActiveUser, turn: Turn, statements: Sequence[Statement], made: dict[str, Floats], state: Extraction, actor: Actor
    ) -> list[Change]:
        memories: dict[str, Memory] = {}
        changes: list[Change] = []
        for statement in statements:
            if names_a_secret(statement.text) or tombstoned(statement, active.tombstones, turn.at):
                continue
            held = {memory.id: memory for memory in candidates(active.memories, statement, made[statement.text])} | memories
            related = await self._related(active, statement, made[statement.text])
            decision = await self._judge(statement, list(held.values()), turn.at, related)
            rows, reasons = apply(
                decision,
                statement,
                user=active.user,
                turn_id=turn.id,
                at=turn.at,
                new_id=self._resources.new_id,
                actor=actor,
                import_id=turn.import_id,
            )
            memories |= {row.id: self._brought(row, turn) for row in rows}
            changes += reasons
        for step in promoted(active, self._resources, list(memories.values()), turn):
            memories[step.memory.id] = step.memory
            changes.append(told(self._resources, active, step, turn.at, actor, turn.id))
        await self._finish(active, turn, state, list(memories.values()), changes, made)
        return changes

    def _brought(self, memory: Memory, turn: Turn) -> Memory:
        """What an import brings is as of when it was said, but nobody has had the time to use it: its idle time begins now (R17, R18)."""
        if turn.import_id is None or memory.import_id != turn.import_id:
            return memory
        return memory.but(accessed_at=self._resources.now())

    async def _related(self, active: ActiveUser, statement: Statement, vector: Floats) -> Related | None:
        """The known memory that a statement has to do with by its meaning, among the nearest."""
        near = nearest(active.memories, statement, vector, NEAREST)
        return await self._resources.in_thread(lambda: self._relations.of(statement.text, near, statement.subject)) if near else None

    async def _judge(self, statement: Statement, held: list[Memory], at: datetime, related: Related | None) -> Decision:
        if len(held) <= _MANY:
            return adjudicate(statement, held, at, related)
        return await self._resources.in_thread(lambda: adjudicate(statement, held, at, related))

    async def _finish(
        self, active: ActiveUser, turn: Turn, state: Extraction, memories: list[Memory], changes: list[Change], made: dict[str, Floats]
    ) -> None:
        settled = turn.but(extraction=state, extraction_note=turn.extraction_note if state in ("failed", "given_up") else None)
        beside: list[Write] = [Put([settled])]
        conversation = active.conversations.get(turn.conversation)
        if conversation is not None:
            conversation = conversation.but(watermark=_later(active, conversation.watermark, turn))
            beside.append(Put([conversation]))
        await record(self._resources, active, memories, changes, beside=beside, made=made)
        active.hot[turn.id] = settled
        if state == "done":
            self._failed.pop(turn.id, None)
        if conversation is not None:
            active.conversations[conversation.id] = conversation

    async def _mark_failed(self, active: ActiveUser, turn: Turn, error: Exception) -> None:
        async with active.lock:
            if turn.id in active.hot:
                tries = self._failed.get(turn.id, 0) + 1
                self._failed[turn.id] = tries
                note = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"[:_NOTE]
                state: Extraction = "given_up" if tries >= _TRIES else "failed"
                await self._finish(active, active.hot[turn.id].but(extraction_note=note), state, [], [], {})


def _later(active: ActiveUser, watermark: str | None, turn: Turn) -> str:
    """A turn that is read late leaves the watermark where it is."""
    marked = None if watermark is None else active.turns.get(watermark)
    return marked.id if marked is not None and marked.at > turn.at else turn.id


def _before(active: ActiveUser, turn: Turn) -> tuple[Said, ...]:
    """The few utterances before a turn on its branch, oldest first."""
    said: list[Said] = []
    parent = turn.parent
    while parent is not None and len(said) < _BEFORE:
        one = active.turns.get(parent)
        if one is None:
            break
        said.append(Said(one.role, one.content))
        parent = one.parent
    return tuple(reversed(said))
