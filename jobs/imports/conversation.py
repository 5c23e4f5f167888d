"""What a reader yields: conversations as they were said, and what of a file could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Protocol

from jobs.imports.document import Document
from jobs.imports.shape import Shape
from schemas.turn import Role


@dataclass(frozen=True)
class Utterance:
    """One utterance of the active branch. ``at`` is None where the file doesn't say it for certain; ``id`` is the export's own."""

    role: Role
    text: str
    at: datetime | None = None
    name: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Told:
    """A conversation of an export, its utterances in order.

    ``opaque``: the export gives it no id, so ``id`` is only its place in the file. ``updated`` decides between two copies.
    ``began`` is when it was opened, for utterances without a time. ``fiction``: role play, in which nobody speaks for themselves.
    ``saved``: no conversation but statements that another program kept of the user, each whole.
    """

    id: str
    utterances: list[Utterance]
    title: str | None = None
    began: datetime | None = None
    updated: datetime | None = None
    opaque: bool = False
    fiction: bool = False
    saved: bool = False


@dataclass(frozen=True)
class Problem:
    """A part of a file that was left out (``left_out``) or read with a doubt, and why; ``where`` is for a person to find it."""

    where: str
    reason: str
    left_out: bool = True


@dataclass(frozen=True)
class Reading:
    """How to read: the zone of times without one, the owner's name in chats among people, and whether bad lines are passed over."""

    zone: tzinfo
    me: str | None = None
    skip_bad: bool = False
    speakers: dict[str, int] = field(default_factory=dict)


class Reader(Protocol):
    """One export format. Readers keep no state: the same file gives the same conversations."""

    name: str

    def recognises(self, shape: Shape) -> bool:
        """Whether a file of this shape is of this format; by its content alone, never by its name."""
        ...

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """The conversations in the file's order, at most one of them in memory. Raises InvalidRequest that names file and place."""
        ...
