"""Import of old chats: upload, look, resume, undo."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Response, UploadFile

from schemas.errors import InvalidRequest
from schemas.imports import ImportList, ImportView, Undone
from serve import imports
from serve.auth import CallerDep, PartsDep

router = APIRouter(prefix="/v1/imports", tags=["imports"])
_WAIT_S = 120.0


@router.post("", status_code=202, summary="Import old chats")
async def submit(
    who: CallerDep,
    parts: PartsDep,
    response: Response,
    files: Annotated[list[UploadFile], File(description="exports as they are: JSON, JSONL, CSV, text, zip")],
    format: Annotated[str, Form(description="`auto`: told by the content")] = "auto",
    me: Annotated[str | None, Form(max_length=200, description="your name in chats among people")] = None,
    skip_bad: Annotated[bool, Form(description="pass over lines and conversations that can't be read, and say which")] = False,
    dry_run: Annotated[bool, Form(description="store nothing, show what would be kept")] = False,
    wait: Annotated[bool, Form(description="answer when it has ended, at most two minutes; 400 where a file can't be read")] = False,
    modified: Annotated[list[float] | None, Form(description="when each file was written, Unix seconds: for turns without a time")] = None,
) -> ImportView:
    """Runs as a job; ask for it by its id. Importing the same again adds nothing."""
    times: list[float | None] = [*(modified or []), *([None] * len(files))]
    uploads = [imports.Upload(one.filename or "file", one.file, at) for one, at in zip(files, times, strict=False)]
    told = await imports.submit(parts, who.user, uploads, format=format, me=me, skip_bad=skip_bad, dry_run=dry_run)
    if not wait:
        return told
    told = await imports.ended(parts, who.user, told.id, _WAIT_S)
    if told.state == "failed":
        raise InvalidRequest(told.detail or "The import failed.", code="import_failed")
    response.status_code = 200 if told.state == "done" else 202
    return told


@router.get("", summary="Imports, latest first")
async def list_imports(who: CallerDep, parts: PartsDep) -> ImportList:
    """With what each kept and why the rest was dropped."""
    return ImportList(data=await imports.listed(parts, who.user))


@router.get("/{import_id}", summary="One import")
async def get(import_id: str, who: CallerDep, parts: PartsDep) -> ImportView:
    """Its state and progress; of a dry run what would be kept."""
    return await imports.get(parts, who.user, import_id)


@router.post("/{import_id}/resume", status_code=202, summary="Go on with an import that was broken off")
async def resume(import_id: str, who: CallerDep, parts: PartsDep) -> ImportView:
    """What is stored already is passed over."""
    return await imports.resume(parts, who.user, import_id)


@router.delete("/{import_id}", summary="Undo a whole import")
async def undo(import_id: str, who: CallerDep, parts: PartsDep) -> Undone:
    """Its turns go, and the memories that nothing else confirms; what it replaced holds again."""
    return await imports.undo(parts, who.user, import_id)
