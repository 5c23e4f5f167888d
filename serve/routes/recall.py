"""Recall over HTTP."""

from __future__ import annotations

from fastapi import APIRouter

from schemas.recall import RecallRequest, RecallResponse
from serve.auth import CallerDep, PartsDep
from serve.shard.service import ShardService

router = APIRouter(prefix="/v1", tags=["recall"])


@router.post("/recall", summary="What is remembered about this")
async def recall(body: RecallRequest, who: CallerDep, parts: PartsDep) -> RecallResponse:
    """At most `limit` memories that are relevant, best first, each with the parts of its score; none when none is."""
    return await parts.shards.call(ShardService.recall, who.user, body)
