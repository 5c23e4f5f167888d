"""The shard on the cluster: one replica a shard, reached through one method so that every failure of ours travels as a value.

The gateway of the same machine calls it over a line of its own (``serve/line.py``), others through Serve.
"""

from __future__ import annotations

import logging
import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from uuid6 import uuid7

from lake.place import Place
from lake.store import ShardStore
from memory.extract.offline import OfflineExtractor
from schemas.errors import LaomaError, SettingsError, TooMany
from schemas.settings import Settings, load_settings
from serve.chat_model import build as build_model
from serve.embedders import build as build_embedder
from serve.line import LineServer
from serve.session_folder import socket_of
from serve.shard.resources import Resources
from serve.shard.service import ShardService

log = logging.getLogger("laoma.shard")
_GRACE_S = 5.0
"""Calls in work when the replica is to go get so long, seconds."""


def new_id() -> str:
    """A UUIDv7: ids sort by time."""
    return str(uuid7())


def now() -> datetime:
    """The clock of the cluster."""
    return datetime.now(UTC)


def open_shard(home: Path, number: int, settings: Settings) -> ShardService:
    """The shard's service over its tables; takes the shard's lease, fencing an earlier owner."""
    place = Place(home)
    place.settle_shards(settings.lake.shards)
    embedder = build_embedder(settings.embedding)
    store = ShardStore(
        place.shard(number),
        embedder=embedder.name,
        dim=embedder.dim,
        settings=settings.lake,
        now=now,
        holder=f"{socket.gethostname()}:{os.getpid()}",
    )
    model = build_model(home, settings.model) if settings.model.enabled else None
    extractor = OfflineExtractor(embedder)
    if extractor.by_rules_alone:
        log.warning(
            "no heads are taught for the embedder %s: turns are read for memories by rules alone, and fewer are kept", embedder.name
        )
    resources = Resources(
        store, embedder, extractor, settings, place.logs, now, new_id, model=model, learns=lambda: _learns(home, settings)
    )
    return ShardService(resources)


def _learns(home: Path, settings: Settings) -> bool:
    """What ``laoma model probe`` last found of the model that ``settings`` name; it may be tried long after the shard was opened."""
    try:
        return load_settings(home).model.learns
    except (SettingsError, OSError):
        return settings.model.learns


class MemoryShard:
    """Ray Serve deployment class; ``serve/app.py`` gives it its options."""

    async def __init__(self, home: str, number: int) -> None:  # type: ignore[misc]  # Serve awaits it
        path = Path(home)
        settings = load_settings(path)
        self._service = open_shard(path, number, settings)
        await self._service.start()
        busy = TooMany("The memory is busy: try again in a second.", retry_after=1)
        self._line = LineServer(self.perform, limit=settings.shard.queue, refusal=busy)
        await self._line.open(socket_of(path, number))

    async def perform(self, name: str, args: tuple[object, ...], kwargs: dict[str, Any]) -> object:
        """Call a public method of :class:`ShardService`; an error of ours is returned, not raised (it would lose its class)."""
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return await self._service.answer(getattr(self._service, name)(*args, **kwargs))
        except LaomaError as error:
            return error

    def check_health(self) -> None:
        """Serve replaces the replica when this raises: a fenced shard has a successor, one that stopped working needs one."""
        self._service.require_alive()

    async def __del__(self) -> None:
        """Serve awaits it when the replica is to go."""
        await self._line.close(_GRACE_S)
        await self._service.stop()
