"""Changes of policy: a snapshot first (E10), then a new version in the shards. The base is the same in all of them."""

from __future__ import annotations

from evolution.revisions import require_testable
from schemas.errors import Conflict, Forbidden
from schemas.job import JobIn
from schemas.policy import BASE, NO_MODEL, Policy, Preview, Revision, RevisionIn, RevisionList, Testing
from serve import snapshots
from serve.auth import Caller
from serve.parts import Parts
from serve.shard.service import ShardService


async def proposed(parts: Parts, who: Caller, wanted: RevisionIn) -> Revision:
    """Judge and keep a person's proposal. Raises Forbidden for a global one without an admin key."""
    owner = who.user
    if wanted.scope == "global":
        owner = _base(who)
    revision = await parts.shards.call(ShardService.judged, owner, wanted, parts.new_id())
    return await parts.shards.call(ShardService.keep_revision, owner, revision)


async def listed(parts: Parts, who: Caller) -> RevisionList:
    """The caller's own; an admin's come with those for all."""
    own = (await parts.shards.call(ShardService.revisions, who.user)).data
    for_all = (await parts.shards.call(ShardService.revisions, BASE)).data if "admin" in who.roles else []
    return RevisionList(data=sorted([*own, *for_all], key=lambda row: (row.at, row.id), reverse=True))


async def preview(parts: Parts, who: Caller, id: str) -> Preview:
    """One with what it would change. Raises NotFound."""
    return await parts.shards.call(ShardService.preview, await _owner(parts, who, id), id)


async def approve(parts: Parts, who: Caller, id: str, *, untested: bool) -> Revision:
    """Make it live; again: nothing more, but what a kill left half done is done. Raises NotFound, Forbidden, Conflict."""
    owner = await _owner(parts, who, id)
    done = await _done_already(parts, owner, id)
    if done is not None:
        return done
    revision = await parts.shards.call(ShardService.approvable, owner, id, "admin" in who.roles, untested)
    snapshot = await snapshots.create(parts.shards, parts.home, parts.now(), reason="evolution")
    policy, lived = await parts.shards.call(ShardService.revised, owner, revision, snapshot.name)
    await _adopt(parts, policy, lived)
    return lived


async def test(parts: Parts, who: Caller, id: str) -> Testing:
    """Have the gate try it. Raises NotFound, Conflict, Unavailable without a cluster."""
    owner = await _owner(parts, who, id)
    revision = await parts.shards.call(ShardService.revision, owner, id)
    require_testable(revision)
    if not parts.settings.model.is_chosen:
        return Testing(revision=await parts.shards.call(ShardService.gated, owner, id, NO_MODEL))
    job = await parts.jobs.submit(JobIn(name="gate", arguments=[id]))
    return Testing(revision=revision, job=job.id)


async def reject(parts: Parts, who: Caller, id: str) -> Revision:
    """It is not wanted. Raises NotFound, Conflict."""
    return await parts.shards.call(ShardService.reject, await _owner(parts, who, id), id)


async def rollback(parts: Parts, who: Caller, to: str | None) -> Policy:
    """Back to an earlier version, as a new one. Raises NotFound, Forbidden, Conflict."""
    owner = _base(who) if to is not None and to.startswith("b") else who.user
    try:
        await parts.shards.call(ShardService.rolled_back, owner, to, None)
    except Conflict:
        await _spread(parts, owner)
        raise
    snapshot = await snapshots.create(parts.shards, parts.home, parts.now(), reason="evolution")
    policy = await parts.shards.call(ShardService.rolled_back, owner, to, snapshot.name)
    await _adopt(parts, policy, None)
    return policy


async def _adopt(parts: Parts, policy: Policy, revision: Revision | None) -> None:
    """In the owner's shard both at once, then a base's copies: killed in between, doing it again does the rest."""
    await parts.shards.call(ShardService.adopt, policy.user, policy, revision)
    if policy.user == BASE:
        await parts.shards.each(ShardService.adopt_base, policy)


async def _done_already(parts: Parts, owner: str, id: str) -> Revision | None:
    revision = await parts.shards.call(ShardService.revision, owner, id)
    live = await parts.shards.call(ShardService.live_policy, owner)
    if live is None or live.revision != id or revision.state not in ("proposed", "ready", "live"):
        return None
    if revision.state != "live":  # killed between the two writes that an earlier release made of it
        lived = revision.but(state="live", policy=live.id, reason="approved", updated_at=parts.now())
        revision = await parts.shards.call(ShardService.keep_revision, owner, lived)
    await _spread(parts, owner)
    return revision


async def _spread(parts: Parts, owner: str) -> None:
    """Every shard has the live base."""
    if owner == BASE and (live := await parts.shards.call(ShardService.live_policy, owner)) is not None:
        await parts.shards.each(ShardService.adopt_base, live)


async def _owner(parts: Parts, who: Caller, id: str) -> str:
    """Whose revision it is: the caller's, or for an admin one for all."""
    if "admin" in who.roles and any(row.id == id for row in (await parts.shards.call(ShardService.revisions, BASE)).data):
        return BASE
    return who.user


def _base(who: Caller) -> str:
    if "admin" not in who.roles:
        raise Forbidden("This holds for everybody: it needs an admin key.", code="admin_needed")
    return BASE
