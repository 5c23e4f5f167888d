"""The port of extraction: what an extractor is given and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from memory.statement import Statement


@dataclass(frozen=True)
class Said:
    """One utterance of the conversation, as plain text."""

    role: Literal["user", "assistant", "other"]
    text: str


@dataclass(frozen=True)
class Passage:
    """The user's turn to read, and the few utterances before it (oldest first), which explain but are no source.

    ``at`` is the time of the turn and ``zone`` the user's: relative dates resolve against them, never against now.
    """

    text: str
    at: datetime
    zone: ZoneInfo
    before: tuple[Said, ...] = ()


class Extractor(Protocol):
    """Reads the statements of a passage, in their order (R5-R10). Pure: the same passage gives the same statements."""

    def extract(self, passage: Passage) -> list[Statement]:
        """Statements worth keeping; empty where there are none. Never raises on any text."""
        ...
