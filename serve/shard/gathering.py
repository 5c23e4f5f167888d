"""From feedback to proposals, every few hours (E3): samples get their topics, batches that are large enough a proposal each."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import cast

import numpy as np

from evolution.batches import Batch, Sample, batches, with_topics
from evolution.revising import Draft, question, read_draft, ready
from lake.store import Put
from memory.extract.answer import BadAnswer
from schemas.conversation import Feedback
from schemas.errors import LaomaError
from schemas.policy import Part, Policy, Revision
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.background_model import BackgroundModel
from serve.shard.evolving import Evolving
from serve.shard.masking import mask
from serve.shard.resources import Resources

log = logging.getLogger("laoma.evolution")
_WINDOW = timedelta(days=90)
"""Older samples tell of an assistant that is no more."""
_MOST = 400
"""Samples of one user that are looked at, the latest."""
_WENT_AWAY = "interruption"


class Gathering:
    """One user after the other, each held for a moment. ``busy``: somebody waits for a reply, a model is not asked then."""

    def __init__(self, resources: Resources, users: ActiveUsers, evolving: Evolving, *, busy: Callable[[], bool]) -> None:
        self._resources, self._users, self._evolving = resources, users, evolving
        self._model = BackgroundModel(resources.model, resources.settings.model, busy) if resources.model is not None else None

    async def gather(self) -> dict[str, int]:
        """How many samples were looked at and what became of the batches; a batch that needs a model waits for one."""
        counts: Counter[str] = Counter(samples=0)
        for user in await self._resources.in_thread(self._resources.store.users, "bulk"):
            try:
                counts.update(await self._of(user))
            except Exception:  # one user's trouble must not keep the others waiting
                log.exception("a user's feedback could not be gathered")
                counts["failed"] += 1
            await asyncio.sleep(0)
        return dict(counts)

    async def _of(self, user: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        known = [row for row in (await self._evolving.revisions(user)).data if row.scope != "dialogue"]
        used = {id for row in known for id in row.samples}
        rows = await self._fresh(user, used)
        counts["samples"] = len(rows)
        if not rows:
            return counts
        async with self._users.use(user) as active:
            samples = await self._with_topics(active, await self._samples(active, rows))
        for batch in batches(samples):
            revision = await self._propose(user, batch, known)
            counts[revision.state if isinstance(revision, Revision) else revision] += 1
            if isinstance(revision, Revision):
                known.append(revision)
        return counts

    async def _fresh(self, user: str, used: set[str]) -> list[Feedback]:
        since = self._resources.now() - _WINDOW
        rows = await self._resources.in_thread(lambda: self._resources.store.rows(Feedback, user), "bulk")
        fresh = [row for row in rows if row.error is not None and row.at >= since and row.id not in used]
        latest = {row.turn: row for row in sorted(fresh, key=lambda row: (row.at, row.id))}  # a thumb and a word are one sample
        return list(latest.values())[-_MOST:]

    async def _samples(self, active: ActiveUser, rows: Sequence[Feedback]) -> list[Sample]:
        """With the words around each; one whose reply is gone tells nothing."""
        after = {turn.parent: turn for turn in map(active.turns.at, range(len(active.turns))) if turn.role == "user" and turn.parent}
        found = []
        for row in rows:
            reply = active.turns.get(row.turn)
            asked = active.turns.get(reply.parent or "") if reply is not None else None
            if reply is not None and asked is not None:
                said = after.get(reply.id)
                found.append((row, asked.content, reply.content, row.comment or (said.content if said is not None else "")))
        limit, calibration = self._resources.settings.embedding.max_chars, active.memories.calibration
        texts = [asked[:limit] or "." for _, asked, _, _ in found]
        if not texts:
            return []
        vectors = await self._resources.in_thread(lambda: self._resources.embedder.query(texts), "passage")
        samples = []
        for (row, question_, answer, comment), text, vector in zip(found, texts, vectors, strict=True):
            assert row.error is not None
            near = calibration.query(np.asarray(vector, dtype=np.float32), text)
            samples.append(Sample(row.id, row.error, question_, answer, comment, row.signal != _WENT_AWAY, near, row.topic))
        return samples

    async def _with_topics(self, active: ActiveUser, samples: Sequence[Sample]) -> list[Sample]:
        """The topics are kept with the feedback that is still there."""
        topics = with_topics(samples)
        new = [one.id for one in samples if one.topic is None]
        async with active.lock:
            there = await self._resources.in_thread(lambda: self._resources.store.rows(Feedback, active.user, ids=new)) if new else []
            if there:
                await self._resources.commit([Put([row.but(topic=topics[row.id]) for row in there])])
        return [Sample(**{**vars(one), "topic": topics[one.id]}) for one in samples]

    async def _propose(self, user: str, batch: Batch, known: Sequence[Revision]) -> Revision | str:
        """A revision that is stored, or why there is none."""
        live = await self._evolving.live(user)
        drafts = ready(batch, live)
        if not drafts:
            written = await self._written(batch, live.lines if live is not None else [])
            if isinstance(written, str):
                return written
            drafts = [written]
        drafts = [Draft(rule=mask(one.rule), fault=one.fault, situation=one.situation) for one in drafts]
        if any(row.replacement == one.rule for row in known for one in drafts):
            return "known_already"
        revision = None
        for draft in drafts:
            revision = await self._evolving.judge(
                user, batch.id, draft.rule, fault=draft.fault, part=_part(draft, live), error=batch.error,
                samples=tuple(one.id for one in batch.samples),
            )  # fmt: skip
            if revision.state == "proposed":
                break
        assert revision is not None
        return await self._evolving.keep(revision)

    async def _written(self, batch: Batch, rules: Sequence[str]) -> Draft | str:
        if self._model is None or not self._resources.learns():
            return "waits_for_model"
        try:
            draft = read_draft(await self._model.ask(question(batch, rules)), rules)
        except (BadAnswer, LaomaError, OSError) as error:
            log.warning("a batch of feedback waits for the model: %s", error)
            return "waits_for_model"
        return draft if draft.rule and draft.rule != draft.fault else "nothing_to_propose"


def _part(draft: Draft, live: Policy | None) -> Part:
    """Where the sentence at fault stands, else where the new one belongs."""
    if live is not None and draft.fault:
        for part, lines in (("rules", live.rules), ("strategies", live.strategies), ("situations", live.situations)):
            if draft.fault in lines:
                return cast("Part", part)
    return "situations" if draft.situation else "rules"
