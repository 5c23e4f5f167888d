"""A turn is one utterance; a user's turn and its reply share an ``exchange``."""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.record import Moment, Record, Vector, Whole

Role = Literal["user", "assistant", "other"]
Origin = Literal["chat", "import", "api", "eval"]
Extraction = Literal["pending", "done", "failed", "skipped", "given_up"]


class Turn(Record):
    """One utterance as it was said.

    ``id`` is a UUIDv7 for live turns and a UUIDv5 of its source for imported ones. ``parent`` is the turn before it on its
    branch (None at the start of a conversation): an edit or a regenerated reply hangs beside the turn it replaces.
    ``extraction``: failed is tried again, given_up is not; ``extraction_note`` says why.
    Latencies are in milliseconds, counts in tokens; they and ``model``, ``recalled``, ``policy_version`` belong to replies.
    """

    TABLE: ClassVar[str] = "turns"

    conversation: str
    exchange: str
    parent: str | None = None
    at: Moment
    role: Role
    speaker: str | None = None
    content: str
    external_id: str | None = None
    import_id: str | None = None
    origin: Origin = "chat"
    emotion: str | None = None
    interrupted: bool = False
    repeat_of: str | None = None
    topic: str | None = None
    extraction: Extraction = "pending"
    extraction_note: str | None = None
    model: str | None = None
    recalled: list[str] = []
    policy_version: str | None = None
    first_token_ms: float | None = None
    total_ms: float | None = None
    prompt_tokens: Whole | None = None
    completion_tokens: Whole | None = None


class TurnVector(Record):
    """The embedding of a turn, built off the reply's path; ``id`` is the turn's.

    ``sentences``: the vectors of its sentences where there are several, half precision in base64 (:mod:`memory.sentences`).
    """

    TABLE: ClassVar[str] = "turn_vectors"

    embedder: str
    vector: Vector
    sentences: str | None = None
