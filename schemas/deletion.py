"""What was deleted, kept so that a restored older state doesn't bring it back (R31)."""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.record import Moment, Record


class Deletion(Record):
    """A deleted thing that leaves no tombstone of its own. ``id`` is a hash of what it was called: a name may say as much as a text."""

    TABLE: ClassVar[str] = "deletions"

    at: Moment
    what: Literal["conversation"]
