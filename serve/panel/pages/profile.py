"""Who the user is, as far as it is known, and what may be stored."""

from __future__ import annotations

from typing import Annotated, get_args
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from schemas.memory_api import ConsentIn
from serve.auth import PartsDep
from serve.markdown_export import CHINESE, ENGLISH, as_markdown
from serve.panel.doors import ActDep, PageRoute, SessionDep
from serve.panel.render import SECURITY, page
from serve.panel.words import language_of
from serve.shard.service import ShardService

router = APIRouter(prefix="/panel/profile", route_class=PageRoute, include_in_schema=False)
CATEGORIES: tuple[str, ...] = get_args(ConsentIn.model_fields["category"].annotation)


@router.get("")
async def show(request: Request, session: SessionDep, parts: PartsDep) -> Response:
    """Attributes, preferences, behaviour of the last seven days, consents."""
    user = session.key.user
    profile = await parts.shards.call(ShardService.profile, user)
    allowed = {row.id: row.given_at for row in await parts.shards.call(ShardService.consents, user)}
    return page(request, "profile.html", session, profile=profile, allowed=allowed, categories=CATEGORIES)


@router.post("/consents")
async def consent(session: ActDep, parts: PartsDep, category: Annotated[str, Form()], allow: Annotated[str, Form()] = "") -> Response:
    """Give or withdraw leave to store a sensitive category."""
    body = ConsentIn.model_validate({"category": category}) if category in CATEGORIES else None
    if body is not None and allow == "yes":
        await parts.shards.call(ShardService.give_consent, session.key.user, body.category)
    elif body is not None and body.category in {row.id for row in await parts.shards.call(ShardService.consents, session.key.user)}:
        await parts.shards.call(ShardService.withdraw_consent, session.key.user, body.category)
    return RedirectResponse("/panel/profile", 303)


@router.get("/export")
async def export(request: Request, session: SessionDep, parts: PartsDep, format: str = "") -> Response:
    """All that is theirs, as JSON lines; memories and conversations as Markdown."""
    lines = await parts.shards.call(ShardService.export, session.key.user)
    if format == "markdown":
        words = CHINESE if language_of(request) == "zh" else ENGLISH
        text = as_markdown(lines, words, ZoneInfo(parts.settings.zone), parts.now())
        headers = {**SECURITY, "Content-Disposition": 'attachment; filename="laoma.md"'}
        return StreamingResponse((part + "\n" for part in text), media_type="text/markdown; charset=utf-8", headers=headers)
    headers = {**SECURITY, "Content-Disposition": 'attachment; filename="laoma-export.jsonl"'}
    return StreamingResponse((line + "\n" for line in lines), media_type="application/x-ndjson", headers=headers)
