"""Old chats: drop a file, see what would be kept, import it, and take it back."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData, UploadFile

from schemas.errors import InvalidRequest, NotFound
from schemas.imports import ImportView
from schemas.job import UNDER_WAY
from serve import imports
from serve.auth import PartsDep
from serve.panel.doors import ActDep, PageRoute, SessionDep
from serve.panel.render import page
from serve.parts import Parts

router = APIRouter(prefix="/panel/import", route_class=PageRoute, include_in_schema=False)
FORMATS = (
    "chatgpt", "claude", "openwebui", "lobechat", "nextchat", "cherrystudio", "chatbox",
    "sillytavern", "sharegpt", "openai", "csv", "wechat", "memories",
)  # fmt: skip
TURNS = {"turns_new": "new turns", "turns_known": "turns known before", "masked": "turns with something masked"}
DROPPED = {
    "reply": "replies: they are not about you",
    "nothing_lasting": "said nothing that lasts",
    "other_people": "said by other people",
    "role_play": "said in a played role",
}
"""What the counts of an import mean, by their names (:class:`schemas.imports.ImportView`); the rest of them are decisions."""


@router.get("")
async def show(request: Request, session: SessionDep, parts: PartsDep) -> Response:
    """The form, and the imports so far."""
    found = await imports.listed(parts, session.key.user)
    limit = parts.settings.http.import_limit_mb * 1024 * 1024
    return page(request, "imports.html", session, imports=found, formats=FORMATS, limit=limit)


@router.post("")
async def submit(request: Request, session: ActDep, parts: PartsDep) -> Response:
    """Keep the files and begin. The form is read here, after the session was looked at: nobody else fills the disk."""
    async with request.form() as form:
        uploads = _uploads(form)
        told = await imports.submit(
            parts,
            session.key.user,
            uploads,
            format=_text(form, "format") or "auto",
            me=_text(form, "me") or None,
            skip_bad=_text(form, "skip_bad") == "yes",
            dry_run=_text(form, "dry_run") == "yes",
        )
    return RedirectResponse(f"/panel/import/{told.id}", 303)


@router.get("/{import_id}")
async def one(request: Request, import_id: str, session: SessionDep, parts: PartsDep) -> Response:
    """How far it is, what it kept, and why the rest was dropped."""
    told = await imports.get(parts, session.key.user, import_id)
    resumable = told.state in ("failed", "stopped") and await asyncio.to_thread(_waits, parts, import_id)
    return page(
        request,
        "import.html",
        session,
        one=told,
        under_way=told.state in UNDER_WAY,
        resumable=resumable,
        turns=_counts(told, TURNS),
        dropped=_counts(told, DROPPED),
        decided=sorted((name, count) for name, count in told.kept.items() if name not in TURNS and name not in DROPPED),
    )


@router.post("/{import_id}/resume")
async def resume(import_id: str, session: ActDep, parts: PartsDep) -> Response:
    """Go on with one that was broken off."""
    await imports.resume(parts, session.key.user, import_id)
    return RedirectResponse(f"/panel/import/{import_id}", 303)


@router.post("/{import_id}/undo")
async def undo(request: Request, import_id: str, session: ActDep, parts: PartsDep, sure: Annotated[str, Form()] = "") -> Response:
    """Take it out: asked for first, then told what went."""
    told = await imports.get(parts, session.key.user, import_id)
    undone = await imports.undo(parts, session.key.user, import_id) if sure == "yes" else None
    return page(request, "import_undo.html", session, one=told, undone=undone)


def _uploads(form: FormData) -> list[imports.Upload]:
    files = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
    try:
        modified: list[float | None] = [float(str(at)) for at in form.getlist("modified")]
    except ValueError:
        raise InvalidRequest("modified: Unix seconds are wanted.", param="modified") from None
    times = [*modified, *([None] * len(files))]
    return [imports.Upload(one.filename or "file", one.file, at) for one, at in zip(files, times, strict=False)]


def _text(form: FormData, name: str) -> str:
    return str(form.get(name) or "").strip()[:200]


def _waits(parts: Parts, import_id: str) -> bool:
    try:
        imports.Folder(parts.home, import_id).order()
    except NotFound:
        return False
    return True


def _counts(told: ImportView, labels: dict[str, str]) -> list[tuple[str, int]]:
    return [(label, told.kept[name]) for name, label in labels.items() if told.kept.get(name)]
