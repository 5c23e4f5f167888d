"""A shard as its callers see it: every method that concerns a user takes the user first and touches nobody else's rows (R34)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, TypeVar

from evolution.errors import named
from lake.logs import seal
from lake.store import Put
from memory.privacy import Sensitive
from memory.recall import RecallResult
from schemas.conversation import Conversation, Feedback
from schemas.dialogue import ConversationPage, ConversationView, Deleted, TurnsRequest, TurnsResponse
from schemas.errors import NotFound, Unavailable
from schemas.exchange import Closing, Opened, Opening
from schemas.imports import Import, Undone
from schemas.memory import Consent, Kind, Status
from schemas.memory_api import ChangePage, FeedbackIn, MemoryDetail, MemoryIn, MemoryPage, MemoryPatch, MemoryView, ProfileView, Revert
from schemas.policy import GateResult, Policy, PolicyList, Preview, Revision, RevisionIn, RevisionList, Trial
from schemas.recall import RecallRequest, RecallResponse, TurnSearchRequest, TurnSearchResponse
from schemas.snapshot import FrozenShard, Snapshot
from schemas.turn import Turn
from serve.shard import listing
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.aging import Aging
from serve.shard.consents import give, withdraw
from serve.shard.control import Control
from serve.shard.editing import Editing, Versions, held, of_kind
from serve.shard.erasing import Forgetting
from serve.shard.evolving import Evolving
from serve.shard.exchanges import Exchanges
from serve.shard.export import export_lines
from serve.shard.extraction import ExtractionQueue
from serve.shard.gathering import Gathering
from serve.shard.hearing import Hearing
from serve.shard.importing import Imported, Importing
from serve.shard.masking import mask, storable
from serve.shard.once import once
from serve.shard.recalling import Recalling
from serve.shard.resources import Resources
from serve.shard.snapshots import ShardSnapshots
from serve.shard.summarising import Summarising
from serve.shard.turn_vectors import TurnVectors
from serve.shard.unbroken import unbroken
from serve.shard.working import WorkingMemory
from serve.shard.writing import Writing

log = logging.getLogger("laoma.shard")
T = TypeVar("T")
_HOUSEKEEPING_S = 30.0
_LOCK_S = 1.0


class ShardService:
    """The single writer of a shard's tables. ``start`` it on the event loop that will call it."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._users = ActiveUsers(resources)
        self._writing = Writing(resources)
        self._recalling = Recalling(resources)
        self._editing = Editing(resources)
        self._extraction = ExtractionQueue(resources, self._users, busy=lambda: len(self._exchanges) > 0)
        self._turn_vectors = TurnVectors(resources, self._users)
        self._summarising = Summarising(resources, self._users, busy=lambda: len(self._exchanges) > 0)
        self._evolving = Evolving(resources)
        self._hearing = Hearing(resources, self._users, self._evolving.obey)
        self._exchanges = Exchanges(
            self._users,
            self._writing,
            self._recalling,
            Control(resources, self._editing, self._recalling),
            WorkingMemory(resources),
            asked=self._asked,
            replied=self._replied,
            mended=self._read_anew,
            policy=self._evolving.policy,
            longest_s=resources.settings.model.timeout_s + _HOUSEKEEPING_S,
        )
        self._gathering = Gathering(resources, self._users, self._evolving, busy=lambda: len(self._exchanges) > 0)
        self._importing = Importing(resources, self._writing, self._extraction, self._editing)
        self._aging = Aging(resources, self._users)
        self._forgetting = Forgetting(resources, self._users)
        self._snapshots = ShardSnapshots(resources, self._users, self._after_thaw)
        self._background: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Finish a restore that was killed, then begin the background work: extraction, turn vectors, housekeeping."""
        await asyncio.to_thread(self._snapshots.resume)
        await asyncio.to_thread(self._evolving.start)
        self._extraction.start()
        self._turn_vectors.start()
        self._hearing.start()
        self._summarising.start()
        self._background.append(asyncio.create_task(self._keep_house()))

    async def stop(self) -> None:
        """End the background work, write what lags, release the lake, whatever else fails."""
        try:
            background, self._background = self._background, []
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            await self._extraction.stop()
            await self._turn_vectors.stop()
            await self._hearing.stop()
            await self._summarising.stop()
            for active in self._users.loaded():
                with suppress(TimeoutError):  # a request that hangs holds the lock: its user's access counts may lag
                    async with asyncio.timeout(_LOCK_S):
                        await self._users.write_accesses(active)
        finally:
            await asyncio.to_thread(self._resources.store.close)
            self._resources.threads.shutdown()

    async def answer(self, work: Coroutine[Any, Any, T]) -> T:
        """A call of one of the methods below, for somebody who waits: it runs to its end, and background work stands back meanwhile."""
        return await unbroken(self._attended(work))

    async def _attended(self, work: Coroutine[Any, Any, T]) -> T:
        with self._resources.calm.broken():
            return await work

    # turns and conversations

    async def ingest(self, user: str, request: TurnsRequest, ids: list[str], now: datetime) -> TurnsResponse:
        """Store a dialogue; with ``wait`` answer after its extraction."""
        async with self._users.use(user) as active:
            async with active.lock:
                conversation, turns, new = await self._writing.ingest(active, request, ids, now)
            for turn in new:
                self._queue(turn)
            memories = None
            if request.wait:
                turn_ids = [turn.id for turn in turns]
                await self._extraction.settled(turn_ids)
                memories = [memory.id for memory in active.memories.all() if not set(turn_ids).isdisjoint(memory.turns)]
        return TurnsResponse(conversation_id=conversation, turn_ids=[turn.id for turn in turns], memories=memories)

    async def open_exchange(self, user: str, opening: Opening) -> Opened:
        """Store what the client said, recall for it."""
        return await self._exchanges.open(user, opening)

    async def abandon_exchange(self, user: str, opened: Opened) -> None:
        """There will be no reply: the user's turn is read for memories all the same."""
        await self._exchanges.abandon(user, opened)

    async def close_exchange(self, user: str, closing: Closing) -> None:
        """Store the reply, then let the user's turn be read for memories."""
        await self._exchanges.close(user, closing)

    async def turn(self, user: str, turn_id: str) -> Turn:
        """One turn with its extraction state. Raises NotFound."""
        async with self._users.use(user) as active:
            return await listing.turn(self._resources, active, turn_id)

    async def search_turns(self, user: str, request: TurnSearchRequest) -> TurnSearchResponse:
        """Search over what was said."""
        async with self._users.use(user) as active:
            return await self._recalling.search(active, request)

    async def conversations(self, user: str, limit: int, cursor: str | None) -> ConversationPage:
        """A page of conversations, latest first."""
        async with self._users.use(user) as active:
            return listing.conversations(active, limit, cursor)

    async def conversation(self, user: str, conversation_id: str) -> ConversationView:
        """One conversation with its turns. Raises NotFound."""
        async with self._users.use(user) as active:
            return await listing.conversation(self._resources, active, conversation_id)

    async def close_conversation(self, user: str, conversation_id: str) -> ConversationView:
        """End it and wait until nothing of it is left to extract. Raises NotFound."""
        async with self._users.use(user) as active:
            view = await listing.conversation(self._resources, active, conversation_id)
            for turn in view.turns:
                self._queue(turn)
            await self._extraction.settled([turn.id for turn in view.turns])
            async with active.lock:
                row = listing.held_conversation(active, conversation_id).but(closed_at=active.moments.now())
                await self._resources.commit([Put([row])])
                active.conversations[row.id] = row
            await self._evolving.ended(user, row.id)
            return await listing.conversation(self._resources, active, conversation_id)

    @once
    async def delete_conversation(self, user: str, conversation_id: str) -> Deleted:
        """Its turns and their vectors go; memories stay. Raises NotFound."""
        async with self._users.use(user) as active, active.lock:
            deleted = await listing.delete_conversation(self._resources, active, conversation_id)
            self._evolving.forget()
            return deleted

    # recall and memories

    async def recall(self, user: str, request: RecallRequest) -> RecallResponse:
        """What is remembered about a question."""
        async with self._users.use(user) as active:
            return await self._recalling.recall(active, request)

    async def rank(self, user: str, request: RecallRequest) -> RecallResult:
        """Recall with all its candidates, before threshold and cap: for evaluation, behind no route."""
        async with self._users.use(user) as active:
            return await self._recalling.rank(active, request)

    async def memories(
        self, user: str, q: str | None, kind: Kind | None, status: Status | None, limit: int, cursor: str | None
    ) -> MemoryPage:
        """A page of memories, latest change first."""
        async with self._users.use(user) as active:
            return listing.memories(active, q, kind, status, limit, cursor)

    async def memory(self, user: str, memory_id: str) -> MemoryDetail:
        """One memory with its history and source turns. Raises NotFound."""
        async with self._users.use(user) as active:
            return await listing.memory(self._resources, active, memory_id)

    @once
    async def remember(self, user: str, request: MemoryIn) -> MemoryView:
        """Add a statement by hand."""
        async with self._users.use(user) as active, active.lock:
            return MemoryView.of(await self._editing.remember(active, request))

    @once
    async def edit_memory(self, user: str, memory_id: str, patch: MemoryPatch, versions: Versions) -> MemoryView:
        """Correct a memory. Raises NotFound, Conflict."""
        async with self._users.use(user) as active, active.lock:
            return MemoryView.of(await self._editing.edit(active, memory_id, patch, versions))

    @once
    async def revert_memory(self, user: str, memory_id: str, revert: Revert, versions: Versions) -> MemoryView:
        """Bring back an earlier version. Raises NotFound, Conflict."""
        async with self._users.use(user) as active, active.lock:
            history = await listing.history(self._resources, active, [memory_id])
            return MemoryView.of(await self._editing.revert(active, memory_id, revert.version, versions, history))

    @once
    async def delete_memory(self, user: str, memory_id: str, versions: Versions) -> Deleted:
        """Gone from recall at once. Raises NotFound, Conflict."""
        async with self._users.use(user) as active, active.lock:
            return Deleted(count=await self._editing.delete(active, [held(active, memory_id, versions)]))

    @once
    async def clear_memories(self, user: str, kind: Kind | None) -> Deleted:
        """Delete every memory of a kind, or all."""
        async with self._users.use(user) as active, active.lock:
            memories = of_kind(active, kind)
            return Deleted(deleted=bool(memories), count=await self._editing.delete(active, memories))

    async def changes(self, user: str, limit: int, cursor: str | None) -> ChangePage:
        """A page of decisions, latest first."""
        return await self._resources.in_thread(lambda: listing.changes(self._resources.store, user, limit, cursor))

    # the user

    async def profile(self, user: str) -> ProfileView:
        """Who the user is, as far as it is known."""
        thumbs = await self._resources.in_thread(lambda: self._resources.store.rows(Feedback, user))
        async with self._users.use(user) as active:
            return listing.profile(active, thumbs, active.moments.now(), self._resources.zone)

    async def feedback(self, user: str, body: FeedbackIn) -> Feedback:
        """A thumb on a reply; the latest counts. Raises NotFound."""
        async with self._users.use(user) as active:
            turn = await listing.turn(self._resources, active, body.turn)
            if turn.role != "assistant":
                raise NotFound("This turn is no reply.", param="turn")
            row = Feedback(
                id=f"thumb-{turn.id}",
                user=user,
                at=active.moments.now(),
                turn=turn.id,
                conversation=turn.conversation,
                signal=body.signal,
                comment=(comment := storable(mask(body.comment), active.agreed) if body.comment else None),
                policy_version=turn.policy_version,
                error=named(comment) if comment and body.signal == "down" else None,
            )
            await self._resources.commit([Put([row])])
            return row

    async def put_import(self, user: str, row: Import) -> None:
        """Keep the record of an import."""
        assert row.user == user
        await self._importing.put(row)

    async def imports(self, user: str) -> list[Import]:
        """The records of the user's imports, latest first."""
        rows = await self._resources.in_thread(lambda: self._resources.store.rows(Import, user))
        return sorted(rows, key=lambda row: (row.at, row.id), reverse=True)

    async def bring_in(self, user: str, brought: list[Imported]) -> dict[str, int]:
        """Store conversations of an import, each turn once; counts of turns and of decisions."""
        async with self._users.use(user) as active:
            counts, new = await self._importing.add(active, brought)
            for turn in new:
                self._turn_vectors.add(turn)
        return dict(counts)

    async def undo_import(self, user: str, import_id: str) -> Undone:
        """Take a whole import out again."""
        async with self._users.use(user) as active:
            return await self._importing.undo(active, import_id)

    async def consents(self, user: str) -> list[Consent]:
        """Categories the user allowed."""
        return await self._resources.in_thread(lambda: self._resources.store.rows(Consent, user))

    async def give_consent(self, user: str, category: Sensitive) -> Consent:
        """Allow a category."""
        async with self._users.use(user) as active, active.lock:
            return await give(self._resources, active, category)

    @once
    async def withdraw_consent(self, user: str, category: Sensitive) -> Deleted:
        """Forbid it again. Raises NotFound where it was not allowed."""
        if category not in {row.id for row in await self.consents(user)}:
            raise NotFound("No such consent.", param="category")
        async with self._users.use(user) as active, active.lock:
            await withdraw(self._resources, active, category)
        return Deleted()

    async def export(self, user: str) -> list[str]:
        """All of the user's rows as JSON lines."""
        return await self._resources.in_thread(lambda: export_lines(self._resources.store, self._resources.logs, user), "bulk")

    @once
    async def erase(self, user: str) -> int:
        """Every row of the user goes, with its bytes; returns how many rows. Snapshots are cleaned by :meth:`erase_frozen`."""
        erased = await self._forgetting.erase(user)
        self._evolving.forget()
        return erased

    async def erase_frozen(self, user: str, snapshot: Snapshot) -> tuple[int, FrozenShard]:
        """Take the user out of a snapshot; the number of this shard and what it holds there now."""
        return await self._snapshots.erase(snapshot, user)

    # policies and revisions; the owner may be schemas.policy.BASE

    async def policies(self, user: str, between: tuple[str, str] | None) -> PolicyList:
        """Versions of the base and of the user's overlay. Raises NotFound for a version in ``between`` that is none."""
        return await self._evolving.listed(user, between)

    async def rolled_back(self, user: str, to: str | None, snapshot: str | None) -> Policy:
        """The version that a rollback makes, not stored yet. Raises NotFound, Conflict."""
        return await self._evolving.rolled_back(user, to, snapshot)

    async def revised(self, user: str, revision: Revision, snapshot: str | None) -> tuple[Policy, Revision]:
        """The version that a revision leads to and the revision as live, neither stored yet. Raises Conflict."""
        return await self._evolving.revise(user, revision, snapshot)

    async def adopt(self, user: str, policy: Policy, revision: Revision | None) -> Policy:
        """Store a version and the revision that led to it, both or neither; again: nothing more. Raises Conflict where another one came
        before."""
        if policy.user != user or (revision is not None and revision.user != user):
            raise NotFound("This policy is another user's.")
        return await self._evolving.adopt(policy, revision)

    async def adopt_base(self, policy: Policy) -> Policy:
        """A copy of the base's version: on every shard."""
        return await self._evolving.adopt(policy)

    async def live_policy(self, user: str) -> Policy | None:
        """The latest version of an owner."""
        return await self._evolving.live(user)

    async def revision(self, user: str, id: str) -> Revision:
        """Raises NotFound."""
        return await self._evolving.revision(user, id)

    async def revisions(self, user: str) -> RevisionList:
        """Proposed changes, latest first."""
        return await self._evolving.revisions(user)

    async def judged(self, user: str, wanted: RevisionIn, id: str) -> Revision:
        """A person's proposal as it is judged, not stored yet."""
        return await self._evolving.proposed(user, wanted, id)

    async def keep_revision(self, user: str, revision: Revision) -> Revision:
        """Store a revision."""
        if revision.user != user:
            raise NotFound("This revision is another user's.")
        return await self._evolving.keep(revision)

    async def approvable(self, user: str, id: str, admin: bool, untested: bool) -> Revision:
        """A revision that may be approved now. Raises NotFound, Forbidden, Conflict."""
        return await self._evolving.approvable(user, id, admin=admin, untested=untested)

    async def preview(self, user: str, id: str) -> Preview:
        """A revision with what it would change. Raises NotFound."""
        return await self._evolving.preview(user, id)

    async def gated(self, user: str, id: str, result: GateResult) -> Revision:
        """Keep what the gate said of a revision (E9). Raises NotFound, Conflict."""
        return await self._evolving.gated(user, id, result)

    async def reject(self, user: str, id: str) -> Revision:
        """Turn a revision down. Raises NotFound, Conflict."""
        return await self._evolving.reject(user, id)

    # the shard

    async def decay(self) -> dict[str, int]:
        """What time does to every user's memories (R10, R16-R19); steps taken, by name."""
        return await self._aging.decay()

    async def drift(self) -> dict[str, int]:
        """Compare often changed memories with what was said (R13); how many were looked at, and steps taken."""
        return await self._aging.drift()

    async def gather(self) -> dict[str, int]:
        """Propose changes from what users said about replies (E3); samples looked at, and what became of the batches."""
        return await self._gathering.gather()

    async def trials(self, ids: list[str]) -> list[Trial]:
        """Proposals for the gate, of these ids or all that wait: for jobs, behind no route."""
        return await self._evolving.trials(ids)

    async def purge(self) -> str:
        """No byte of a deleted row stays in tables, their old versions or the journal; a report in words."""
        return await self._forgetting.purge()

    async def figures(self) -> dict[str, float]:
        """Numbers for status and metrics."""
        stats = await self._resources.in_thread(self._resources.store.stats)
        loaded = self._users.loaded()
        return {
            "journal_entries": float(stats.journal),
            "journal_syncs": float(stats.syncs),
            "commits": float(stats.commits),
            "fence": float(stats.fence),
            "quarantined": float(stats.quarantined),
            "damaged_files": float(stats.damaged_files),
            "writable": float(stats.failure is None),
            **{f"rows_{name}": float(table.rows) for name, table in stats.tables.items()},
            **{f"fragments_{name}": float(table.fragments) for name, table in stats.tables.items()},
            **self._extraction.figures(),
            **self._summarising.figures(),
            "exchanges_open": float(len(self._exchanges)),
            "users_by_words_only": float(sum(active.by_words_only for active in loaded)),
            "turn_vectors_waiting": float(self._turn_vectors.waiting()),
            "hearing_waiting": float(self._hearing.waiting()),
            "users_loaded": float(len(loaded)),
            "memory_bytes": float(sum(active.nbytes for active in loaded)),
        }

    async def idle(self, user: str) -> None:
        """Returns when nothing of this user waits to be read for memories or for what it says about a reply, or to be summed up."""
        await self._extraction.idle(user)
        await self._hearing.idle(user)
        await self._summarising.idle(user)

    async def seal(self) -> str:
        """Move settled turns and events of past days to the Parquet logs, and try anew what failed; a report in words."""
        days = self._resources.settings.lake.seal_after_days
        now = self._resources.now().astimezone(self._resources.zone)
        before = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
        report = await self._resources.in_thread(
            lambda: seal(self._resources.store, self._resources.logs, before=before, zone=self._resources.zone), "bulk"
        )
        await self._users.drop_sealed(before)
        await self._extraction.retry()
        return str(report)

    # snapshots

    @once
    async def freeze(self, name: str) -> FrozenShard:
        """Put the shard as it is now into the folder of a snapshot."""
        return await self._snapshots.freeze(name)

    async def check_frozen(self, snapshot: Snapshot) -> None:
        """Raises LaomaError where this shard's part of a snapshot is damaged."""
        await self._snapshots.check(snapshot)

    @once
    async def thaw(self, snapshot: Snapshot) -> int:
        """Go back to a snapshot; returns how many later deletions were carried out again."""
        return await self._snapshots.thaw(snapshot)

    async def scrub_frozen(self, snapshot: Snapshot) -> FrozenShard:
        """Take out of a snapshot what was deleted since."""
        return await self._snapshots.scrub(snapshot)

    def require_alive(self) -> None:
        """Raises Fenced when another owner has taken this shard, Unavailable when a part of its background work has died."""
        self._resources.store.require_lease()
        parts = (self._extraction, self._turn_vectors, self._hearing, self._summarising)
        if not all(part.alive for part in parts) or any(task.done() for task in self._background):
            raise Unavailable("The memory's background work has stopped: it is started anew.", retry_after=3)

    def _after_thaw(self, pending: list[Turn]) -> None:
        self._evolving.forget()
        for turn in pending:
            self._extraction.add(turn)

    def _queue(self, turn: Turn) -> None:
        self._extraction.add(turn)
        self._turn_vectors.add(turn)

    def _asked(self, turn: Turn) -> None:
        self._queue(turn)
        self._hearing.add(turn)

    def _replied(self, turn: Turn) -> None:
        self._turn_vectors.add(turn)
        self._hearing.add(turn)
        self._summarising.add(turn)

    async def _read_anew(self, active: ActiveUser, turn: Turn) -> None:
        """A turn whose stored words changed: memories of what it says no more go with them."""
        async with active.lock:
            gone = [memory for memory in active.memories.all() if turn.id in memory.turns and memory.text not in turn.content]
            await self._editing.delete(active, gone)
        self._queue(turn)

    async def _end_silent(self) -> None:
        """Conversations of the users at hand in which nobody has spoken for ``window.silence_s`` end: what of them is left is read (R3).

        Those of others end when their user is at hand again. The next message opens one anew.
        """
        silence = timedelta(seconds=self._resources.settings.window.silence_s)
        for active in self._users.loaded():
            silent = [row for row in active.conversations.values() if _silent(row, self._resources.now(), silence)]
            if not silent:
                continue
            try:
                async with self._users.use(active.user) as held, held.lock:
                    there = [held.conversations.get(row.id) for row in silent]
                    rows = [
                        row.but(closed_at=row.last_at + silence) for row in there if row and _silent(row, self._resources.now(), silence)
                    ]
                    await self._resources.commit([Put(rows)])
                    held.conversations |= {row.id: row for row in rows}
                    ended = {row.id for row in rows}
                    for turn in [turn for turn in held.hot.values() if turn.conversation in ended]:
                        self._extraction.add(turn)
            except Exception as error:
                log.warning("silent conversations wait to be ended: %s", error)

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(_HOUSEKEEPING_S)
            await self._exchanges.settle_forgotten()
            for active in self._users.loaded():
                await self._users.write_accesses(active)
            await self._end_silent()


def _silent(row: Conversation, now: datetime, silence: timedelta) -> bool:
    """Whether a conversation goes on by its row, and nobody has spoken in it for ``silence``."""
    return row.closed_at is None and now - row.last_at > silence
