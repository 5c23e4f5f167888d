"""What the assistant wants to change about itself, and the versions of how it behaves."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from schemas.errors import InvalidRequest
from schemas.policy import Approval, Policy, PolicyList, Preview, Revision, RevisionIn, RevisionList, Rollback, Testing
from serve import evolving
from serve.auth import CallerDep, PartsDep
from serve.shard.service import ShardService

router = APIRouter(prefix="/v1", tags=["evolution"])


@router.get("/revisions", summary="Proposed changes, latest first")
async def revisions(who: CallerDep, parts: PartsDep) -> RevisionList:
    """Yours; with an admin key those for everybody too."""
    return await evolving.listed(parts, who)


@router.post("/revisions", status_code=201, summary="Propose a change")
async def propose(body: RevisionIn, who: CallerDep, parts: PartsDep) -> Revision:
    """Judged at once: `refused` or `suspended` where it touches the constitution or would hurt, else `proposed`."""
    if not body.replacement and not body.fault:
        raise InvalidRequest("Give the new rule (replacement), the sentence that goes (fault), or both.", param="replacement")
    return await evolving.proposed(parts, who, body)


@router.get("/revisions/{revision_id}", summary="A proposed change, and what it would do")
async def preview(revision_id: str, who: CallerDep, parts: PartsDep) -> Preview:
    """Your rules before and after it, as lines that go, come and stay."""
    return await evolving.preview(parts, who, revision_id)


@router.post("/revisions/{revision_id}/approve", summary="Make a proposed change live")
async def approve(revision_id: str, who: CallerDep, parts: PartsDep, body: Approval | None = None) -> Revision:
    """A snapshot, then a new version. What holds for everybody needs an admin key; what touches the constitution nobody can."""
    return await evolving.approve(parts, who, revision_id, untested=(body or Approval()).untested)


@router.post("/revisions/{revision_id}/test", status_code=202, summary="Have the gate try a proposed change")
async def test(revision_id: str, who: CallerDep, parts: PartsDep) -> Testing:
    """The scenarios before and after it, by a job: `ready` where the pass rate does not fall, else `refused` with the cases that fell.
    Without a model that was chosen its gate is `not_testable` at once, never passed."""
    return await evolving.test(parts, who, revision_id)


@router.post("/revisions/{revision_id}/reject", summary="Turn a proposed change down")
async def reject(revision_id: str, who: CallerDep, parts: PartsDep) -> Revision:
    """It is not proposed again."""
    return await evolving.reject(parts, who, revision_id)


@router.get("/policies", summary="Versions of the behaviour, latest first")
async def policies(
    who: CallerDep,
    parts: PartsDep,
    diff: Annotated[str | None, Query(max_length=80, description="`A..B`: what differs between two versions")] = None,
) -> PolicyList:
    """The base for all (`b…`) and your overlay (`u…`); `b0` and `u0` are the empty ones before the first."""
    between = None
    if diff is not None:
        a, dots, b = diff.partition("..")
        if not (a and dots and b):
            raise InvalidRequest("Write it as A..B, for example ?diff=u0..u1.", param="diff")
        between = (a, b)
    return await parts.shards.call(ShardService.policies, who.user, between)


@router.post("/policies/rollback", summary="Go back to an earlier version")
async def rollback(who: CallerDep, parts: PartsDep, body: Rollback | None = None) -> Policy:
    """In one action, as a new version with the earlier one's words; a snapshot is made first."""
    return await evolving.rollback(parts, who, (body or Rollback()).to)
