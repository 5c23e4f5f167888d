"""Bodies of the routes about memories, their history, the profile and feedback."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.memory import Change, Kind, Memory, Status
from schemas.record import Moment
from schemas.turn import Turn


class MemoryView(BaseModel):
    """A memory as clients see it: everything but its vector."""

    id: str
    kind: Kind
    key: str
    scene: str
    subject: str
    text: str
    source: str
    confidence: float
    importance: int
    priority: int
    status: Status
    confirmations: int
    version: int
    previous: str | None
    turns: list[str]
    created_at: Moment
    updated_at: Moment
    verified_at: Moment | None
    accessed_at: Moment | None
    access_count: int
    valid_from: Moment | None
    valid_to: Moment | None
    expires_at: Moment | None

    @classmethod
    def of(cls, memory: Memory) -> MemoryView:
        """The view of a stored row."""
        return cls.model_validate({name: getattr(memory, name) for name in cls.model_fields})


class MemoryPage(BaseModel):
    """Memories, latest change first; ``next_cursor`` asks for the next page."""

    data: list[MemoryView]
    next_cursor: str | None = None


class MemoryDetail(BaseModel):
    """A memory, the decisions about it (oldest first) and the turns it came from."""

    memory: MemoryView
    history: list[Change]
    turns: list[Turn]


class MemoryIn(BaseModel):
    """A statement to remember, as written; kind and slot are recognised when left out."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": "我对花生过敏", "kind": "fact"}]})

    text: str = Field(min_length=1, max_length=2000)
    kind: Kind | None = None
    key: str | None = Field(None, min_length=1, max_length=200)
    scene: str | None = Field(None, min_length=1, max_length=100)


class MemoryPatch(BaseModel):
    """Fields to change; ``If-Match: VERSION`` guards against a change made meanwhile (409)."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": "我对花生和腰果过敏"}]})

    text: str | None = Field(None, min_length=1, max_length=2000)
    kind: Kind | None = None
    key: str | None = Field(None, min_length=1, max_length=200)
    scene: str | None = Field(None, min_length=1, max_length=100)
    priority: int | None = Field(None, ge=0, le=2)


class Revert(BaseModel):
    """Which version a memory goes back to; left out: the one before the last change."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"version": 1}]})

    version: int | None = Field(None, ge=1)


class ChangePage(BaseModel):
    """Decisions, latest first."""

    data: list[Change]
    next_cursor: str | None = None


class Preference(BaseModel):
    """One preference with where it comes from."""

    id: str
    key: str
    text: str
    scene: str
    subject: str
    source: str
    confidence: float


class Behaviour(BaseModel):
    """How the user has talked in the last seven days: counts, mean exchanges a conversation, hours (0-23, user's zone), most used first."""

    conversations: int
    mean_exchanges: float
    preferred_hours: list[int]
    thumbs_up: int
    thumbs_down: int


class ProfileView(BaseModel):
    """Who the user is, as far as it is known: base attributes by name, preferences surest first."""

    user: str
    attributes: dict[str, str]
    preferences: list[Preference]
    behaviour: Behaviour


class FeedbackIn(BaseModel):
    """A thumb on a reply (its turn id)."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"turn": "0198…", "signal": "up"}]})

    turn: str = Field(min_length=1, max_length=200)
    signal: Literal["up", "down"]
    comment: str | None = Field(None, max_length=2000)


class ConsentIn(BaseModel):
    """Leave to store a sensitive category (R32)."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"category": "health"}]})

    category: Literal["health", "religion", "politics", "government"]
