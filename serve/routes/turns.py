"""Turns and conversations: ingest, read, search, close, delete."""

from __future__ import annotations

from fastapi import APIRouter, Query

from schemas.dialogue import ConversationPage, ConversationView, Deleted, TurnsRequest, TurnsResponse
from schemas.recall import TurnSearchRequest, TurnSearchResponse
from schemas.turn import Turn
from serve.auth import CallerDep, PartsDep
from serve.shard.service import ShardService

router = APIRouter(prefix="/v1", tags=["turns"])


@router.post("/turns", summary="Ingest a dialogue without a reply")
async def ingest(body: TurnsRequest, who: CallerDep, parts: PartsDep) -> TurnsResponse:
    """Each turn is on disk when this answers; with `wait` its extraction is done too."""
    ids = [parts.new_id() for _ in body.messages]
    return await parts.shards.call(ShardService.ingest, who.user, body, ids, parts.now())


@router.post("/turns/search", summary="Search what was said")
async def search(body: TurnSearchRequest, who: CallerDep, parts: PartsDep) -> TurnSearchResponse:
    """By meaning and words, dates and speakers (R35)."""
    return await parts.shards.call(ShardService.search_turns, who.user, body)


@router.get("/turns/{turn_id}", summary="One turn with its extraction state")
async def turn(turn_id: str, who: CallerDep, parts: PartsDep) -> Turn:
    """`extraction` is pending until its memories are settled."""
    return await parts.shards.call(ShardService.turn, who.user, turn_id)


@router.get("/conversations", summary="Conversations, latest first")
async def conversations(
    who: CallerDep, parts: PartsDep, limit: int = Query(50, ge=1, le=500), cursor: str | None = Query(None, max_length=400)
) -> ConversationPage:
    """Follow `next_cursor` for more."""
    return await parts.shards.call(ShardService.conversations, who.user, limit, cursor)


@router.get("/conversations/{conversation_id:path}", summary="One conversation with its turns")
async def conversation(conversation_id: str, who: CallerDep, parts: PartsDep) -> ConversationView:
    """All its turns in order, sealed ones too."""
    return await parts.shards.call(ShardService.conversation, who.user, conversation_id)


@router.delete("/conversations/{conversation_id:path}", summary="Delete a conversation's turns")
async def delete_conversation(conversation_id: str, who: CallerDep, parts: PartsDep) -> Deleted:
    """Its turns are gone; memories drawn from them stay until they are deleted themselves."""
    return await parts.shards.call(ShardService.delete_conversation, who.user, conversation_id)


@router.post("/conversations/{conversation_id:path}/close", summary="End a conversation and wait for its extraction")
async def close(conversation_id: str, who: CallerDep, parts: PartsDep) -> ConversationView:
    """What is left is written back; answers when it is."""
    return await parts.shards.call(ShardService.close_conversation, who.user, conversation_id)
