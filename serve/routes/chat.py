"""OpenAI's chat completions, with memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse

from memory.prompt import text_of
from schemas.chat import ChatRequest
from schemas.errors import Unavailable
from serve.auth import CallerDep, PartsDep
from serve.chat_model import said
from serve.exchange import Exchange, checked_body, errand, open_exchange
from serve.header_text import header_text
from serve.parts import Parts
from serve.sse import ClientGone, EventStream, begin, disconnected, events, keep
from serve.unicode import whole_json

router = APIRouter(prefix="/v1", tags=["chat"])
_CLIENT_CLOSED = 499
_MODEL_RETRY_S = 5
_TEMPORARY = "local:"
"""How Open WebUI's ids of temporary chats begin."""


@router.post("/chat/completions", summary="Chat with memory")
async def chat(
    request: Request,
    body: ChatRequest,
    who: CallerDep,
    parts: PartsDep,
    conversation: Annotated[str | None, Header(alias="X-Laoma-Conversation", description="else recognised from the messages")] = None,
    memory: Annotated[
        Literal["on", "read", "off"] | None,
        Header(alias="X-Laoma-Memory", description="`read`: recall, store nothing; `off`: neither; else `on`, `off` for a client's errand"),
    ] = None,
    webui_chat: Annotated[str | None, Header(alias="X-OpenWebUI-Chat-Id", description="Open WebUI's own id of the chat")] = None,
) -> Response:
    """OpenAI's body and answer, streaming too; unknown fields pass through to the model.

    A client's own errands (a title, tags, a summary of the talk) and temporary chats of Open WebUI are no turns and no memories.
    Answer headers: `X-Laoma-Turn` (the reply's turn), `X-Laoma-Recalled` (ids of the memories used), `X-Laoma-Conversation`.
    """
    await _require_model(parts)
    if conversation is not None:
        conversation = header_text(conversation, "X-Laoma-Conversation")
    sent = checked_body(body)
    conversation, mode = conversation or _chat_of_webui(webui_chat), memory or _mode(sent, webui_chat)
    exchange = await open_exchange(parts, who, sent, conversation, mode)
    try:
        if exchange.answer is not None:
            return await _told(parts, exchange, exchange.answer, stream=bool(body.stream), request=request)
        prompt = await exchange.prompt(sent)
        return await (_streamed if body.stream else _whole)(request, parts, exchange, prompt, exchange.aside(sent))
    except ClientGone:
        keep(exchange.abandon())
        return Response(status_code=_CLIENT_CLOSED)
    except BaseException:
        keep(exchange.abandon())
        raise


def _chat_of_webui(id: str | None) -> str | None:
    return f"open-webui:{header_text(id, 'X-OpenWebUI-Chat-Id')}" if id and not id.startswith(_TEMPORARY) else None


def _mode(sent: dict[str, Any], webui_chat: str | None) -> str:
    """What is stored where the client does not say: nothing of its errands, nothing of a temporary chat."""
    if errand(sent):
        return "off"
    return "read" if webui_chat is not None and webui_chat.startswith(_TEMPORARY) else "on"


async def _require_model(parts: Parts) -> None:
    model = await parts.chat.ready()
    if model.state != "ready":
        reason = f"The model {model.name} is {model.state}" + (f" ({model.detail})" if model.detail else "")
        soon = _MODEL_RETRY_S if model.state == "loading" else None
        raise Unavailable(f"{reason}; memory routes work meanwhile: `laoma status`.", code="model_not_ready", retry_after=soon)


async def _told(parts: Parts, exchange: Exchange, answer: str, *, stream: bool, request: Request) -> Response:
    """What the lake says, not what a model makes of it."""
    name = parts.settings.model.name
    if stream:
        return await _stream(request, parts, exchange, said.chunks(exchange.reply_id, name, answer))
    completion = said.completion(exchange.reply_id, name, answer)
    exchange.hear(completion)
    await exchange.close(interrupted=False)
    return JSONResponse(completion, headers=exchange.headers())


async def _streamed(request: Request, parts: Parts, exchange: Exchange, prompt: dict[str, Any], aside: str) -> Response:
    chunks = parts.chat.stream(prompt)
    return await _stream(request, parts, exchange, said.with_aside(chunks, aside) if aside else chunks)


async def _stream(request: Request, parts: Parts, exchange: Exchange, source: AsyncIterator[dict[str, Any]]) -> Response:
    keepalive = parts.settings.http.keepalive_s
    chunks = await begin(request, source, keepalive)
    headers = {**exchange.headers(), "Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return EventStream(events(exchange, chunks, keepalive), headers=headers)


async def _whole(request: Request, parts: Parts, exchange: Exchange, prompt: dict[str, Any], aside: str) -> Response:
    reply = asyncio.ensure_future(parts.chat.complete(prompt))
    gone = asyncio.ensure_future(disconnected(request))
    try:
        await asyncio.wait({reply, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not reply.done():
            raise ClientGone
        completion = _plain_content(reply.result())
    finally:
        reply.cancel()
        gone.cancel()
    if aside:
        said.append_aside(completion, aside)
    exchange.hear(completion)
    await exchange.close(interrupted=False)
    return JSONResponse(whole_json(completion), headers=exchange.headers())


def _plain_content(completion: dict[str, Any]) -> dict[str, Any]:
    """Content that came as a list of parts becomes text: clients expect a string; thinking parts are not the answer."""
    for choice in completion.get("choices") or []:
        message = choice.get("message") or {}
        if isinstance(message.get("content"), list):
            message["content"] = text_of([part for part in message["content"] if isinstance(part, dict) and part.get("type") == "text"])
    return completion
