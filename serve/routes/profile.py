"""The user's profile, feedback, consents, and the export of all that is theirs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from memory.privacy import Sensitive
from schemas.conversation import Feedback
from schemas.dialogue import Deleted
from schemas.errors import InvalidRequest
from schemas.memory import Consent
from schemas.memory_api import ConsentIn, FeedbackIn, ProfileView
from schemas.snapshot import Erased
from serve import erasing
from serve.auth import CallerDep, PartsDep
from serve.shard.service import ShardService

router = APIRouter(prefix="/v1", tags=["profile"])


@router.get("/profile", summary="Who the user is, as far as it is known")
async def profile(who: CallerDep, parts: PartsDep) -> ProfileView:
    """Base attributes, preferences with source and confidence, behaviour of the last seven days."""
    return await parts.shards.call(ShardService.profile, who.user)


@router.post("/feedback", status_code=201, summary="Thumb a reply up or down")
async def feedback(body: FeedbackIn, who: CallerDep, parts: PartsDep) -> Feedback:
    """A second thumb on the same reply replaces the first."""
    return await parts.shards.call(ShardService.feedback, who.user, body)


@router.get("/consents", summary="Sensitive categories that may be stored")
async def consents(who: CallerDep, parts: PartsDep) -> list[Consent]:
    """Empty: none may."""
    return await parts.shards.call(ShardService.consents, who.user)


@router.put("/consents", summary="Give leave to store a sensitive category")
async def consent(body: ConsentIn, who: CallerDep, parts: PartsDep) -> Consent:
    """Holds until it is withdrawn."""
    return await parts.shards.call(ShardService.give_consent, who.user, body.category)


@router.delete("/consents", summary="Withdraw leave")
async def withdraw(category: Sensitive, who: CallerDep, parts: PartsDep) -> Deleted:
    """What was stored under it stays until it is deleted."""
    return await parts.shards.call(ShardService.withdraw_consent, who.user, category)


@router.get("/export", summary="All that is yours, as JSON lines")
async def export(who: CallerDep, parts: PartsDep) -> StreamingResponse:
    """One row a line: `{"table": …, "row": {…}}`."""
    lines = await parts.shards.call(ShardService.export, who.user)
    return StreamingResponse((line + "\n" for line in lines), media_type="application/x-ndjson")


@router.delete("/me", summary="Erase all that is yours")
async def erase(
    who: CallerDep, parts: PartsDep, user: Annotated[str, Query(max_length=400, description="your own name, so that it is no accident")]
) -> Erased:
    """Memories, conversations, history, logs, snapshots: no byte stays, nothing brings it back. The key goes on working."""
    if user != who.user:
        raise InvalidRequest(f"Say whom to erase: `?user={who.user}`.", param="user")
    return await erasing.erase(parts.shards, parts.home, who.user, parts.now())
