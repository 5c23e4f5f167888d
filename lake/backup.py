"""A backup: one snapshot with keys and settings in one file, with a checksum of each part, read back before it counts.

A gzipped tar: ``contents.json`` first (each member's size and SHA-256), then the members, so that checking needs one pass. Private (0600).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from pydantic import BaseModel, ConfigDict, ValidationError

from lake.durable import put_in_place, sync_file
from lake.erased import FILE as ERASED
from lake.place import Place
from lake.snapshot_folder import alone_here, discard
from lake.unfinished import drafting, sweep_unfinished
from schemas.errors import InvalidRequest, LaomaError
from schemas.record import Moment
from schemas.snapshot import Name

BESIDE = ("keys.json", "config.yaml", "constitution.yaml", "scenarios.jsonl", ERASED)
"""Files of the home that go along, where there are any. The owner's key itself does not: who restores gets a new one."""
_CONTENTS = "contents.json"
_FORMAT = 1
_LEVEL = 1  # text shrinks well at the lowest level, vectors at none
_BLOCK = 1 << 20
Told = Callable[[int, int], None]
"""Called with bytes done and bytes in all."""


class Member(BaseModel):
    """A file in the backup."""

    model_config = ConfigDict(frozen=True)

    size: int
    sha256: str


class Contents(BaseModel):
    """What a backup holds; ``snapshot`` names the folder under ``snapshots/``."""

    model_config = ConfigDict(frozen=True)

    format: int
    laoma: str
    at: Moment
    snapshot: Name
    members: dict[str, Member]

    @property
    def size(self) -> int:
        """Bytes of all members."""
        return sum(member.size for member in self.members.values())


def pack(home: Path, snapshot: str, target: Path, *, at: Moment, laoma: str, told: Told = lambda _done, _all: None) -> Contents:
    """Write a snapshot and what lies beside the lake into one file, read it back, and only then let it take its name.

    What a killed one left is removed first.

    Raises OSError (the disk), LaomaError (what was read back is not what was written).
    """
    place = Place(home)
    folder = place.snapshots / snapshot
    files = {f"snapshot/{path.relative_to(folder).as_posix()}": path for path in sorted(folder.rglob("*")) if path.is_file()}
    files |= {f"home/{name}": home / name for name in BESIDE if (home / name).exists()}
    members = {name: Member(size=path.stat().st_size, sha256=_digest(path)) for name, path in files.items()}
    contents = Contents(format=_FORMAT, laoma=laoma, at=at, snapshot=snapshot, members=members)
    sweep_unfinished(home)
    with drafting(home, target) as (file, draft):
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=_LEVEL) as archive:
            _add(archive, _CONTENTS, contents.model_dump_json(indent=1).encode())
            done = 0
            for name, path in files.items():
                with path.open("rb") as source:
                    _add(archive, name, source, members[name].size)
                done += members[name].size
                told(done, contents.size)
        file.flush()
        if verify(draft) != contents:
            raise LaomaError(f"{target} could not be read back as it was written: check the disk", code="bad_backup")
        put_in_place(draft, target)
    return contents


def verify(path: Path) -> Contents:
    """Read all of a backup. Raises InvalidRequest where it is none, is cut short, or a byte of it is not what was written."""
    with _reading(path) as (contents, members):
        for name, source in members:
            _check(path, contents, name, _copied(source, None))
    return contents


def unpack(path: Path, home: Path, *, told: Told = lambda _done, _all: None) -> Contents:
    """Put the snapshot of a backup under ``snapshots/`` and its other files under ``snapshots/NAME/home/``; an equal one is replaced.

    Raises InvalidRequest as :func:`verify` does: nothing is left behind then.
    """
    with alone_here(home), _reading(path) as (contents, members):
        folder = Place(home).snapshots / contents.snapshot
        draft = folder.with_name(f".{contents.snapshot}.part")
        done = 0
        try:
            for name, source in members:
                parts = PurePosixPath(name).parts
                target = draft.joinpath(*(parts[1:] if parts[0] == "snapshot" else parts))
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    digest = _copied(source, file)
                sync_file(target)
                _check(path, contents, name, digest)
                done += contents.members[name].size
                told(done, contents.size)
            discard(folder)
            draft.rename(folder)
            sync_file(folder.parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return contents


@contextmanager
def _reading(path: Path) -> Iterator[tuple[Contents, Iterator[tuple[str, IO[bytes]]]]]:
    """A backup's contents and its members in order. Raises InvalidRequest for anything that is no whole backup."""
    try:
        with gzip.open(path) as file, tarfile.open(fileobj=file, mode="r|") as archive:
            first = archive.next()
            source = archive.extractfile(first) if first is not None and first.name == _CONTENTS else None
            if source is None:
                raise InvalidRequest(f"{path} is no backup of laoma's")
            contents = Contents.model_validate_json(source.read())
            if contents.format > _FORMAT:
                raise InvalidRequest(f"{path} was made by a newer laoma ({contents.laoma}): upgrade first")
            yield contents, _members(path, file, archive, contents)
    except (tarfile.TarError, zlib.error, EOFError, ValidationError, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise InvalidRequest(f"{path} can't be read: {error.strerror}") from None
        raise InvalidRequest(f"{path} is no whole backup of laoma's ({str(error).splitlines()[0][:100]})") from None


def _members(path: Path, file: gzip.GzipFile, archive: tarfile.TarFile, contents: Contents) -> Iterator[tuple[str, IO[bytes]]]:
    missing = set(contents.members)
    while (member := archive.next()) is not None:
        name, source = member.name, archive.extractfile(member) if member.isreg() else None
        if source is None or name not in missing or not _is_inside(name):
            raise InvalidRequest(f"{path} holds {name!r}, which no backup does")
        missing.discard(name)
        yield name, source
    while file.read(_BLOCK):  # to its very end: the archive's own checksum stands there
        pass
    if missing:
        raise InvalidRequest(f"{path} is cut short: {len(missing)} files are missing")


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return str(path) == name and path.parts[0] in ("snapshot", "home") and len(path.parts) > 1 and ".." not in path.parts


def _check(path: Path, contents: Contents, name: str, digest: str) -> None:
    if digest != contents.members[name].sha256:
        raise InvalidRequest(f"{path} is damaged: {name} is not what was written")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return _copied(file, None)


def _copied(source: IO[bytes], target: IO[bytes] | None) -> str:
    digest = hashlib.sha256()
    while block := source.read(_BLOCK):
        digest.update(block)
        if target is not None:
            target.write(block)
    return digest.hexdigest()


def _add(archive: tarfile.TarFile, name: str, source: IO[bytes] | bytes, size: int | None = None) -> None:
    member = tarfile.TarInfo(name)
    member.mode = 0o600
    if isinstance(source, bytes):
        size, source = len(source), io.BytesIO(source)
    member.size = size or 0
    archive.addfile(member, source)
