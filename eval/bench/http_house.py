"""A house with its entrance: the gateway over a shard in this process, real HTTP on a free port of the loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx
import uvicorn

from eval.house import House, open_house
from lake.place import Place
from memory.extract.protocol import Extractor
from memory.ports import Embedder, Floats
from schemas.settings import Settings
from serve.chat_model.openai_url import UrlModel
from serve.gateway import build_gateway
from serve.keys import KeyRing
from serve.memory_shard import new_id
from serve.metrics import Metrics
from serve.parts import Parts
from serve.shards import LocalShard

_LOOK_S = 0.005
_READ_S = 60.0
_KEEP_ALIVE_S = 3600
"""Between two turns of a contender minutes may pass."""


@dataclass(frozen=True)
class HttpHouse:
    """``url`` is where it answers."""

    house: House
    url: str
    keys: KeyRing

    @asynccontextmanager
    async def client(self, user: str) -> AsyncIterator[httpx.AsyncClient]:
        """An HTTP client with a key of that user."""
        headers = {"Authorization": f"Bearer {self.keys.create(user)}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=_READ_S, trust_env=False) as client:
            yield client


@asynccontextmanager
async def open_http_house(
    home: Path, embedder: Embedder, settings: Settings, extractor: Extractor | None = None
) -> AsyncIterator[HttpHouse]:
    """``settings.model.url`` is the model that its chat asks."""
    async with open_house(home, embedder, settings, extractor) as house:
        keys = KeyRing(Place(home).keys)
        model = UrlModel(settings.model, key=None)
        no_jobs: Any = None  # the routes of jobs are not asked here
        parts = Parts(settings, keys, LocalShard(house.service), model, _Beside(embedder), no_jobs, Metrics(), house.clock, new_id, home)
        app = build_gateway(parts)
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False, timeout_keep_alive=_KEEP_ALIVE_S)
        async with serving(config) as url:
            yield HttpHouse(house, url, keys)
        await model.close()


@asynccontextmanager
async def serving(config: uvicorn.Config) -> AsyncIterator[str]:
    """Serves on this event loop; yields the address."""
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  uvicorn has no event for it
        await asyncio.sleep(_LOOK_S)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await task


@dataclass(frozen=True)
class _Beside:
    embedder: Embedder

    async def embed(self, texts: Sequence[str], kind: Literal["query", "passage"]) -> Floats:
        side = self.embedder.query if kind == "query" else self.embedder.passage
        return await asyncio.to_thread(side, list(texts))
