"""The port to a chat model: OpenAI's bodies in and out, as plain JSON values."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

from schemas.status import ModelState

PERSON = 0
"""Priority of a call that somebody waits for."""
BACKGROUND = 10
"""Priority of summaries and extraction: behind every person's (a vLLM server with priority scheduling serves lower numbers first)."""


class ChatModel(Protocol):
    """Answers chat completions. Bodies pass as they are; a server's refusal is raised as UpstreamFailed with the server's words."""

    async def complete(self, body: dict[str, Any], *, priority: int = PERSON) -> dict[str, Any]:
        """A whole completion. Raises UpstreamFailed, TooMany, Unavailable. Cancelling it stops the generation."""
        ...

    def stream(self, body: dict[str, Any], *, priority: int = PERSON) -> AsyncIterator[dict[str, Any]]:
        """The chunks of a completion as they come; closing the iterator stops the generation. Raises as :meth:`complete` does."""
        ...

    async def ready(self) -> ModelState:
        """Whether it can be asked now; cheap enough for every request."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
