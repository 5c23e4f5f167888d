"""A model server whose words are scripted: OpenAI's chat route over real HTTP, which records what it is sent and sees clients leave."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Packets = list[bytes | float]
"""What a stream sends: bytes as they are, numbers are pauses in seconds."""


class ScriptedModel:
    """Set ``reply`` (a text), ``says`` (a text for each body),
    ``answer`` (a whole response) or ``packets`` (a raw stream); ``delay_s`` passes before anything is sent."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.reply = "好的。"
        self.says: Callable[[dict[str, Any]], str] | None = None
        self.answer: Response | None = None
        self.packets: Packets | None = None
        self.delay_s = 0.0
        self.left = asyncio.Event()
        self.url = ""

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator[ScriptedModel]:
        """Listen on an ephemeral port of the loopback."""
        app = Starlette(routes=[Route("/v1/chat/completions", self._chat, methods=["POST"])])
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110  uvicorn has no event for it
            await asyncio.sleep(0.005)
        self.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
        try:
            yield self
        finally:
            server.should_exit = True
            await serving

    async def _chat(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.bodies.append(body)
        if await self._left_within(request, self.delay_s):
            return Response(status_code=499)
        if self.answer is not None:
            return self.answer
        if body.get("stream"):
            return StreamingResponse(self._stream(), media_type="text/event-stream")
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": self.says(body) if self.says else self.reply},
            "finish_reason": "stop",
        }
        return JSONResponse({"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]})

    async def _stream(self) -> AsyncIterator[bytes]:
        try:
            for packet in self.packets if self.packets is not None else self._worded():
                if isinstance(packet, bytes):
                    yield packet
                else:
                    await asyncio.sleep(packet)
        except (asyncio.CancelledError, GeneratorExit):
            self.left.set()
            raise

    def _worded(self) -> Packets:
        chunks: list[dict[str, Any]] = [{"delta": {"content": letter}, "finish_reason": None} for letter in self.reply]
        chunks.append({"delta": {}, "finish_reason": "stop"})
        return [*(event({"id": "c1", "choices": [{"index": 0, **chunk}]}) for chunk in chunks), b"data: [DONE]\n\n"]

    async def _left_within(self, request: Request, seconds: float) -> bool:
        """Waits, and notices a client that goes away meanwhile."""
        if seconds == 0:
            return False
        receive: Callable[[], Awaitable[Any]] = request.receive
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while (await receive())["type"] != "http.disconnect":
                    pass
                self.left.set()
                return True
        return False


def event(chunk: dict[str, Any]) -> bytes:
    """One server-sent event."""
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def said(text: str) -> bytes:
    """A chunk that says ``text``."""
    return event({"id": "c1", "choices": [{"index": 0, "delta": {"content": text}}]})
