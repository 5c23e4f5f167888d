"""Bodies of the routes about turns and conversations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from schemas.conversation import Conversation
from schemas.record import Moment
from schemas.turn import Turn

_EXAMPLE: JsonDict = {
    "conversation_id": "tea-talk",
    "messages": [{"role": "user", "content": "我叫林晚，早上只喝无糖豆浆。", "id": "m1"}, {"role": "assistant", "content": "记住了。"}],
    "wait": True,
}


def _addressable(id: str) -> str:
    """A conversation's id stands in paths and headers."""
    if not id.isprintable() or id in (".", ".."):
        raise ValueError("a conversation id is printable, and neither '.' nor '..'")
    return id


class Message(BaseModel):
    """One utterance to ingest. ``id`` is the client's own: the same id in the same conversation is stored once."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant", "other"]
    content: str = Field(max_length=200_000)
    name: str | None = Field(None, max_length=200)
    at: Moment | None = None
    id: str | None = Field(None, min_length=1, max_length=200)


class TurnsRequest(BaseModel):
    """A dialogue without a reply. ``wait``: answer after its extraction, with the memories it made or changed."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_EXAMPLE]})

    conversation_id: Annotated[str, AfterValidator(_addressable)] | None = Field(None, min_length=1, max_length=200)
    messages: list[Message] = Field(min_length=1, max_length=1000)
    wait: bool = False


class TurnsResponse(BaseModel):
    """``turn_ids`` in the order of the messages; ``memories`` are ids, only with ``wait``."""

    conversation_id: str
    turn_ids: list[str]
    memories: list[str] | None = None


class ConversationPage(BaseModel):
    """Conversations, latest first."""

    data: list[Conversation]
    next_cursor: str | None = None


class ConversationView(BaseModel):
    """A conversation with its turns in order."""

    conversation: Conversation
    turns: list[Turn]


class Deleted(BaseModel):
    """What a deletion removed."""

    deleted: bool = True
    count: int = 1
