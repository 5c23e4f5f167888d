"""A conversation: its times, its summaries, and how far extraction has read it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.record import Moment, Record


class Conversation(Record):
    """``summaries`` are JSON objects of R2's five keys, oldest first; ``centroid`` is the running mean of the user's turn vectors (R5);
    ``watermark`` is the latest turn whose extraction is settled, for people and jobs that read the lake: how far it is read. What is left
    to read is decided by each turn's own ``extraction`` alone. ``id`` is the client's own where it sent one: scoped by user, never global.
    """

    TABLE: ClassVar[str] = "conversations"

    title: str | None = None
    opened_at: Moment
    last_at: Moment
    closed_at: Moment | None = None
    summaries: list[str] = []
    centroid: list[float] | None = None
    watermark: str | None = None


Error = Literal[
    "missed_entity", "steps_first", "too_long", "too_short", "too_hard", "wrong_language", "wrong_form", "tone", "asks_back",
    "misread", "wrong", "gave_up", "cut_off",
]  # fmt: skip
"""What was wrong with a reply (E2): something asked for is missing, the steps stand before the conclusion, its length, its words, its
language, its form, its tone, it asks instead of answering; ``misread`` and ``wrong`` are about its content, the last two say no more
than that the user gave up or cut it off."""


class Feedback(Record):
    """A sample of what went wrong or right with the reply ``turn`` (E2): a thumb, or what was heard in the exchange itself
    (``signal-…``, one a reply). ``error`` is None where nothing was wrong or nobody said what, ``missing`` names what an incomplete reply
    left out. ``topic`` is the samples' neighbourhood, given when they are gathered (E3)."""

    TABLE: ClassVar[str] = "feedback"

    at: Moment
    turn: str
    conversation: str | None = None
    signal: Literal["up", "down", "explicit_negative", "rephrase", "entity_miss", "positive", "resignation", "interruption"]
    comment: str | None = None
    topic: str | None = None
    policy_version: str | None = None
    weight: Annotated[float, Field(ge=0, le=1)] = 1.0
    error: Error | None = None
    missing: list[str] | None = None


class Event(Record):
    """A fact for the logs that is no turn and no change: a recall, with what it found and how long it took."""

    TABLE: ClassVar[str] = "events"

    at: Moment
    kind: Literal["recall", "search", "extraction", "model"]
    conversation: str | None = None
    turn: str | None = None
    detail: str = "{}"
