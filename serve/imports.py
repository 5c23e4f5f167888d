"""Uploads of old chats: their folder, their submission as a job, how they stand, and their undoing."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from lake.durable import replace_text
from schemas.errors import Conflict, InvalidRequest, LaomaError, NotFound
from schemas.imports import Import, ImportOrder, ImportView, Kept, Undone
from schemas.job import UNDER_WAY, Job, JobIn
from serve.parts import Parts
from serve.shard.masking import mask
from serve.shard.service import ShardService

_ID = re.compile(r"[a-z0-9-]{1,60}")
_CHUNK = 1 << 20
_LOOK_S = 0.3


class Folder:
    """``LAOMA_HOME/imports/ID``, for the owner's eyes only. Raises NotFound for what can't be an id."""

    def __init__(self, home: Path, id: str) -> None:
        if not _ID.fullmatch(id):
            raise NotFound(f"No import {id[:80]!r}: `laoma import list` shows them.", param="import_id")
        self.root = home / "imports" / id
        self.staged = self.root / "staged.db"
        self._files = self.root / "files"

    def create(self, order: ImportOrder) -> None:
        """Write the order, the last thing before the job is submitted."""
        replace_text(self.root / "order.json", order.model_dump_json())

    def order(self) -> ImportOrder:
        """Raises NotFound where the import has ended and was cleared away, or never was."""
        try:
            return ImportOrder.model_validate_json((self.root / "order.json").read_bytes())
        except (OSError, ValueError):
            raise NotFound(f"No import {self.root.name!r} waits to be done: import the files again.", param="import_id") from None

    def save(self, number: int, name: str, data: BinaryIO, modified: float | None) -> None:
        """Keep an uploaded file under its number: its name is for people and no path."""
        self._files.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._files / str(number)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            shutil.copyfileobj(data, file, _CHUNK)
        if modified is not None:
            os.utime(path, (modified, modified))

    def uploaded(self) -> list[tuple[Path, str]]:
        """The files, each with its name for people."""
        return [(self._files / str(number), name) for number, name in enumerate(self.order().files)]

    def drop_files(self) -> None:
        """They were read, or are not wanted."""
        shutil.rmtree(self._files, ignore_errors=True)

    def show(self, would_keep: Sequence[tuple[int, Kept]]) -> None:
        """Keep what a dry run found until it is looked at."""
        replace_text(self.root / "would_keep.json", json.dumps([one.model_dump(mode="json") for _, one in would_keep]))

    def would_keep(self) -> list[Kept] | None:
        """What a dry run found; None where there is nothing of it."""
        try:
            return [Kept.model_validate(one) for one in json.loads((self.root / "would_keep.json").read_bytes())]
        except (OSError, ValueError):
            return None

    def clear(self) -> None:
        """All but what a dry run found."""
        self.drop_files()
        for path in self.root.glob("staged.db*"):
            path.unlink(missing_ok=True)

    def remove(self) -> None:
        """All of it."""
        shutil.rmtree(self.root, ignore_errors=True)


@dataclass(frozen=True)
class Upload:
    """A file as it comes: ``modified`` in Unix seconds, None where the client does not say."""

    name: str
    data: BinaryIO
    modified: float | None = None


async def submit(
    parts: Parts, user: str, uploads: Sequence[Upload], *, format: str, me: str | None, skip_bad: bool, dry_run: bool
) -> ImportView:
    """Keep the files and submit the job. Raises InvalidRequest, Unavailable; nothing is left then."""
    if not uploads:
        raise InvalidRequest("Give at least one file: multipart field `files`.", param="files")
    at = parts.now()
    id = f"imp-{at:%Y%m%dt%H%M%S}-{secrets.token_hex(3)}"
    folder = Folder(parts.home, id)
    names = [_shown(upload.name) for upload in uploads]
    order = ImportOrder(
        id=id, user=user, at=at, files=names, format=format, me=me, zone=parts.settings.zone, skip_bad=skip_bad, dry_run=dry_run
    )
    try:
        for number, upload in enumerate(uploads):
            await asyncio.to_thread(folder.save, number, names[number], upload.data, upload.modified)
        await asyncio.to_thread(folder.create, order)
        job = await parts.jobs.submit(JobIn(name="import", arguments=[id]))
    except BaseException:
        folder.remove()
        raise
    row = Import(id=id, user=user, at=at, state="pending", files=names, dry_run=dry_run, job=job.id)
    held = await parts.shards.call(ShardService.imports, user)
    if all(one.id != id for one in held):  # the job may have begun
        await parts.shards.call(ShardService.put_import, user, row)
    return await view(parts, row, job)


async def ended(parts: Parts, user: str, id: str, patience_s: float) -> ImportView:
    """How it stands when it has ended, or after ``patience_s`` seconds."""
    loop = asyncio.get_running_loop()
    until = loop.time() + patience_s
    while (told := await get(parts, user, id)).state in UNDER_WAY and loop.time() < until:  # noqa: ASYNC110  the job is another process
        await asyncio.sleep(_LOOK_S)
    return told


async def listed(parts: Parts, user: str) -> list[ImportView]:
    """Latest first."""
    return [await view(parts, row, await _job(parts, row)) for row in await parts.shards.call(ShardService.imports, user)]


async def get(parts: Parts, user: str, id: str) -> ImportView:
    """Raises NotFound."""
    row = await _row(parts, user, id)
    told = await view(parts, row, await _job(parts, row))
    if row.dry_run and row.state == "done":
        return told.model_copy(update={"would_keep": Folder(parts.home, id).would_keep()})
    return told


async def resume(parts: Parts, user: str, id: str) -> ImportView:
    """Go on with one that was broken off. Raises NotFound, Conflict."""
    told = await get(parts, user, id)
    if told.state not in ("failed", "stopped"):
        raise Conflict(f"Import {id} is {told.state}: there is nothing to resume.", code="not_resumable")
    await asyncio.to_thread(Folder(parts.home, id).order)
    job = await parts.jobs.submit(JobIn(name="import", arguments=[id]))
    row = (await _row(parts, user, id)).but(state="pending", job=job.id, detail=None, ended_at=None)
    await parts.shards.call(ShardService.put_import, user, row)
    return await view(parts, row, job)


async def undo(parts: Parts, user: str, id: str) -> Undone:
    """Take out all that it brought. Raises NotFound, and Conflict while it runs."""
    told = await get(parts, user, id)
    if told.state in UNDER_WAY:
        raise Conflict(f"Import {id} runs: wait for it, or stop its job {told.job}.", code="import_runs")
    undone = await parts.shards.call(ShardService.undo_import, user, id)
    row = await _row(parts, user, id)
    await parts.shards.call(ShardService.put_import, user, row.but(state="undone", ended_at=parts.now()))
    await asyncio.to_thread(Folder(parts.home, id).remove)
    return undone


def forget(home: Path, user: str) -> None:
    """Nothing of a user's uploads stays."""
    for path in (home / "imports").glob("*/order.json"):
        folder = Folder(home, path.parent.name)
        try:
            mine = folder.order().user == user
        except LaomaError:
            mine = True  # nobody's: what can't be read can't be done either
        if mine:
            folder.remove()


async def view(parts: Parts, row: Import, job: Job | None) -> ImportView:
    """A record with how its job stands: what was killed could not write it down."""
    told = row.model_dump(exclude={"user", "kept"})
    if row.state in UNDER_WAY and job is not None:
        told["state"] = job.state if job.state != "succeeded" else row.state
        told["detail"] = job.detail
    return ImportView(**told, kept=json.loads(row.kept), progress=job.progress if job is not None and not job.ended else None)


async def _row(parts: Parts, user: str, id: str) -> Import:
    for row in await parts.shards.call(ShardService.imports, user):
        if row.id == id:
            return row
    raise NotFound(f"No import {id[:80]!r}: `laoma import list` shows them.", param="import_id")


async def _job(parts: Parts, row: Import) -> Job | None:
    if row.job is None or row.state not in UNDER_WAY:
        return None
    try:
        return await parts.jobs.get(row.job)
    except LaomaError:
        return None


def _shown(name: str) -> str:
    """A file's name for people: the last part of what the client says, without what must not be stored."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return mask("".join(char for char in last if char.isprintable()))[:200] or "file"
