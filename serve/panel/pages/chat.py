"""Talk, see which memories were used, correct them there."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from schemas.chat import ChatRequest
from schemas.errors import LaomaError, NotFound
from schemas.memory_api import FeedbackIn, MemoryView
from schemas.turn import Turn
from serve.auth import PartsDep
from serve.failures import error_response
from serve.panel.doors import ActDep, PageRoute, SessionDep, caller_of
from serve.panel.render import page
from serve.parts import Parts
from serve.routes import chat as completions
from serve.shard.service import ShardService

router = APIRouter(prefix="/panel", route_class=PageRoute, include_in_schema=False)
_LISTED = 30
_MEMORIES_AT_MOST = 20


class Said(BaseModel):
    """What was typed, and in which conversation; None begins one."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=100_000)
    conversation: str | None = Field(None, max_length=200)
    memory: Literal["on", "read", "off"] = "on"


@router.get("")
async def show(request: Request, session: SessionDep, parts: PartsDep, conversation: str | None = None) -> Response:
    """The conversation, and the ones before it."""
    user = session.key.user
    listed = await parts.shards.call(ShardService.conversations, user, _LISTED, None)
    turns = await _spoken(parts, user, conversation) if conversation else []
    used = await _memories(parts, user, {id for turn in turns for id in turn.recalled})
    model = await parts.chat.ready()
    return page(request, "chat.html", session, conversations=listed.data, conversation=conversation, turns=turns, used=used, model=model)


@router.post("/chat")
async def say(request: Request, body: Said, session: ActDep, parts: PartsDep) -> Response:
    """The reply as OpenAI's event stream; the window of the conversation goes along as a client would send it."""
    user, conversation = session.key.user, body.conversation or f"panel-{parts.new_id()}"
    before = await _spoken(parts, user, body.conversation) if body.conversation else []
    window = before[-2 * parts.settings.window.exchanges :]
    messages = [{"role": turn.role, "content": turn.content} for turn in window if turn.role != "other"]
    asked = ChatRequest.model_validate({"messages": [*messages, {"role": "user", "content": body.text}], "stream": True})
    try:
        return await completions.chat(request, asked, caller_of(session), parts, conversation, body.memory)
    except LaomaError as error:
        return error_response(error)


@router.get("/turns/{turn_id}")
async def turn(request: Request, turn_id: str, session: SessionDep, parts: PartsDep) -> Response:
    """A piece of the page: one reply, written out, with the memories that it used."""
    found = await parts.shards.call(ShardService.turn, session.key.user, turn_id)
    used = await _memories(parts, session.key.user, set(found.recalled))
    return page(request, "turn.html", session, turn=found, used=used)


@router.post("/feedback", status_code=204)
async def thumb(body: FeedbackIn, session: ActDep, parts: PartsDep) -> Response:
    """A thumb on a reply."""
    await parts.shards.call(ShardService.feedback, session.key.user, body)
    return Response(status_code=204)


@router.post("/conversations/delete")
async def delete(session: ActDep, parts: PartsDep, id: Annotated[str, Query(max_length=200)]) -> Response:
    """What was said there goes; memories stay."""
    await parts.shards.call(ShardService.delete_conversation, session.key.user, id)
    return RedirectResponse("/panel", 303)


async def _spoken(parts: Parts, user: str, conversation: str) -> list[Turn]:
    """The turns of the branch that was spoken last, oldest first; of an unknown conversation none."""
    try:
        view = await parts.shards.call(ShardService.conversation, user, conversation)
    except NotFound:
        return []
    return branch(view.turns)


def branch(turns: list[Turn]) -> list[Turn]:
    """The path from the first turn to the latest one: replies that were made anew or questions that were edited fall away."""
    by_id = {turn.id: turn for turn in turns}
    path: list[Turn] = []
    at = turns[-1] if turns else None
    while at is not None and len(path) < len(turns):
        path.append(at)
        at = by_id.get(at.parent or "")
    return path[::-1]


async def _memories(parts: Parts, user: str, ids: set[str]) -> dict[str, MemoryView]:
    found: dict[str, MemoryView] = {}
    for id in sorted(ids)[:_MEMORIES_AT_MOST]:
        try:
            found[id] = (await parts.shards.call(ShardService.memory, user, id)).memory
        except NotFound:  # deleted since
            continue
    return found
