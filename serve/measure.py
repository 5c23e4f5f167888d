"""Counts each request and the time to its answer's head (plain ASGI: a wrapped response would hide a client that goes away)."""

from __future__ import annotations

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serve.metrics import Metrics


class Measure:
    """Labels by the route's pattern, never by the path: ids must not become labels."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began = time.monotonic()

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "unknown")
                self._metrics.requests.labels(route, str(message["status"])).inc()
                self._metrics.latency.labels(route).observe(time.monotonic() - began)
            await send(message)

        return await self._app(scope, receive, noted)
