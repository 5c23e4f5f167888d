"""ASGI layers in front of the routes: the size of a body, and the methods that every route answers."""

from __future__ import annotations

import json

from starlette.exceptions import HTTPException
from starlette.routing import Match, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serve.failures import error_body


class BodyLimit:
    """Refuses a body over ``limit`` bytes with 413, before it is read whole. ``uploads``: paths that may be sent more, and how much."""

    def __init__(self, app: ASGIApp, limit: int, uploads: tuple[tuple[str, ...], int] = ((), 0)) -> None:
        self._app = app
        self._limit = limit
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        limit = self._uploads[1] if scope["path"] in self._uploads[0] else self._limit
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > limit:
            return await _refuse(send, 413, f"The body is over {limit // 1024 // 1024} MiB.", "body_too_large")
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise HTTPException(413, f"The body is over {limit // 1024 // 1024} MiB.")
            return message

        return await self._app(scope, counted, send)


class HeadAndOptions:
    """HEAD answers as GET without a body; OPTIONS names the methods of a route (CORS headers are not ours to give unasked)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            return await self._app({**scope, "method": "GET"}, receive, _bodiless(send))
        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            methods = _methods(scope)
            if methods:
                return await _answer(send, 204, [(b"allow", ", ".join(methods).encode())], b"")
        return await self._app(scope, receive, send)


def _methods(scope: Scope) -> list[str]:
    router: Router = scope["app"].router
    found: set[str] = set()
    for route in router.routes:
        match, _ = route.matches({**scope, "method": "GET"})
        if match is not Match.NONE:
            found |= set(getattr(route, "methods", None) or ())
    if not found:
        return []
    return sorted(found | {"OPTIONS"} | ({"HEAD"} if "GET" in found else set()))


def _bodiless(send: Send) -> Send:
    async def without_body(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return without_body


async def _refuse(send: Send, status: int, message: str, code: str) -> None:
    body = json.dumps(error_body(message, "invalid_request_error", code)).encode()
    await _answer(send, status, [(b"content-type", b"application/json")], body)


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())] if status != 204 else headers
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
