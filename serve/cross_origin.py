"""Web pages of other origins may call the API from a browser, where the settings name them (``http.cors_origins``)."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_API = "/v1/"
_TOLD = ("X-Laoma-Turn", "X-Laoma-Recalled", "X-Laoma-Conversation", "Retry-After")


class CrossOrigin:
    """CORS for ``/v1`` alone, by key and never by cookie: the panel's pages stay closed to every other site.

    A page of the public web may reach this box too where it is named (Chrome's private network access).
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self._app = app
        self._open = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=("GET", "POST", "PUT", "PATCH", "DELETE"),
            allow_headers=("*",),
            allow_private_network=True,
            expose_headers=_TOLD,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        opened = scope["type"] == "http" and scope["path"].startswith(_API)
        await (self._open if opened else self._app)(scope, receive, send)
