"""What passes between the gateway and the shard around one chat completion."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from schemas.record import Moment


def _plausible(count: Any) -> Any:
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**63 else None


Tokens = Annotated[int | None, BeforeValidator(_plausible)]
"""A count as a model server gave it; what is no count is None: no reply is lost to a server's odd bookkeeping."""


class Spoken(BaseModel):
    """One message of the client's list that somebody said: system and tool messages are not."""

    model_config = ConfigDict(frozen=True)

    role: Literal["user", "assistant"]
    text: str


class Opening(BaseModel):
    """A chat request as the shard needs it. ``ids`` are fresh ids, one a message, made by the gateway so that
    a repeated call stores nothing twice. ``store`` false: recall only (``X-Laoma-Memory: read``)."""

    model_config = ConfigDict(frozen=True)

    messages: list[Spoken]
    ids: list[str]
    conversation_id: str | None
    store: bool
    at: Moment


class Opened(BaseModel):
    """Where the exchange belongs and what memory has to say. ``standing`` is stable from request to request, ``recent`` belongs
    to this question; ``parent`` is the user's turn (None when nothing was stored).

    ``answer``: the reply itself, where the user asked something of their memory and no model is to make it up; ``record`` is what of
    it is stored, which quotes no memory. ``aside`` is a line to stand below the model's reply; ``first_question``
    has the model ask somebody new one thing (R28). ``policy`` tells the live rules of behaviour, ``manner`` those of this conversation
    alone (E5), ``policy_version`` which version answers (E10). ``cut`` messages at the front of the client's list have left the window
    (R1), ``summary`` stands in their place (R2)."""

    model_config = ConfigDict(frozen=True)

    conversation_id: str
    exchange: str
    parent: str | None
    standing: str
    recent: str
    recalled: list[str]
    answer: str | None = None
    record: str | None = None
    aside: str = ""
    first_question: str = ""
    policy: str = ""
    manner: str = ""
    policy_version: str | None = None
    cut: int = 0
    summary: str = ""


class Closing(BaseModel):
    """The reply as it was given, whole or cut. Times in milliseconds."""

    model_config = ConfigDict(frozen=True)

    id: str
    opened: Opened
    content: str
    interrupted: bool
    model: str | None
    first_token_ms: float | None
    total_ms: float
    prompt_tokens: Tokens
    completion_tokens: Tokens
    at: Moment
