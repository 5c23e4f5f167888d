"""What the gateway is made of; routes take it from the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fastapi import Request

from schemas.settings import Settings
from serve.chat_model.protocol import ChatModel
from serve.keys import KeyRing
from serve.metrics import Metrics

if TYPE_CHECKING:
    from serve.embedders.protocol import AsyncEmbedder
    from serve.job_board import JobBoard
    from serve.shards import Shards


@dataclass(frozen=True)
class Parts:
    """Ports of the gateway; each has a real and an in-process form."""

    settings: Settings
    keys: KeyRing
    shards: Shards
    chat: ChatModel
    embedder: AsyncEmbedder
    jobs: JobBoard
    metrics: Metrics
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    home: Path


def parts_of(request: Request) -> Parts:
    """The parts of the gateway that serves this request."""
    return cast("Parts", request.app.state.parts)
