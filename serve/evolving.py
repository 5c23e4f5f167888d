"""Changes of policy: a snapshot first (E10), then a new version in the shards. The base is the same in all of them."""

from __future__ import annotations

from schemas.errors import Forbidden
from schemas.policy import BASE, Policy, Revision, RevisionIn, RevisionList
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


async def approve(parts: Parts, who: Caller, id: str, *, untested: bool) -> Revision:
    """Make it live. Raises NotFound, Forbidden, Conflict."""
    owner = await _owner(parts, who, id)
    revision = await parts.shards.call(ShardService.approvable, owner, id, "admin" in who.roles, untested)
    snapshot = await snapshots.create(parts.shards, parts.home, parts.now(), reason="evolution")
    policy, lived = await parts.shards.call(ShardService.revised, owner, revision, snapshot.name)
    await _adopt(parts, policy)
    return await parts.shards.call(ShardService.keep_revision, owner, lived)


async def reject(parts: Parts, who: Caller, id: str) -> Revision:
    """It is not wanted. Raises NotFound, Conflict."""
    return await parts.shards.call(ShardService.reject, await _owner(parts, who, id), id)


async def rollback(parts: Parts, who: Caller, to: str | None) -> Policy:
    """Back to an earlier version, as a new one. Raises NotFound, Forbidden, Conflict."""
    owner = _base(who) if to is not None and to.startswith("b") else who.user
    await parts.shards.call(ShardService.rolled_back, owner, to, None)
    snapshot = await snapshots.create(parts.shards, parts.home, parts.now(), reason="evolution")
    policy = await parts.shards.call(ShardService.rolled_back, owner, to, snapshot.name)
    await _adopt(parts, policy)
    return policy


async def _adopt(parts: Parts, policy: Policy) -> None:
    if policy.user == BASE:
        await parts.shards.each(ShardService.adopt_base, policy)
    else:
        await parts.shards.call(ShardService.adopt, policy.user, policy)


async def _owner(parts: Parts, who: Caller, id: str) -> str:
    """Whose revision it is: the caller's, or for an admin one for all."""
    if "admin" in who.roles and any(row.id == id for row in (await parts.shards.call(ShardService.revisions, BASE)).data):
        return BASE
    return who.user


def _base(who: Caller) -> str:
    if "admin" not in who.roles:
        raise Forbidden("This holds for everybody: it needs an admin key.", code="admin_needed")
    return BASE
