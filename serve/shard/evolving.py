"""A shard's policies and revisions: what is live for a user, what was proposed, and each change as a new version."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from evolution import policies
from evolution.constitution import read_constitution
from evolution.revisions import consent, gated, propose, require_approvable, require_testable
from lake.store import Put
from schemas.conversation import Error
from schemas.errors import Conflict, NotFound, SettingsError
from schemas.policy import BASE, GateResult, Part, Policy, PolicyList, Preview, Revision, RevisionIn, RevisionList, Scope, Trial
from serve.shard.masking import mask
from serve.shard.resources import Resources

log = logging.getLogger("laoma.evolution")
_OPPOSITE: dict[str, Error] = {"too_long": "too_short", "too_short": "too_long"}
_KEPT = 1000
"""Users whose live policy is at hand."""


class Evolving:
    """``owner`` is a user, or :data:`schemas.policy.BASE` for what holds for all. Calls of one owner come one after the other."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._live: OrderedDict[str, tuple[Policy | None, dict[str, list[str]]]] = OrderedDict()
        self._adopting = asyncio.Lock()
        self._constitution = ""

    def start(self) -> None:
        """Note which constitution is in force (blocking). One that can't be read is noted too: nothing is judged before it is mended."""
        try:
            self._constitution = read_constitution(self.home).digest
            log.info("constitution %s", self._constitution)
        except (SettingsError, OSError) as error:
            log.error("no proposal can be judged: %s", error)

    def forget(self) -> None:
        """The tables became others: what is live is read anew."""
        self._live.clear()

    async def policy(self, user: str, conversation: str) -> tuple[str, str, str]:
        """What a prompt tells of the live policy, what of this conversation's own rules, and the version that answers."""
        base, _ = await self._at_hand(BASE)
        own, talks = await self._at_hand(user)
        return policies.told(base, own), policies.told_here(talks.get(conversation, [])), policies.version(base, own)

    async def listed(self, user: str, between: tuple[str, str] | None) -> PolicyList:
        """The user's versions and the base's, latest first. Raises NotFound for a version that is none."""
        own, base = await self._versions(user), await self._versions(BASE)
        known = [*own, *base]
        lines = policies.diff(policies.found(known, between[0]), policies.found(known, between[1])) if between else None
        data = sorted(known, key=lambda one: (one.at, one.number), reverse=True)
        live = policies.version(policies.live(base), policies.live(own))
        return PolicyList(data=data, live=live, diff=lines, constitution=await self._in_force(), constitution_at_start=self._constitution)

    async def live(self, owner: str) -> Policy | None:
        """The latest version of an owner."""
        return policies.live(await self._versions(owner))

    async def rolled_back(self, owner: str, to: str | None, snapshot: str | None) -> Policy:
        """The version that a rollback makes; not stored yet. Raises NotFound, Conflict where nothing would change."""
        versions = await self._versions(owner)
        last = policies.live(versions)
        if last is None:
            raise Conflict("Nothing was ever changed: there is nothing to go back to.", code="no_change")
        target = policies.found(versions, to if to is not None else last.previous or "u0")
        if (target.lines if target else []) == last.lines:
            raise Conflict(f"{last.id} says the same already.", code="no_change")
        return policies.restored(versions, target, owner, self._resources.now(), snapshot)

    async def revise(self, owner: str, revision: Revision, snapshot: str | None) -> tuple[Policy, Revision]:
        """The version that a revision leads to and the revision as live; neither is stored yet. Raises Conflict."""
        now = self._resources.now()
        policy = policies.revised(await self._versions(owner), revision, owner, now, snapshot)
        return policy, revision.but(state="live", policy=policy.id, updated_at=now, reason="approved")

    async def adopt(self, policy: Policy, revision: Revision | None = None) -> Policy:
        """Store a version and make it live; again: nothing more. Raises Conflict where another one has its number."""
        async with self._adopting:
            there = await self._versions(policy.user)
            if any(one.id == policy.id for one in there):
                return policy
            if any(one.number >= policy.number for one in there):
                raise Conflict("The policy has changed meanwhile: look at it again.", code="policy_changed")
            await self._resources.commit([Put([policy]), *([Put([revision])] if revision else [])])
            self._live.pop(policy.user, None)
            return policy

    async def obey(self, user: str, conversation: str, error: Error, rule: str, sample: str) -> Revision | None:
        """A rule that the user asked for in a conversation (E5): it holds there at once, in the place of an earlier one about the same.
        Their word is the yes; what nobody may agree to is kept as refused. None where it was settled before."""
        id = f"dialogue-{sample}"
        here = [row for row in (await self.revisions(user)).data if row.scope == "dialogue" and row.conversation == conversation]
        standing = [row for row in here if row.state == "live" and row.error in (error, _OPPOSITE.get(error))]
        if any(row.id == id for row in here) or any(row.replacement == rule for row in standing):
            return None
        at = self._resources.now()
        revision = await self.judge(user, id, rule, scope="dialogue", error=error, samples=(sample,), conversation=conversation)
        if revision.state == "proposed":
            revision = revision.but(state="live", reason="asked for in this conversation, and gone with it")
            gone = [row.but(state="rejected", reason="another wish came after it", updated_at=at) for row in standing]
        else:
            gone = []
        await self._resources.commit([Put([revision, *gone])])
        self._live.pop(user, None)
        return revision

    async def ended(self, user: str, conversation: str) -> None:
        """What held in a conversation alone is gone with it (E5)."""
        at = self._resources.now()
        gone = [
            row.but(state="rejected", reason="its conversation ended", updated_at=at)
            for row in (await self.revisions(user)).data
            if row.scope == "dialogue" and row.state == "live" and row.conversation == conversation
        ]
        if gone:
            await self._resources.commit([Put(gone)])
            self._live.pop(user, None)

    async def revisions(self, owner: str) -> RevisionList:
        """Latest first."""
        rows = await self._resources.in_thread(lambda: self._resources.store.rows(Revision, owner))
        return RevisionList(data=sorted(rows, key=lambda row: (row.at, row.id), reverse=True))

    async def revision(self, owner: str, id: str) -> Revision:
        """Raises NotFound."""
        rows = await self._resources.in_thread(lambda: self._resources.store.rows(Revision, owner, ids=[id]))
        if not rows:
            raise NotFound("No such revision: `laoma revisions list` shows them.", param="id")
        return rows[0]

    async def proposed(self, owner: str, wanted: RevisionIn, id: str) -> Revision:
        """Judge a person's proposal; not stored yet. Raises SettingsError for a constitution that can't be read."""
        return await self.judge(owner, id, mask(wanted.replacement), fault=mask(wanted.fault), part=wanted.part, scope=wanted.scope)

    async def judge(
        self, owner: str, id: str, rule: str, *, fault: str = "", part: Part = "rules", scope: Scope = "scene",
        error: str | None = None, samples: tuple[str, ...] = (), conversation: str | None = None,
    ) -> Revision:  # fmt: skip
        """A proposal as it is judged (E6-E8); not stored yet, masked already. Raises SettingsError."""
        at = self._resources.now()
        return await self._resources.in_thread(
            lambda: propose(
                id=id, user=owner, at=at, scope=scope, replacement=rule, fault=fault, part=part, error=error, samples=samples,
                conversation=conversation, constitution=read_constitution(self.home), embedder=self._resources.embedder,
            )
        )  # fmt: skip

    async def keep(self, revision: Revision) -> Revision:
        """Store one as it is."""
        await self._resources.commit([Put([revision])])
        self._live.pop(revision.user, None)
        return revision

    async def approvable(self, owner: str, id: str, *, admin: bool, untested: bool) -> Revision:
        """A revision that this person may approve now, judged anew. Raises NotFound, Forbidden, Conflict."""
        revision = await self.revision(owner, id)
        needs = await self._resources.in_thread(lambda: consent(revision, read_constitution(self.home), self._resources.embedder))
        require_approvable(revision, needs, admin=admin, untested=untested)
        policies.revised(await self._versions(owner), revision, owner, self._resources.now(), None)
        return revision

    async def trials(self, ids: Sequence[str]) -> list[Trial]:
        """What the gate may try: the proposals of these ids, or all of everybody that it has not tried yet. Those that would change nothing
        are left out."""
        where = "scope <> 'dialogue' AND state IN ('proposed', 'ready')" if ids else "scope <> 'dialogue' AND state = 'proposed'"
        rows = await self._resources.in_thread(lambda: self._resources.store.rows(Revision, None, where=where))
        found = []
        for row in sorted(rows, key=lambda row: (row.at, row.id)):
            if row.id in ids or not ids:
                with suppress(Conflict):
                    found.append(await self._trial(row))
        return found

    async def _trial(self, row: Revision) -> Trial:
        versions = await self._versions(row.user)
        after = policies.revised(versions, row, row.user, self._resources.now(), None)
        if row.user == BASE:
            return Trial(revision=row, base=policies.live(versions), own=None, base_after=after, own_after=None)
        base = policies.live(await self._versions(BASE))
        return Trial(revision=row, base=base, own=policies.live(versions), base_after=base, own_after=after)

    async def preview(self, owner: str, id: str) -> Preview:
        """What a revision that waits would change (E5). Raises NotFound."""
        revision = await self.revision(owner, id)
        if revision.scope == "dialogue" or revision.state not in ("proposed", "ready"):
            return Preview(revision=revision)
        versions = await self._versions(owner)
        try:
            after = policies.revised(versions, revision, owner, self._resources.now(), None)
        except Conflict:
            return Preview(revision=revision)
        return Preview(revision=revision, diff=policies.diff(policies.live(versions), after))

    async def gated(self, owner: str, id: str, result: GateResult) -> Revision:
        """Keep what the gate said. Raises NotFound, Conflict where a person decided meanwhile."""
        revision = await self.revision(owner, id)
        require_testable(revision)
        return await self.keep(gated(revision, result, self._resources.now()))

    async def reject(self, owner: str, id: str) -> Revision:
        """A person does not want it. Raises NotFound, Conflict where it is live (roll back instead)."""
        revision = await self.revision(owner, id)
        if revision.state == "live" and revision.scope != "dialogue":
            raise Conflict("It is live: `laoma policies rollback` takes it back.", code="revision_live")
        return await self.keep(revision.but(state="rejected", reason="a person rejected it", updated_at=self._resources.now()))

    @property
    def home(self) -> Path:
        """Where ``constitution.yaml`` lies."""
        return self._resources.logs.parent

    async def _at_hand(self, owner: str) -> tuple[Policy | None, dict[str, list[str]]]:
        if owner not in self._live:
            own = policies.live(await self._versions(owner))
            talks: dict[str, list[str]] = {}
            for row in reversed((await self.revisions(owner)).data):
                if row.scope == "dialogue" and row.state == "live" and row.conversation:
                    talks.setdefault(row.conversation, []).append(row.replacement)
            self._live[owner] = own, talks
            while len(self._live) > _KEPT:
                self._live.popitem(last=False)
        return self._live[owner]

    async def _in_force(self) -> str:
        try:
            return (await self._resources.in_thread(lambda: read_constitution(self.home))).digest
        except (SettingsError, OSError):
            return ""

    async def _versions(self, owner: str) -> list[Policy]:
        return await self._resources.in_thread(lambda: self._resources.store.rows(Policy, owner))
