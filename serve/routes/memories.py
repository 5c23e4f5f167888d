"""Memories: list, read with history, add, change, revert, delete, clear."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from schemas.dialogue import Deleted
from schemas.errors import InvalidRequest
from schemas.memory import Kind, Status
from schemas.memory_api import ChangePage, MemoryDetail, MemoryIn, MemoryPage, MemoryPatch, MemoryView, Revert
from serve.auth import CallerDep, PartsDep
from serve.shard.service import ShardService

router = APIRouter(prefix="/v1", tags=["memories"])
IfMatch = Annotated[str | None, Header(description="the version that was read; 409 when it has changed since")]
_TAG = re.compile(r'(?:W/)?(?:"(?P<quoted>[0-9]{1,9})"|(?P<bare>[0-9]{1,9}))')


@router.get("/memories", summary="List memories")
async def list_memories(
    who: CallerDep,
    parts: PartsDep,
    q: Annotated[str | None, Query(max_length=500, description="words that the text or slot must contain")] = None,
    kind: Kind | None = None,
    status: Status | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
) -> MemoryPage:
    """Latest change first; without `status` all but the deprecated and archived ones."""
    return await parts.shards.call(ShardService.memories, who.user, q, kind, status, limit, cursor)


@router.post("/memories", status_code=201, summary="Remember a statement")
async def remember(body: MemoryIn, who: CallerDep, parts: PartsDep) -> MemoryView:
    """The same statement again confirms the one that is there."""
    return await parts.shards.call(ShardService.remember, who.user, body)


@router.delete("/memories", summary="Clear a kind, or all")
async def clear(
    request: Request,
    who: CallerDep,
    parts: PartsDep,
    kind: Kind | None = None,
    all: Annotated[bool, Query(description="must be true to clear every kind")] = False,
) -> Deleted:
    """Deleted memories leave recall at once and are not extracted again."""
    unknown = set(request.query_params) - {"kind", "all"}
    if unknown:  # a filter that is not understood must not mean "everything"
        raise InvalidRequest(f"Deletion knows no filter {sorted(unknown)[0]!r}: only `kind` and `all`.", param=sorted(unknown)[0])
    if kind is None and not all:
        raise InvalidRequest("Say which: `?kind=event`, or `?all=true` for every memory.", param="kind")
    return await parts.shards.call(ShardService.clear_memories, who.user, kind)


@router.get("/memories/{memory_id}", summary="One memory with its history and source turns")
async def memory(memory_id: str, who: CallerDep, parts: PartsDep, response: Response) -> MemoryDetail:
    """Why it says what it says. `ETag` is its version, as `If-Match` takes it."""
    found = await parts.shards.call(ShardService.memory, who.user, memory_id)
    _tagged(response, found.memory)
    return found


@router.patch("/memories/{memory_id}", summary="Correct a memory")
async def patch(
    memory_id: str, body: MemoryPatch, who: CallerDep, parts: PartsDep, response: Response, if_match: IfMatch = None
) -> MemoryView:
    """The text before stays in the history; recall finds the new one at once. Slot and scene follow a new text, unless they are named.

    409 where another memory took its place. What changes nothing writes nothing.
    """
    edited = await parts.shards.call(ShardService.edit_memory, who.user, memory_id, body, _versions(if_match))
    return _tagged(response, edited)


@router.delete("/memories/{memory_id}", summary="Delete a memory")
async def delete(memory_id: str, who: CallerDep, parts: PartsDep, if_match: IfMatch = None) -> Deleted:
    """Gone from recall at once; a tombstone keeps it from being extracted again."""
    return await parts.shards.call(ShardService.delete_memory, who.user, memory_id, _versions(if_match))


@router.post("/memories/{memory_id}/revert", summary="Go back to an earlier version")
async def revert(
    memory_id: str, who: CallerDep, parts: PartsDep, response: Response, body: Revert | None = None, if_match: IfMatch = None
) -> MemoryView:
    """A revert is itself a change with a way back. 409 where another memory took its place."""
    reverted = await parts.shards.call(ShardService.revert_memory, who.user, memory_id, body or Revert(), _versions(if_match))
    return _tagged(response, reverted)


@router.get("/changes", summary="What was learnt, replaced, forgotten, and why")
async def changes(
    who: CallerDep,
    parts: PartsDep,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
) -> ChangePage:
    """Latest first."""
    return await parts.shards.call(ShardService.changes, who.user, limit, cursor)


def _versions(if_match: str | None) -> frozenset[int] | None:
    """The versions that ``If-Match`` names, in any of its forms: ``3``, ``"3"``, ``W/"3"``, several with commas. None: all, ``*``."""
    if if_match is None or if_match.strip() == "*":
        return None
    tags = [_TAG.fullmatch(tag.strip()) for tag in if_match.split(",") if tag.strip()]
    versions = frozenset(int(tag["quoted"] or tag["bare"]) for tag in tags if tag is not None)
    if not versions or None in tags:
        raise InvalidRequest('If-Match is the version that was read, e.g. `If-Match: "3"`.', param="If-Match")
    return versions


def _tagged(response: Response, memory: MemoryView) -> MemoryView:
    response.headers["ETag"] = f'"{memory.version}"'
    return memory
