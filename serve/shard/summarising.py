"""Writes the summaries of long conversations (R2) in the background, before their exchanges leave the window, never on a reply's path.

With a capable model its words, else a rule's. Nothing of the queue is stored: what is missing is found again with the next reply, and until
then a rule's summary stands in the prompt (:mod:`serve.shard.working`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from lake.store import Put
from memory.edits import Buried
from memory.extract.answer import BadAnswer
from memory.extract.protocol import Said
from memory.summary import Summary, Told, stored_summaries
from memory.summary_by_model import question, read_answer
from memory.summary_by_rule import by_rule
from memory.summary_upkeep import Due, due, with_summary
from memory.working import Gap, exchanges_of
from schemas.turn import Turn
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.background_model import BackgroundModel
from serve.shard.backlog import Backlog
from serve.shard.masking import mask, storable
from serve.shard.resources import Resources
from serve.shard.working import branch_of

log = logging.getLogger("laoma.summaries")
_TRIES = 3
_LONGEST_BUSY_S = 2.0


class Summarising:
    """A backlog of replies whose conversations may need a summary, and one worker. ``busy``: somebody waits for a reply now."""

    def __init__(self, resources: Resources, users: ActiveUsers, *, busy: Callable[[], bool] = lambda: False) -> None:
        self._resources, self._users = resources, users
        self._model = BackgroundModel(resources.model, resources.settings.model, busy) if resources.model is not None else None
        self._backlog = Backlog()
        self._bad: dict[str, int] = {}
        self._written = {"model": 0, "rule": 0}
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Work until :meth:`stop`."""
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Leave the rest."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
        if self._model is not None:
            with suppress(Exception):
                await self._model.close()

    @property
    def alive(self) -> bool:
        """Whether the worker works, or is not meant to."""
        return self._worker is None or not self._worker.done()

    def add(self, reply: Turn) -> None:
        """A conversation has got a reply."""
        self._backlog.add(reply.user, reply.id)

    def figures(self) -> dict[str, float]:
        """Replies that wait, and summaries written in this process, by whom."""
        return {
            "summaries_waiting": float(len(self._backlog)),
            **{f"summaries_by_{by}": float(count) for by, count in self._written.items()},
        }

    async def idle(self, user: str) -> None:
        """Returns when nothing of this user waits, or the user is set aside for long."""
        await self._backlog.empty(user)

    async def _work(self) -> None:
        while True:
            user = await self._backlog.next()
            reply = self._backlog.of(user, 1)[0]
            try:
                if not await self._one(user, reply):
                    self._backlog.done(user, [reply])
            except BadAnswer as error:
                log.warning("the conversation of reply %s is summed up anew: %s", reply, error)
                self._backlog.failed(user)
            except Exception as error:
                log.warning("the summary before reply %s waits: %s", reply, error)
                self._backlog.failed(user, behind=[reply])

    async def _one(self, user: str, reply: str) -> bool:
        """Write one summary; whether there was one to write. Raises BadAnswer where the model is to be asked once more, and whatever
        keeps it from being asked."""
        async with self._users.use(user) as active:
            branch = branch_of(active, reply)
            conversation = active.conversations.get(branch[-1].conversation) if branch else None
            if conversation is None:
                return False
            wanted = due(branch, stored_summaries(conversation.summaries), self._resources.settings.window)
            if wanted is None:
                return False
            await self._resources.calm.comes(_LONGEST_BUSY_S)
            stones = len(active.tombstones)
            summary = await self._summed_up(active, branch, wanted)
            async with active.lock:
                held = active.conversations.get(conversation.id)
                if held is None or len(active.tombstones) != stones or held.summaries != conversation.summaries:
                    return held is not None  # deleted meanwhile, or something of it was: once more, without that
                row = held.but(summaries=with_summary(held.summaries, summary, branch, self._resources.settings.window))
                await self._resources.commit([Put([row])])
                active.conversations[row.id] = row
            self._written[summary.by] += 1
            return True

    async def _summed_up(self, active: ActiveUser, branch: Sequence[Turn], wanted: Due) -> Summary:
        through = exchanges_of(branch, wanted.gap)[-1].id
        said = _told(active, branch, wanted.gap)
        if said and not wanted.long and self._model is not None and self._resources.learns():
            tries = self._bad.get(through, 0)
            if tries < _TRIES:
                try:
                    answer = await self._model.ask(question(said, wanted.earlier, tries=tries))
                    told = read_answer(answer, said, wanted.earlier)
                except BadAnswer:
                    self._bad[through] = tries + 1
                    raise
                self._bad.pop(through, None)
                return Summary.of(_kept(told, active), since=wanted.since, upto=wanted.gap.upto, through=through, by="model")
            log.error("the model gave no usable summary in %d tries: a rule makes it", _TRIES)
        whole = _told(active, branch, Gap(wanted.since, wanted.gap.upto))
        told = await self._resources.in_thread(lambda: by_rule(whole))
        self._bad.pop(through, None)
        return Summary.of(told, since=wanted.since, upto=wanted.gap.upto, through=through, by="rule")


def _told(active: ActiveUser, branch: Sequence[Turn], gap: Gap) -> list[Said]:
    """What was said in some exchanges, without those that say what the user had deleted."""
    buried = Buried(active.tombstones)
    turns = exchanges_of(branch, gap)
    left_out = {turn.exchange for turn in turns if buried.says(turn)}
    return [Said(turn.role, turn.content) for turn in turns if turn.exchange not in left_out]


def _kept(told: Told, active: ActiveUser) -> Told:
    """A model's words as they may be stored (R32)."""
    return Told(**{key: storable(mask(text), active.agreed, of_anyone=True) for key, text in vars(told).items()})
