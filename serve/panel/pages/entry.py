"""Signing in and out, and the language."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from schemas.errors import Forbidden
from schemas.panel import SignInLink
from serve.auth import CallerDep, PartsDep
from serve.panel import words
from serve.panel.doors import ENTRY, ActDep, PageRoute, check_origin, sessions_of
from serve.panel.links import SignInLinks
from serve.panel.render import page
from serve.panel.sessions import COOKIE

router = APIRouter(route_class=PageRoute, include_in_schema=False)
api = APIRouter(prefix="/v1/panel", tags=["panel"])
_YEAR_S = 365 * 86_400


@api.post("/links", status_code=201, summary="A link that signs in to the panel, once")
async def link(request: Request, who: CallerDep, parts: PartsDep) -> SignInLink:
    """For the user of the key; it opens what the key opens. An end user of a delegating key has no panel."""
    if "/" in who.user:
        raise Forbidden("The panel belongs to the users of keys: leave out X-Laoma-User.", param="X-Laoma-User")
    code, expires = _links(request).create(who.key)
    return SignInLink(url=f"{str(request.base_url).rstrip('/')}{ENTRY}#{code}", expires_at=expires)


@router.get(ENTRY)
async def door(request: Request) -> Response:
    """The form that a link fills and sends by itself."""
    return page(request, "enter.html", refused=False)


@router.post(ENTRY)
async def enter(request: Request, code: Annotated[str, Form(max_length=200)]) -> Response:
    """Trade a code for a session."""
    check_origin(request)
    sessions = sessions_of(request)
    key_id = _links(request).redeem(code.strip())
    cookie = sessions.open(key_id) if key_id else None
    if cookie is None:
        return page(request, "enter.html", status=403, refused=True)
    answer = RedirectResponse("/panel", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, cookie, max_age=sessions.max_age_s, path="/panel", httponly=True, samesite="lax", secure=secure)
    return answer


@router.post("/panel/leave")
async def leave(_: ActDep) -> Response:
    """Sign out of this browser."""
    answer = RedirectResponse(ENTRY, 303)
    answer.delete_cookie(COOKIE, path="/panel")
    return answer


@router.post("/panel/language")
async def language(request: Request, to: Annotated[words.Language, Form()], back: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Choose the language; back to the page that asked."""
    check_origin(request)
    known = back if back.replace("/", "").replace("-", "").replace("_", "").isalnum() else ""
    answer = RedirectResponse(f"/panel/{known.lstrip('/')}".rstrip("/"), 303)
    answer.set_cookie(words.COOKIE, to, max_age=_YEAR_S, path="/panel", samesite="lax")
    return answer


def _links(request: Request) -> SignInLinks:
    links: SignInLinks = request.app.state.panel_links
    return links
