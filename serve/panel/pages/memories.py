"""What is remembered: found, corrected, taken back, deleted; the history of one."""

from __future__ import annotations

import json
from typing import Annotated, TypeVar

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import TypeAdapter, ValidationError

from schemas.errors import InvalidRequest
from schemas.memory import GENERAL_SCENE, Kind, Status
from schemas.memory_api import MemoryIn, MemoryPatch, MemoryView, Revert
from serve.auth import PartsDep
from serve.panel.doors import ActDep, PageRoute, SessionDep
from serve.panel.render import page
from serve.shard.service import ShardService

router = APIRouter(prefix="/panel/memories", route_class=PageRoute, include_in_schema=False)
KINDS: tuple[Kind, ...] = ("profile", "fact", "preference", "event", "knowledge")
STATUSES: tuple[Status, ...] = ("active", "probation", "pending", "archived", "deprecated")
_PAGE = 50
_UNDO = TypeAdapter(list[MemoryIn])
_UNDO_AT_MOST = 500
T = TypeVar("T", bound=str)
Text = Annotated[str, Form(min_length=1, max_length=2000)]


@router.get("")
async def show(
    request: Request, session: SessionDep, parts: PartsDep, q: str = "", kind: str = "", status: str = "", scene: str = "", cursor: str = ""
) -> Response:
    """A page of memories, filtered."""
    found = await parts.shards.call(
        ShardService.memories, session.key.user, q.strip() or None, _one_of(kind, KINDS), _one_of(status, STATUSES), _PAGE, cursor or None
    )
    shown = [memory for memory in found.data if not scene or memory.scene == scene]
    scenes = sorted({memory.scene for memory in found.data} - {GENERAL_SCENE} | ({scene} if scene else set()))
    asked = {"q": q, "kind": kind, "status": status, "scene": scene}
    return page(
        request,
        "memories.html",
        session,
        memories=shown,
        asked=asked,
        kinds=KINDS,
        statuses=STATUSES,
        scenes=scenes,
        more=found.next_cursor,
    )


@router.post("")
async def remember(session: ActDep, parts: PartsDep, text: Text) -> Response:
    """Add a statement by hand."""
    view = await parts.shards.call(ShardService.remember, session.key.user, MemoryIn(text=text))
    return RedirectResponse(f"/panel/memories/{view.id}", 303)


@router.post("/clear")
async def clear(
    request: Request, session: ActDep, parts: PartsDep, kind: Annotated[str, Form()] = "", sure: Annotated[str, Form()] = ""
) -> Response:
    """Delete a kind, or all: asked for first, with what it would take; then told, with the way back."""
    only = _one_of(kind, KINDS)
    found = await _all(parts, session.key.user, only)
    if sure != "yes":
        return page(request, "clear.html", session, kind=kind if only else "", count=len(found))
    done = await parts.shards.call(ShardService.clear_memories, session.key.user, only)
    return page(request, "deleted.html", session, count=done.count, undo=_undo(found))


@router.post("/again")
async def again(session: ActDep, parts: PartsDep, undo: Annotated[str, Form(max_length=2_000_000)]) -> Response:
    """Take a deletion back, from what the page still holds: the lake has nothing of it any more."""
    try:
        statements = _UNDO.validate_json(undo)
    except ValidationError:
        raise InvalidRequest("There is nothing to take back: this page does not hold what was deleted.", param="undo") from None
    for statement in statements[:_UNDO_AT_MOST]:
        await parts.shards.call(ShardService.remember, session.key.user, statement)
    return RedirectResponse("/panel/memories", 303)


@router.get("/{memory_id}")
async def one(request: Request, memory_id: str, session: SessionDep, parts: PartsDep) -> Response:
    """One memory with its history as a time line."""
    detail = await parts.shards.call(ShardService.memory, session.key.user, memory_id)
    return page(request, "memory.html", session, memory=detail.memory, history=detail.history[::-1], turns=detail.turns, kinds=KINDS)


@router.post("/{memory_id}")
async def correct(
    memory_id: str, session: ActDep, parts: PartsDep, text: Text, version: Annotated[int, Form()], kind: Annotated[str, Form()] = ""
) -> Response:
    """Change the text, guarded by the version that was read."""
    patch = MemoryPatch(text=text, kind=_one_of(kind, KINDS)) if kind else MemoryPatch(text=text)
    await parts.shards.call(ShardService.edit_memory, session.key.user, memory_id, patch, {version})
    return RedirectResponse(f"/panel/memories/{memory_id}", 303)


@router.post("/{memory_id}/revert")
async def revert(memory_id: str, session: ActDep, parts: PartsDep) -> Response:
    """Undo the last change."""
    await parts.shards.call(ShardService.revert_memory, session.key.user, memory_id, Revert(), None)
    return RedirectResponse(f"/panel/memories/{memory_id}", 303)


@router.post("/{memory_id}/delete")
async def delete(request: Request, memory_id: str, session: ActDep, parts: PartsDep) -> Response:
    """Gone at once; the page holds what it takes to say it again."""
    detail = await parts.shards.call(ShardService.memory, session.key.user, memory_id)
    done = await parts.shards.call(ShardService.delete_memory, session.key.user, memory_id, None)
    return page(request, "deleted.html", session, count=done.count, undo=_undo([detail.memory]))


async def _all(parts: PartsDep, user: str, kind: Kind | None) -> list[MemoryView]:
    found: list[MemoryView] = []
    for status in (None, "archived", "deprecated"):
        cursor: str | None = None
        while True:
            part = await parts.shards.call(ShardService.memories, user, None, kind, status, 500, cursor)
            found += part.data
            cursor = part.next_cursor
            if cursor is None:
                break
    return found


def _undo(memories: list[MemoryView]) -> str:
    living = [memory for memory in memories if memory.status not in ("deprecated", "archived")]
    back = [{"text": m.text, "kind": m.kind, "key": m.key, "scene": m.scene} for m in living]
    return json.dumps(back, ensure_ascii=False) if 0 < len(back) <= _UNDO_AT_MOST else ""


def _one_of(text: str, known: tuple[T, ...]) -> T | None:
    return next((value for value in known if value == text), None)
