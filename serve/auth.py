"""Who calls: the user comes from the key, never from the body (R34)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from memory.privacy import redact
from schemas.errors import Forbidden, Unauthorized
from serve.header_text import header_text
from serve.keys import Role
from serve.parts import Parts, parts_of
from serve.shard.masking import masked_id

_bearer = HTTPBearer(auto_error=False, description="`Authorization: Bearer KEY`; the owner's key is printed by `laoma up`.")


@dataclass(frozen=True)
class Caller:
    """Whose memory a request is about, and what its key may do."""

    user: str
    roles: frozenset[Role]
    key: str


async def caller(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)] = None,
    end_user: Annotated[str | None, Header(alias="X-Laoma-User", description="end user of a delegating key")] = None,
    webui_user: Annotated[
        str | None, Header(alias="X-OpenWebUI-User-Id", description="the same as Open WebUI sends it; without the right to delegate unread")
    ] = None,
) -> Caller:
    """The caller of a request. Raises Unauthorized without a valid key, Forbidden for ``X-Laoma-User`` on a key that may not delegate."""
    key = parts_of(request).keys.find(credentials.credentials) if credentials else None
    if key is None:
        raise Unauthorized("Give a valid key: `Authorization: Bearer KEY` (`laoma key list` shows which exist).")
    user = key.user
    if end_user is None and "delegate" in key.roles:
        end_user = webui_user
    if end_user is not None:
        if "delegate" not in key.roles:
            raise Forbidden(
                "This key may not speak for other users: create one with `laoma key add NAME --delegate`.", param="X-Laoma-User"
            )
        name = header_text(end_user, "X-Laoma-User")
        user = f"{key.user}/{masked_id(key.user, name) if redact(name).never else name}"
    return Caller(user, frozenset(key.roles), key.id)


async def admin(who: Annotated[Caller, Depends(caller)]) -> Caller:
    """A caller with the admin role. Raises Forbidden."""
    if "admin" not in who.roles:
        raise Forbidden("This needs an admin key.")
    return who


async def parts(request: Request) -> Parts:
    """The gateway's parts (a coroutine: FastAPI runs plain functions in a thread, which costs more than the work)."""
    return parts_of(request)


CallerDep = Annotated[Caller, Depends(caller)]
AdminDep = Annotated[Caller, Depends(admin)]
PartsDep = Annotated[Parts, Depends(parts)]
