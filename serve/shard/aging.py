"""What time does to the memories of a shard: the nightly review, the drift check, and revival (R10-R19)."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory import drift
from memory.life import Step, review, seen_again
from memory.old_events import merged
from schemas.memory import Actor, Change, Memory
from schemas.turn import Turn
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.ledger import record
from serve.shard.resources import Resources

log = logging.getLogger("laoma.shard")


class Aging:
    """Each change is a row with its reason; each user is held for a moment only, under their own lock."""

    def __init__(self, resources: Resources, users: ActiveUsers) -> None:
        self._resources, self._users = resources, users

    async def decay(self) -> dict[str, int]:
        """Review every user of the shard; how many memories took which step. Again at once: nothing more."""
        taken: Counter[str] = Counter()
        for user in await self._everybody():
            try:
                async with self._users.use(user) as active, active.lock:
                    if not active.by_words_only:
                        taken.update(step.action for step in await self._age(active))
            except Exception:  # one user's trouble must not keep the others waiting
                log.exception("a user's memories could not be reviewed")
                taken["failed"] += 1
            await asyncio.sleep(0)
        return dict(taken)

    async def drift(self) -> dict[str, int]:
        """Compare often changed memories with their source turns; how many were looked at, and what became of those that had moved."""
        taken: Counter[str] = Counter(checked=0)
        life = self._resources.settings.life
        for user in await self._everybody():
            async with self._users.use(user) as active:
                if active.by_words_only:
                    continue
                for memory in [one for one in active.memories.all() if drift.needs_look(one, life)]:
                    taken["checked"] += 1
                    step = await self._look(active, memory.id)
                    if step is not None:
                        taken[step.action] += 1
        return dict(taken)

    async def _everybody(self) -> list[str]:
        return await self._resources.in_thread(self._resources.store.users, "bulk")

    async def _age(self, active: ActiveUser) -> Sequence[Step]:
        resources, at = self._resources, active.moments.now()
        changes = await resources.in_thread(lambda: resources.store.rows(Change, active.user, where="action = 'expire'"), "bulk")
        steps = review(active.memories.all(), changes, at, resources.settings.life)
        aged = {step.memory.id: step.memory for step in steps}
        after = [aged.get(memory.id, memory) for memory in active.memories.all()]
        steps += merged(after, at, resources.zone, resources.settings.life, resources.new_id)
        await write(resources, active, steps, at, "job")
        return steps

    async def _look(self, active: ActiveUser, id: str) -> Step | None:
        resources = self._resources
        async with active.lock:
            memory = active.memories.get(id)
            if memory is None or not drift.needs_look(memory, resources.settings.life):
                return None
            source = sources(active, memory)
            nearest = drift.closeness(resources.embedder, active.memories.calibration)
            at = active.moments.now()
            step = await resources.in_thread(lambda: drift.checked(memory, source, nearest, at, resources.settings.life), "bulk")
            if step is not None:
                await write(resources, active, [step], at, "job")
            return step


def sources(active: ActiveUser, memory: Memory) -> list[Turn]:
    """The turns that a memory names, as far as they are left."""
    return [turn for id in memory.turns if (turn := active.turns.get(id)) is not None]


def promoted(active: ActiveUser, resources: Resources, memories: Sequence[Memory], turn: Turn) -> list[Step]:
    """Which of the memories that ``turn`` has just confirmed are promoted by it (R10, R11)."""
    confirmed = [memory for memory in memories if turn.id in memory.turns and len(memory.turns) > 1]
    steps = [seen_again(memory, [*sources(active, memory)], resources.settings.life) for memory in confirmed]
    return [step for step in steps if step is not None]


async def write(resources: Resources, active: ActiveUser, steps: Sequence[Step], at: datetime, actor: Actor) -> None:
    """Carry steps out, each with its row in the history. Call it under ``active.lock``."""
    if steps:
        await record(resources, active, [step.memory for step in steps], [told(resources, active, step, at, actor) for step in steps])


def told(resources: Resources, active: ActiveUser, step: Step, at: datetime, actor: Actor, turn: str | None = None) -> Change:
    """The row of the history that says what a step did."""
    held: Any = active.memories.get(step.memory.id)
    before = held.text if held is not None else None
    return Change(
        id=resources.new_id(), user=active.user, memory=step.memory.id, at=at, action=step.action, before=before, after=step.memory.text,
        reason=step.reason, actor=actor, turn=turn,
    )  # fmt: skip
