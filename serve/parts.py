"""What the gateway is made of; routes take it from the request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, cast

from fastapi import Request

from schemas.settings import Settings
from serve.chat_model.protocol import ChatModel
from serve.keys import KeyRing
from serve.metrics import Metrics

if TYPE_CHECKING:
    from memory.ports import Floats
    from serve.job_board import JobBoard
    from serve.shards import Shards


class BulkEmbedder(Protocol):
    """Embeds beside the event loop."""

    async def embed(self, texts: Sequence[str], kind: Literal["query", "passage"]) -> Floats:
        """Shape (len(texts), dim); one ``kind`` a call."""
        ...


@dataclass(frozen=True)
class Parts:
    """Ports of the gateway; each has a real and an in-process form."""

    settings: Settings
    keys: KeyRing
    shards: Shards
    chat: ChatModel
    embedder: BulkEmbedder
    jobs: JobBoard
    metrics: Metrics
    now: Callable[[], datetime]
    new_id: Callable[[], str]


def parts_of(request: Request) -> Parts:
    """The parts of the gateway that serves this request."""
    return cast("Parts", request.app.state.parts)
