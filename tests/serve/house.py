"""A whole laoma in this process: real tables, real embedder, real HTTP on an ephemeral port; only the model's words are scripted."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from lake.place import Place
from lake.store import ShardStore
from memory.extract.offline import OfflineExtractor
from memory.ports import Embedder, Floats
from schemas.errors import NotFound
from schemas.job import Job, JobIn, JobLogs
from schemas.settings import Settings
from schemas.status import ModelState
from serve.gateway import build_gateway
from serve.keys import KeyRing, Role
from serve.memory_shard import new_id
from serve.metrics import Metrics
from serve.parts import Parts
from serve.shard.resources import Resources
from serve.shard.service import ShardService
from serve.shards import LocalShard

START = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)


class Clock:
    """A clock that tests set; it moves a millisecond at each look, so that times order events."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at
        self._ticks = itertools.count()

    def __call__(self) -> datetime:
        return self.at + timedelta(milliseconds=next(self._ticks))

    def pass_(self, **span: float) -> None:
        self.at += timedelta(**span)


class EchoModel:
    """Answers by script: a text, chunks to stream, or an error; keeps the bodies that it was sent."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.reply = "好的。"
        self.state = ModelState(name="echo", state="ready")
        self.closed_early = 0

    async def complete(self, body: dict[str, Any], *, priority: int = 0) -> dict[str, Any]:
        self.bodies.append(body)
        message = {"role": "assistant", "content": self.reply}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        return {"id": "c1", "object": "chat.completion", "created": 1, "model": "echo", "choices": [choice], "usage": usage}

    async def stream(self, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        self.bodies.append(body)
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "echo"}
        try:
            for letter in self.reply:
                yield {**head, "choices": [{"index": 0, "delta": {"content": letter}, "finish_reason": None}]}
                await asyncio.sleep(0)
            yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        except GeneratorExit:
            self.closed_early += 1
            raise

    async def ready(self) -> ModelState:
        return self.state

    async def close(self) -> None:
        return None

    def prompt(self, number: int = -1) -> str:
        """All the words of the prompt that the model received."""
        return "\n".join(str(message.get("content")) for message in self.bodies[number]["messages"])


class EmbedderHere:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def embed(self, texts: list[str], kind: str) -> Floats:
        return self._embedder.query(texts) if kind == "query" else self._embedder.passage(texts)


class NoJobs:
    async def submit(self, job: JobIn, *, id: str | None = None, due: datetime | None = None) -> Job:
        return Job(id="j1", name=job.name, state="pending")

    async def list(self) -> list[Job]:
        return []

    async def get(self, id: str) -> Job:
        raise NotFound("No such job.")

    async def logs(self, id: str) -> JobLogs:
        raise NotFound("No such job.")

    async def stop(self, id: str) -> Job:
        raise NotFound("No such job.")


@dataclass
class House:
    """What a test needs: ``as_("alice")`` is an HTTP client with that user's key."""

    home: Path
    url: str
    clock: Clock
    model: Any
    service: ShardService
    keys: KeyRing
    app: FastAPI
    _clients: dict[str, httpx.AsyncClient] = field(default_factory=dict)

    @property
    def parts(self) -> Parts:
        parts: Parts = self.app.state.parts
        return parts

    @parts.setter
    def parts(self, parts: Parts) -> None:
        self.app.state.parts = parts

    def key(self, user: str, roles: list[Role] | None = None) -> str:
        return self.keys.create(user, roles)

    def as_(self, user: str, roles: list[Role] | None = None) -> httpx.AsyncClient:
        if user not in self._clients:
            headers = {"Authorization": f"Bearer {self.key(user, roles)}"}
            self._clients[user] = httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30)
        return self._clients[user]

    async def tell(self, user: str, *texts: str, conversation: str | None = None) -> dict[str, Any]:
        """Ingest what a user says, wait for its extraction."""
        messages = [{"role": "user", "content": text} for text in texts]
        body = {"messages": messages, "wait": True, "conversation_id": conversation}
        answer = await self.as_(user).post("/v1/turns", json=body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def memories(self, user: str, **params: str) -> list[dict[str, Any]]:
        return list((await self.as_(user).get("/v1/memories", params=params)).json()["data"])

    async def recalled(self, user: str, query: str) -> list[str]:
        answer = await self.as_(user).post("/v1/recall", json={"query": query})
        assert answer.status_code == 200, answer.text
        return [memory["text"] for memory in answer.json()["memories"]]

    async def chat(self, user: str, /, *messages: dict[str, Any], **fields: Any) -> httpx.Response:
        headers = fields.pop("headers", {})
        answer = await self.as_(user).post("/v1/chat/completions", json={"messages": list(messages), **fields}, headers=headers)
        await self.service.idle(user)
        return answer


@asynccontextmanager
async def open_house(
    home: Path,
    embedder: Embedder,
    *,
    model: Any = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    reads: bool = False,
    extractor: OfflineExtractor | None = None,
) -> AsyncIterator[House]:
    """Build one over ``home`` (an existing one opens again with all it knew). ``reads``: the model reads turns for memories too.
    ``extractor``: another one than the one with heads."""
    settings, clock, model = settings or Settings(), clock or Clock(), model or EchoModel()
    place = Place(home)
    store = ShardStore(place.shard(0), embedder=embedder.name, dim=embedder.dim, settings=settings.lake, now=clock, holder="test")
    resources = Resources(
        store, embedder, extractor or OfflineExtractor(embedder), settings, place.logs, clock, new_id, model=model, learns=lambda: reads
    )
    service = ShardService(resources)
    await service.start()
    keys = KeyRing(home / "keys.json")
    parts = Parts(settings, keys, LocalShard(service), model, EmbedderHere(embedder), NoJobs(), Metrics(), clock, new_id, home)
    app = build_gateway(parts)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  uvicorn has no event for it
        await asyncio.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    house = House(home, f"http://127.0.0.1:{port}", clock, model, service, keys, app)
    try:
        yield house
    finally:
        for client in house._clients.values():
            await client.aclose()
        server.should_exit = True
        await serving
        await service.stop()
