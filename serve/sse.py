"""Server-sent events for a streamed reply: comments while the model is silent, a well-formed end whatever happens upstream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from schemas.errors import LaomaError
from serve.exchange import Exchange
from serve.failures import error_body

Chunk = dict[str, Any]


class ClientGone(Exception):
    """The client closed its connection before the reply began."""


async def begin(request: Request, chunks: AsyncIterator[Chunk], patience_s: float) -> AsyncIterator[Chunk]:
    """Wait up to ``patience_s`` for the first chunk, so that a refusal upstream still gets its own status code.

    Raises what upstream raised, or ClientGone. The iterator that comes back still yields the first chunk.
    """
    first = asyncio.ensure_future(anext(chunks, None))
    gone = asyncio.ensure_future(disconnected(request))
    try:
        await asyncio.wait({first, gone}, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and not first.done():
            await _give_up(first)
            raise ClientGone
        if first.done() and (error := first.exception()) is not None:
            raise error
    except asyncio.CancelledError:
        await _give_up(first)
        raise
    finally:
        await _give_up(gone)
    return _from_first(first, chunks)


async def disconnected(request: Request) -> None:
    """Returns when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def events(exchange: Exchange, chunks: AsyncIterator[Chunk], keepalive_s: float) -> AsyncIterator[bytes]:
    """The reply as an event stream; stored before ``[DONE]`` is sent, stored as interrupted when the client leaves or upstream breaks."""
    finish_reason: str | None = None
    template: Chunk = {}
    complete = False
    try:
        async with aclosing(_with_pauses(chunks, keepalive_s)) as beats:  # type: ignore[type-var]
            async for chunk in beats:
                if chunk is None:
                    yield b": ping\n\n"
                    continue
                template = {key: value for key, value in chunk.items() if key not in ("choices", "usage")} or template
                for choice in chunk.get("choices") or []:
                    finish_reason = choice.get("finish_reason") or finish_reason
                exchange.hear(chunk)
                yield data(chunk)
        if finish_reason is None:
            yield data({**template, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        await asyncio.shield(exchange.close(interrupted=False))
        complete = True
        yield b"data: [DONE]\n\n"
    except LaomaError as error:
        await asyncio.shield(exchange.break_off())
        complete = True
        yield data(error_body(error.message, error.type, error.code, error.param))
        yield b"data: [DONE]\n\n"
    finally:
        if not complete:
            keep(exchange.break_off())


def data(payload: Chunk) -> bytes:
    """One event."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    try:
        return b"data: " + text.encode() + b"\n\n"
    except UnicodeEncodeError:  # half an emoji: escaped, so that the client can join it with the half in the next chunk
        return b"data: " + json.dumps(payload, separators=(",", ":")).encode() + b"\n\n"


async def _with_pauses(chunks: AsyncIterator[Chunk], keepalive_s: float) -> AsyncIterator[Chunk | None]:
    """The chunks, and None for each ``keepalive_s`` without one. Closing it closes ``chunks``."""
    following: asyncio.Future[Chunk | None] = asyncio.ensure_future(anext(chunks, None))
    try:
        while True:
            await asyncio.wait({following}, timeout=keepalive_s)
            if not following.done():
                yield None
                continue
            chunk = following.result()
            if chunk is None:
                return
            yield chunk
            following = asyncio.ensure_future(anext(chunks, None))
    finally:
        keep(_stop(following, chunks))


async def _from_first(first: asyncio.Future[Chunk | None], chunks: AsyncIterator[Chunk]) -> AsyncIterator[Chunk]:
    try:
        chunk = await first
        while chunk is not None:
            yield chunk
            chunk = await anext(chunks, None)
    finally:
        keep(_stop(first, chunks))


async def _stop(pending: asyncio.Future[Any], chunks: AsyncIterator[Chunk]) -> None:
    """Stop the generation upstream."""
    await _give_up(pending)
    if isinstance(chunks, AsyncGenerator):
        await chunks.aclose()


async def _give_up(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.cancel()
    with suppress(BaseException):
        await future


_kept: set[asyncio.Task[None]] = set()


def keep(work: Coroutine[Any, Any, None]) -> None:
    """Let work finish although its request is over: in a task of its own, since a request that is cancelled is so at every await."""
    task = asyncio.get_running_loop().create_task(work)
    _kept.add(task)
    task.add_done_callback(_kept.discard)


class EventStream(StreamingResponse):
    """A stream whose generator is closed when the client has gone, at once and not whenever it is collected."""

    media_type = "text/event-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            if isinstance(self.body_iterator, AsyncGenerator):
                keep(self.body_iterator.aclose())
