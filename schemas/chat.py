"""OpenAI's chat and embeddings bodies, as far as laoma reads them; every other field passes through to the model."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

_EXAMPLE: JsonDict = {"model": "laoma", "messages": [{"role": "user", "content": "我早上喝什么？"}], "stream": False}


class ChatMessage(BaseModel):
    """One message; ``content`` is a text, a list of parts, or null beside ``tool_calls``."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None
    name: str | None = None


class ChatRequest(BaseModel):
    """A chat completion request."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [_EXAMPLE]})

    messages: list[ChatMessage] = Field(min_length=1)
    model: str | None = None
    stream: bool | None = False
    n: int | None = None


class EmbeddingsRequest(BaseModel):
    """Texts to embed. ``kind`` (ours): ``query`` for questions, ``passage`` (default) for what is searched."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [{"model": "laoma", "input": ["你好", "hello"]}]})

    input: str | list[str]
    model: str | None = None
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: int | None = None
    kind: Literal["query", "passage"] = "passage"


class ErrorBody(BaseModel):
    """What went wrong and what to do."""

    message: str
    type: str
    code: str | None = None
    param: str | None = None


class ErrorResponse(BaseModel):
    """OpenAI's error envelope."""

    error: ErrorBody
