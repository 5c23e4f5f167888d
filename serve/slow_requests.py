"""An end to requests that trickle in: a half-sent head or body must not hold a connection for ever."""

from __future__ import annotations

import asyncio
import json

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from serve.failures import error_body

_SLOWEST = 16 * 1024
"""A request may take longer by a second for each so many bytes of it."""


class Hurried(HttpToolsProtocol):
    """uvicorn's protocol, but a request that has not arrived in time is answered with 408, and its connection closed.

    The clock runs from the connection or the first byte of a next request to the request's last byte; it stands still while
    the server itself reads nothing. ``request_s`` is set by :func:`hurried`.
    """

    request_s: float

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn narrows it
        """Asyncio's."""
        super().connection_made(transport)
        self._clock: asyncio.TimerHandle | None = None
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Asyncio's."""
        if self._clock is None:
            self._begin()
        self._seen += len(data)
        super().data_received(data)

    def on_message_complete(self) -> None:
        """The parser's."""
        self._end()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Asyncio's."""
        self._end()
        super().connection_lost(exc)

    def _begin(self) -> None:
        self._seen = 0
        self._began = self.loop.time()
        self._clock = self.loop.call_later(self.request_s, self._look)

    def _end(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _look(self) -> None:
        left = self._began + self.request_s + self._seen / _SLOWEST - self.loop.time()
        if left > 0 or self.flow.read_paused:
            self._clock = self.loop.call_later(max(left, 1.0), self._look)
            return
        self._clock = None
        if self._seen and self._owes_an_answer():
            self.transport.write(_refusal(self.request_s))
        self.transport.close()

    def _owes_an_answer(self) -> bool:
        cycle = self.cycle
        return cycle is None or not cycle.response_started or (cycle.response_complete and not cycle.more_body)


def hurried(request_s: float) -> type[Hurried]:
    """The protocol with this much patience, seconds."""
    return type("Hurried", (Hurried,), {"request_s": request_s})


def _refusal(request_s: float) -> bytes:
    message = f"The request did not arrive within {request_s:g} s: send it faster, or in smaller parts."
    body = json.dumps(error_body(message, "invalid_request_error", "request_timeout")).encode()
    head = f"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    return head.encode() + body
