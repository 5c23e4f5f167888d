"""Hears in each exchange what the user thought of the reply before it (E1), off the reply's path, and keeps it as feedback (E2).

One row a reply, ``signal-REPLY``: hearing it again changes nothing. A single explicit word about the form ("too long") holds at once for
its conversation, and for it alone (E5).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from evolution.errors import cut_off, with_error
from evolution.proposals import FORM_ALONE, rule_for
from evolution.signals import Heard, Signal, read
from lake.store import Put
from schemas.conversation import Error, Feedback
from schemas.turn import Turn
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.backlog import Backlog
from serve.shard.resources import Resources

log = logging.getLogger("laoma.hearing")
Wish = Callable[[str, str, Error, str, str], Awaitable[object]]
"""A rule that a user asks for in a conversation: user, conversation, error, rule, the feedback it comes from."""
_BATCH = 4
_LONGEST_BUSY_S = 5.0
"""Under calls that never end it goes on so often all the same, seconds."""
_AGAIN = timedelta(days=1)
"""What a killed process left unheard is heard when its user comes again, of the last day."""
_HALF = 0.5
"""An interruption alone weighs so much: it may have had another reason."""


class Hearing:
    """A backlog of turns, and one worker. A user's turn speaks about the reply before it, a reply about what it leaves out."""

    def __init__(self, resources: Resources, users: ActiveUsers, wish: Wish) -> None:
        self._resources, self._users, self._wish = resources, users, wish
        self._backlog = Backlog()
        self._seen: set[str] = set()
        self._worker: asyncio.Task[None] | None = None
        users.on_load.append(self._unheard)

    def start(self) -> None:
        """Work until :meth:`stop`."""
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Leave the rest: it is heard when its user comes again."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)

    @property
    def alive(self) -> bool:
        """Whether the worker works, or is not meant to."""
        return self._worker is None or not self._worker.done()

    def add(self, turn: Turn) -> None:
        """Queue a turn of a chat, once."""
        if turn.origin == "chat" and turn.role in ("user", "assistant"):
            self._backlog.add(turn.user, turn.id)

    def waiting(self) -> int:
        """Turns not heard yet."""
        return len(self._backlog)

    async def idle(self, user: str) -> None:
        """Returns when nothing of this user waits, or the user is set aside for long."""
        await self._backlog.empty(user)

    def _unheard(self, active: ActiveUser) -> None:
        if active.user in self._seen:
            return
        self._seen.add(active.user)
        since = self._resources.now() - _AGAIN
        for turn in sorted(active.hot.values(), key=lambda turn: (turn.at, turn.id)):
            if turn.at >= since:
                self.add(turn)

    async def _work(self) -> None:
        while True:
            user = await self._backlog.next()
            await self._resources.calm.comes(_LONGEST_BUSY_S)
            ids = self._backlog.of(user, 1 if self._backlog.failures(user) else _BATCH)
            try:
                await self._batch(user, ids)
            except Exception as error:
                log.warning("what a user says about replies is heard later: %s", error)
                self._backlog.failed(user, behind=ids)
            else:
                self._backlog.done(user, ids)

    async def _batch(self, user: str, ids: Sequence[str]) -> None:
        async with self._users.use(user) as active:
            turns = [turn for id in ids if (turn := active.turns.get(id)) is not None]
            found = [(turn, reply, heard) for turn in turns for reply, heard in _heard(active, turn)]
            if not found:
                return
            signals = await self._resources.in_thread(lambda: read([heard for _, _, heard in found], self._resources.embedder), "passage")
            for (turn, reply, heard), signal in zip(found, signals, strict=True):
                await self._keep(active, reply, heard, _row(turn, reply, heard, *with_error(signal, heard)))

    async def _keep(self, active: ActiveUser, reply: Turn, heard: Heard, row: Feedback | None) -> None:
        if row is None:
            return
        async with active.lock:
            if active.turns.get(reply.id) is None:
                return  # deleted meanwhile
            await self._resources.commit([Put([row])])
        if row.signal == "explicit_negative" and row.error in FORM_ALONE and heard.said is not None:
            rule = rule_for(row.error, heard.said)
            if rule is not None:
                await self._wish(active.user, reply.conversation, row.error, rule, row.id)


def _heard(active: ActiveUser, turn: Turn) -> list[tuple[Turn, Heard]]:
    """The reply that a turn tells something about; none where the reply was not laoma's own."""
    reply = turn if turn.role == "assistant" else active.turns.get(turn.parent or "")
    if reply is None or reply.role != "assistant" or reply.policy_version is None:
        return []
    asked = active.turns.get(reply.parent or "")
    said = turn.content if turn.role == "user" else None
    return [(reply, Heard(asked.content if asked is not None else "", reply.content, said, reply.interrupted))]


def _row(turn: Turn, reply: Turn, heard: Heard, signal: Signal, error: Error | None) -> Feedback | None:
    kind, weight = signal.kind, round(signal.share, 3)
    if kind == "none":
        if heard.said is not None or not reply.interrupted:
            return None
        error, weight = cut_off(reply.content), _HALF
    return Feedback(
        id=f"signal-{reply.id}",
        user=reply.user,
        at=turn.at,
        turn=reply.id,
        conversation=reply.conversation,
        signal="interruption" if kind == "none" else kind,
        policy_version=reply.policy_version,
        weight=weight,
        error=error,
        missing=list(signal.missing) or None,
    )
