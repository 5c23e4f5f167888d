"""What every page and every act passes first: a session, for acts also the session's token and our own origin."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from schemas.errors import Forbidden, InvalidRequest, LaomaError, Unauthorized
from serve.auth import Caller
from serve.panel.render import page
from serve.panel.sessions import COOKIE, Session, Sessions

ENTRY = "/panel/enter"


class PageRoute(APIRoute):
    """Failures of a page are shown as a page; without a session the way leads to the entry."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's hook."""
        inner = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await inner(request)
            except Unauthorized:
                return RedirectResponse(ENTRY, 303)
            except RequestValidationError as error:
                first = error.errors()[0]
                return _failed(request, InvalidRequest(f"{first['loc'][-1]}: {first['msg']}"))
            except LaomaError as error:
                return _failed(request, error)

        return handler


def _failed(request: Request, error: LaomaError) -> Response:
    return page(request, "failed.html", sessions_of(request).read(request.cookies.get(COOKIE)), status=error.status, message=error.message)


def sessions_of(request: Request) -> Sessions:
    """The gateway's sessions."""
    sessions: Sessions = request.app.state.panel_sessions
    return sessions


async def signed_in(request: Request) -> Session:
    """The session of a page. Raises Unauthorized."""
    session = sessions_of(request).read(request.cookies.get(COOKIE))
    if session is None:
        raise Unauthorized("Sign in first.")
    return session


async def acting(request: Request, session: Annotated[Session, Depends(signed_in)]) -> Session:
    """The session of an act. Raises Forbidden where the form is not ours."""
    check_origin(request)
    token = request.headers.get("x-csrf-token") or str((await request.form()).get("csrf") or "")
    if not Sessions.proves(session, token):
        raise Forbidden("This form is out of date: go back, load the page again, and repeat.")
    return session


def check_origin(request: Request) -> None:
    """Refuse what another site sends. Raises Forbidden."""
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
        origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    ):
        raise Forbidden("The panel takes forms from its own pages only.")


async def administering(session: Annotated[Session, Depends(acting)]) -> Session:
    """The session of an act that needs an admin's key. Raises Forbidden."""
    return _admin(session)


async def admin_in(session: Annotated[Session, Depends(signed_in)]) -> Session:
    """The session of a page that needs an admin's key. Raises Forbidden."""
    return _admin(session)


def caller_of(session: Session) -> Caller:
    """Who a session speaks for, as the API knows callers."""
    return Caller(session.key.user, frozenset(session.key.roles), session.key.id)


def _admin(session: Session) -> Session:
    if "admin" not in session.key.roles:
        raise Forbidden("This needs an admin key.")
    return session


SessionDep = Annotated[Session, Depends(signed_in)]
ActDep = Annotated[Session, Depends(acting)]
AdminPageDep = Annotated[Session, Depends(admin_in)]
AdminActDep = Annotated[Session, Depends(administering)]
