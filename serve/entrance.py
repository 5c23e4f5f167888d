"""The HTTP entrance that a Serve replica opens itself: no proxy in front, a fixed port.

Serve's own "direct ingress" was tried first. In Ray 2.60 it binds without ``SO_REUSEADDR``, and a port that it once failed to bind
(connections of a killed gateway linger for a minute) is not tried again until the controller restarts; a gateway could not come back.
It also keeps Serve's proxy running beside it, 100 MB for nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from schemas.errors import Unavailable
from serve.slow_requests import hurried

_TRY_AGAIN_S = 0.1
_BACKLOG = 1024
_KEEP_ALIVE_S = 75
"""Idle connections are kept longer than clients and proxies keep them, so that it is they who close (no reset on a reused one)."""


class Entrance:
    """An HTTP server on the event loop of the replica that opens it.

    ``patience_s``: how long a new replica waits for the port of the one it replaces; ``grace_s``: how long requests in flight may take
    when it closes; ``request_s``: how long a request may take to arrive.
    """

    def __init__(
        self, app: ASGIApp, host: str, port: int, *, patience_s: float = 30.0, grace_s: float = 5.0, request_s: float = 30.0
    ) -> None:
        self._address = (host, port)
        self._patience_s = patience_s
        config = uvicorn.Config(
            app,
            http=hurried(request_s),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=max(1, round(grace_s)),
        )
        self._server = _Server(config)
        self._serving: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Returns when connections are accepted. Raises Unavailable where the port stays taken."""
        listener = await self._bound()
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        while not self._server.started:
            self.require_open()
            await asyncio.sleep(0.01)

    def require_open(self) -> None:
        """For the replica's health check. Raises Unavailable where the server has ended."""
        if self._serving is None or self._serving.done():
            raise Unavailable("the entrance is closed")

    async def close(self) -> None:
        """Accept nothing more; what is in flight gets its grace, then is cut off."""
        if self._serving is not None:
            self._server.should_exit = True
            await self._serving

    async def _bound(self) -> socket.socket:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience_s
        while True:
            try:
                return _listener(*self._address)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or loop.time() > deadline:
                    host, port = self._address
                    raise Unavailable(f"cannot listen on {host}:{port}: {error.strerror}") from error
            await asyncio.sleep(_TRY_AGAIN_S)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the replica's, not the server's."""
        yield


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with its protocol named: asyncio turns Nagle's algorithm off for such alone, else a small answer may wait 40 ms for an ACK
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(False)
    return listener
