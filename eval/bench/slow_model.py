"""A model server that says its first word after a fixed delay: what is left of a reply's time is ours."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from eval.bench.http_house import serving

DELAY_S = 0.3
_WORDS = ("好", "的", "。")


class SlowModel:
    """OpenAI's streaming chat route; ``bodies`` are what it was sent."""

    def __init__(self, delay_s: float = DELAY_S) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._delay_s = delay_s

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        """Yields the base URL, which ends in ``/v1``."""
        app = Starlette(routes=[Route("/v1/chat/completions", self._chat, methods=["POST"])])
        async with serving(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error")) as url:
            yield f"{url}/v1"

    async def _chat(self, request: Request) -> StreamingResponse:
        self.bodies.append(json.loads(await request.body()))
        return StreamingResponse(self._words(), media_type="text/event-stream")

    async def _words(self) -> AsyncIterator[bytes]:
        await asyncio.sleep(self._delay_s)
        for word in _WORDS:
            yield _event({"delta": {"content": word}, "finish_reason": None})
        yield _event({"delta": {}, "finish_reason": "stop"})
        yield b"data: [DONE]\n\n"


def _event(choice: dict[str, Any]) -> bytes:
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "slow", "choices": [{"index": 0, **choice}]}
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"
