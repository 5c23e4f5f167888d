"""Imports of old chats: the record of one, what a client asks for, and what it is shown."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from schemas.job import Progress
from schemas.record import Moment, Record, Whole

ImportState = Literal["pending", "running", "done", "failed", "stopped", "undone"]


class Import(Record):
    """One import of a user. ``conversations`` and ``turns`` are what the files hold; ``kept`` is JSON of counts, see
    :class:`ImportView`; ``problems`` are what was left out or read with a doubt, ``place: reason`` each. A dry run has stored nothing.
    """

    TABLE: ClassVar[str] = "imports"

    at: Moment
    ended_at: Moment | None = None
    state: ImportState
    dry_run: bool = False
    files: list[str]
    formats: list[str] = []
    job: str | None = None
    detail: str | None = None
    conversations: Whole = 0
    turns: Whole = 0
    kept: str = "{}"
    problems: list[str] = []


class ImportOrder(BaseModel):
    """What an import is to do; it lies beside the uploaded files. ``me``: the owner's name in chats among people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    user: str
    at: Moment
    files: list[str]
    format: str = "auto"
    me: str | None = None
    zone: str
    skip_bad: bool = False
    dry_run: bool = False
    job: str | None = None


class Kept(BaseModel):
    """A statement that an import would keep, and when it was said."""

    model_config = ConfigDict(frozen=True)

    at: Moment
    kind: str
    text: str


class ImportView(BaseModel):
    """An import as its user sees it.

    ``kept`` counts turns (``turns_new``, ``turns_known``), what became of them (``nothing_lasting``, ``reply``, ``other_people``,
    ``role_play``, ``masked``), and memories by what was decided (``create``, ``confirm``, ``replace``, …). ``would_keep``: of a dry run.
    """

    id: str
    at: Moment
    ended_at: Moment | None
    state: ImportState
    dry_run: bool
    files: list[str]
    formats: list[str]
    job: str | None
    detail: str | None
    progress: Progress | None = None
    conversations: int
    turns: int
    kept: dict[str, int]
    problems: list[str]
    would_keep: list[Kept] | None = None


class ImportList(BaseModel):
    """Imports, latest first."""

    data: list[ImportView]


class Undone(BaseModel):
    """What undoing an import removed, and how many memories of before it brought back."""

    turns: int
    memories: int
    restored: int
