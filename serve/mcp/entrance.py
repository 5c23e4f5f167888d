"""MCP over streamable HTTP, as an ASGI app of the gateway: the same keys, the same users, no session to lose.

Each request stands alone (the protocol's stateless form), so a restarted gateway breaks no client. The protocol library is loaded at the
first request: it takes most of a second and some memory, which a home that never uses it need not pay.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi.security import HTTPAuthorizationCredentials
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from schemas.errors import LaomaError
from serve.auth import caller
from serve.failures import error_response
from serve.parts import parts_of

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from serve.mcp.memory import UserMemory

_MEMORY = "laoma.memory"


class McpEntrance:
    """``POST /mcp``. ``close`` ends what it started."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        request = Request(scope, receive, send)
        try:
            who = await caller(request, _credentials(request), request.headers.get("x-laoma-user"))
        except LaomaError as error:
            return await error_response(error)(scope, receive, send)
        manager = await self._open()
        from serve.mcp.memory import ShardMemory

        scope[_MEMORY] = ShardMemory(parts_of(request).shards, who.user)
        return await manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """Ends the protocol server, if any request started it."""
        self._ended.set()
        if self._running is not None:
            await self._running

    async def _open(self) -> StreamableHTTPSessionManager:
        async with self._opening:
            if self._manager is None:
                manager = await asyncio.to_thread(_build)
                started = asyncio.Event()
                self._running = asyncio.create_task(self._run(manager, started))
                await started.wait()
                self._manager = manager
        return self._manager

    async def _run(self, manager: StreamableHTTPSessionManager, started: asyncio.Event) -> None:
        async with manager.run():
            started.set()
            await self._ended.wait()


def _build() -> StreamableHTTPSessionManager:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from serve.mcp.server import build_server

    return StreamableHTTPSessionManager(build_server(_memory_of), json_response=True, stateless=True)


def _memory_of(context: ServerRequestContext[Any, Any]) -> UserMemory:
    request: Request = context.request  # type: ignore[assignment]  # this transport gives each request
    memory: UserMemory = request.scope[_MEMORY]
    return memory


def _credentials(request: Request) -> HTTPAuthorizationCredentials | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return HTTPAuthorizationCredentials(scheme=scheme, credentials=key) if scheme.lower() == "bearer" and key else None
