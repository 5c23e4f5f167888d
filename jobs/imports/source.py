"""Where the bytes of an export come from: a file, or a member of a zip archive, which is streamed and never unpacked."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol, cast

from jobs.imports.limits import MOST_MEMBERS, MOST_RATIO, MOST_UNPACKED, SMALL
from schemas.errors import InvalidRequest

ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt")


class Source(Protocol):
    """Bytes with a name: ``name`` is for people, ``stem`` the file's name without its ending, ``modified`` when it was written."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def stem(self) -> str: ...  # noqa: D102
    @property
    def modified(self) -> datetime: ...  # noqa: D102

    def open(self) -> BinaryIO:
        """The bytes from their beginning."""
        ...


@dataclass(frozen=True)
class FileSource:
    """A file on this machine."""

    path: Path
    name: str

    @property
    def stem(self) -> str:
        """See :class:`Source`."""
        return Path(self.name).stem

    @property
    def modified(self) -> datetime:
        """See :class:`Source`."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def open(self) -> BinaryIO:
        """See :class:`Source`."""
        return self.path.open("rb")


@dataclass(frozen=True)
class MemberSource:
    """A member of a zip archive; ``archive`` is the archive's name for people."""

    path: Path
    archive: str
    member: str
    modified: datetime

    @property
    def name(self) -> str:
        """See :class:`Source`."""
        return f"{self.archive}: {self.member}"

    @property
    def stem(self) -> str:
        """See :class:`Source`."""
        return PurePosixPath(self.member).stem

    def open(self) -> BinaryIO:
        """See :class:`Source`. A member never gives more bytes than the archive's directory says."""
        return cast(BinaryIO, io.BufferedReader(_Member(self.path, self.member)))


@dataclass(frozen=True)
class PassedOver:
    """A file that can't be meant, and why."""

    name: str
    reason: str


def sources(paths: Sequence[tuple[Path, str]]) -> Iterator[Source | PassedOver]:
    """All that may be read in files, folders and archives, each with its name for people. Raises InvalidRequest for what is not there."""
    for path, name in paths:
        if path.is_dir():
            yield from _in_folder(path, name)
        elif not path.is_file():
            raise InvalidRequest(f"{name}: no such file or folder", code="unreadable_import")
        else:
            yield from _in_file(path, name)


def _in_folder(folder: Path, name: str) -> Iterator[Source | PassedOver]:
    for path in sorted(folder.rglob("*")):
        shown = f"{name.rstrip('/')}/{path.relative_to(folder)}"
        if path.is_symlink():
            yield PassedOver(shown, "is a link")
        elif path.is_file() and path.suffix.lower() in (*ENDINGS, ".zip"):
            yield from _in_file(path, shown)


def _in_file(path: Path, name: str) -> Iterator[Source | PassedOver]:
    if zipfile.is_zipfile(path):
        yield from _in_archive(path, name)
    else:
        yield FileSource(path, name)


def _in_archive(path: Path, name: str) -> Iterator[Source | PassedOver]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise InvalidRequest(f"{name}: the archive can't be read ({error})", code="unreadable_import") from None
    if len(members) > MOST_MEMBERS:
        raise InvalidRequest(f"{name}: more than {MOST_MEMBERS} files in one archive", code="unreadable_import")
    if sum(one.file_size for one in members if _may_be_meant(one.filename)) > MOST_UNPACKED:
        raise InvalidRequest(f"{name}: unpacks to more than {MOST_UNPACKED >> 30} GiB", code="unreadable_import")
    if any(PurePosixPath(one.filename).parts[:1] == ("IndexedDB",) or "/IndexedDB/" in one.filename for one in members):
        raise InvalidRequest(
            f"{name}: unsupported backup version: Cherry Studio writes its database itself from version 6 on; "
            "export the topics, or make a backup with an older release",
            code="unreadable_import",
        )
    for member in members:
        yield from _member(path, name, member)


def _member(path: Path, archive: str, member: zipfile.ZipInfo) -> Iterator[Source | PassedOver]:
    shown = f"{archive}: {member.filename}"
    if member.is_dir() or member.filename.startswith("__MACOSX/"):
        return
    if reason := _unsafe(member):
        yield PassedOver(shown, reason)
    elif member.file_size > SMALL and member.file_size > MOST_RATIO * max(1, member.compress_size):
        raise InvalidRequest(f"{shown}: unpacks to over {MOST_RATIO} times its size: no export does", code="unreadable_import")
    elif _may_be_meant(member.filename):
        yield MemberSource(path, archive, member.filename, _written(member))
    elif member.filename.lower().endswith(".zip"):
        yield PassedOver(shown, "is an archive inside an archive: unpack it first")


def _unsafe(member: zipfile.ZipInfo) -> str | None:
    parts = member.filename.replace("\\", "/").split("/")
    if ".." in parts or parts[0] == "" or ":" in parts[0]:
        return "its name leads outside the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link"
    if member.flag_bits & 1:
        return "is encrypted"
    return None


def _may_be_meant(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def _written(member: zipfile.ZipInfo) -> datetime:
    try:
        return datetime(*member.date_time, tzinfo=UTC)
    except ValueError:
        return datetime(1980, 1, 1, tzinfo=UTC)


class _Member(io.RawIOBase):
    """A member's bytes; closing it closes the archive too."""

    def __init__(self, path: Path, member: str) -> None:
        self._archive = zipfile.ZipFile(path)
        self._stream = self._archive.open(member)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed's Buffer is wider
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            self._archive.close()
        super().close()
