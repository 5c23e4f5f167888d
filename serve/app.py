"""The memory application as Ray Serve runs it: gateway, shards, embedder. The model is an application of its own (``serve/llm.py``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from ray import serve

from lake.place import Place, shard_of
from schemas.settings import Settings, load_settings
from serve.absence import Absence, look
from serve.chat_model import build as build_chat_model
from serve.embedder import EmbedderDeployment, HandleEmbedder
from serve.entrance import Entrance
from serve.gateway import build_gateway
from serve.job_board import RayJobBoard
from serve.keys import KeyRing, ensure_owner
from serve.launch import MEMORY_APP
from serve.memory_shard import MemoryShard, new_id, now
from serve.metrics import Metrics
from serve.parts import Parts
from serve.schedule import Schedule
from serve.scheduler import Scheduler
from serve.session_folder import socket_of
from serve.shards import RemoteShards

_CHECKOUT = Path(__file__).resolve().parent.parent
_LIGHT = {"num_cpus": 0.1}
_OPTIONS: dict[str, Any] = {"ray_actor_options": _LIGHT, "health_check_period_s": 1, "health_check_timeout_s": 20}


class Gateway:
    """The HTTP entrance: its replica opens the port itself."""

    async def __init__(self, home: str, dashboard: str, embedder: Any, *shards: Any) -> None:  # type: ignore[misc]  # Serve awaits it
        path = Path(home)
        settings = load_settings(path)
        absence = Absence(look(MEMORY_APP))
        parts = Parts(
            settings=settings,
            keys=KeyRing(path / "keys.json"),
            shards=RemoteShards(
                shards,
                shard_of,
                absence=absence,
                sockets=[socket_of(path, number) for number in range(len(shards))],
            ),
            chat=build_chat_model(path, settings.model),
            embedder=HandleEmbedder(embedder, settings.embedding, absence),
            jobs=RayJobBoard(dashboard, path, _CHECKOUT, now),
            metrics=Metrics(),
            now=now,
            new_id=new_id,
            home=path,
        )
        self._entrance = Entrance(build_gateway(parts), settings.http.host, settings.http.port, request_s=settings.http.request_s)
        await self._entrance.open()
        self._scheduler = Scheduler(Schedule(path, settings), parts.jobs, now, path)
        self._scheduler.start()

    def check_health(self) -> None:
        """Serve replaces the replica when this raises."""
        self._entrance.require_open()

    async def __del__(self) -> None:
        """Serve awaits it when the replica is to go."""
        await self._scheduler.stop()
        await self._entrance.close()


def build(home: Path, settings: Settings, *, dashboard: str) -> serve.Application:
    """The graph of deployments over the lake at ``home``; makes the owner's key at the first start."""
    ensure_owner(home)
    Place(home).settle_shards(settings.lake.shards)
    shard = serve.deployment(
        **_OPTIONS, max_ongoing_requests=256, max_queued_requests=settings.shard.queue, graceful_shutdown_timeout_s=10
    )(MemoryShard)
    shards = [shard.options(name=f"MemoryShard-{number}").bind(str(home), number) for number in range(settings.lake.shards)]
    embedder = cast(Any, EmbedderDeployment).bind(settings.embedding.model_dump())
    gateway = serve.deployment(**_OPTIONS, max_ongoing_requests=8, graceful_shutdown_timeout_s=10)(Gateway)
    application: serve.Application = gateway.bind(str(home), dashboard, embedder, *shards)
    return application
