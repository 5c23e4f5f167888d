"""What recall and turn search answer with; also the bodies of their HTTP routes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from schemas.memory import Kind, Status
from schemas.record import Moment


class Parts(BaseModel):
    """The four parts of a score, each in [0, 1] (R22)."""

    semantic: float
    recency: float
    frequency: float
    confidence: float


class Recalled(BaseModel):
    """One memory as recalled: ``score`` is the weighted sum of ``parts``; ``turns`` say where it came from."""

    id: str
    text: str
    kind: Kind
    key: str
    scene: str
    subject: str
    status: Status
    score: float
    parts: Parts
    turns: list[str]
    updated_at: Moment


class RecallRequest(BaseModel):
    """``at`` recalls as of then (clock and validity); ``kinds`` limits; archived memories only on demand.

    ``conversation_id`` says where the question is asked; it does not change the ranking yet.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"query": "我早上喝什么？", "limit": 5}]})

    query: str = Field(min_length=1, max_length=8000)
    limit: int = Field(5, ge=1, le=50)
    at: Moment | None = None
    kinds: list[Kind] | None = None
    include_archived: bool = False
    conversation_id: str | None = None


class RecallResponse(BaseModel):
    """The memories, best first, and the briefing that a prompt would carry.

    ``quoted`` are the ids of turns that the briefing quotes: where the question asks what was said and no memory answers.
    """

    memories: list[Recalled]
    briefing: str
    quoted: list[str] = []


class TurnSearchRequest(BaseModel):
    """``from`` and ``to`` bound the turns' time (inclusive, exclusive)."""

    model_config = ConfigDict(
        extra="forbid", populate_by_name=True, json_schema_extra={"examples": [{"query": "你上次推荐的书", "limit": 10}]}
    )

    query: str = Field(min_length=1, max_length=8000)
    limit: int = Field(10, ge=1, le=100)
    since: Moment | None = Field(None, alias="from")
    until: Moment | None = Field(None, alias="to")
    conversation_id: str | None = None
    at: Moment | None = None


class FoundTurn(BaseModel):
    """A turn that turn search found, best first."""

    id: str
    conversation_id: str
    role: str
    speaker: str | None
    content: str
    at: Moment
    score: float


class TurnSearchResponse(BaseModel):
    """``complete`` is false while vectors of some turns are still being built (their words are searched all the same)."""

    turns: list[FoundTurn]
    complete: bool
