"""``laoma bench entrance``: the front door: a ping, a durable turn, recall over HTTP beside the embedding alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from eval.bench import crowd
from eval.bench.frame import Clock, Contender, Outcome, Tell, alternate
from eval.bench.http_house import open_http_house
from eval.occupants import write
from memory.ports import Embedder
from schemas.settings import Settings

USER = "bench"
_WAITING = 16


async def bench_entrance(client: httpx.AsyncClient, count: int, rounds: int, embedder: Embedder, clock: Clock, tell: Tell) -> Outcome:
    """``client`` speaks as a user with ``count`` memories. Raises httpx.HTTPError where the service refuses.

    ``embedding`` is the embedder in this process, on the question that ``recall`` gets in the same round.
    """
    asked = crowd.questions(997, seed=11)

    async def ping(turn: int) -> object:
        return (await client.get("/healthz")).raise_for_status()

    async def durable_turn(turn: int) -> object:
        messages = [{"role": "assistant", "content": f"{asked[turn]} ({turn})"}]
        return (await client.post("/v1/turns", json={"messages": messages})).raise_for_status()

    async def embedding(turn: int) -> object:
        return embedder.query([asked[turn]])

    async def recall(turn: int) -> object:
        return (await client.post("/v1/recall", json={"query": asked[turn]})).raise_for_status()

    runs = (ping, durable_turn, embedding, recall)
    contenders = [Contender(name, run) for name, run in zip(("ping", "durable turn", "embedding", "recall"), runs, strict=True)]
    return Outcome("entrance", count, await alternate(contenders, rounds, clock, tell))


@asynccontextmanager
async def in_process(count: int, embedder: Embedder, settings: Settings, folder: Path, tell: Tell) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a house in this process, whose user has ``count`` memories."""
    async with open_http_house(folder / "entrance", embedder, settings) as house, house.client(USER) as client:
        tell("embedding memories", 0, count)
        await write(house.house, crowd.memories(USER, count, seed=11))
        yield client


@asynccontextmanager
async def running(url: str, key: str, count: int, tell: Tell) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a running laoma, whose user (``key``, a user of the benchmark's own) gets ``count`` memories and loses all at the end."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
        try:
            rows = crowd.memories(USER, count, seed=11)
            for start in range(0, count, _WAITING):
                tell("telling it memories", start, count)
                batch = rows[start : start + _WAITING]
                await asyncio.gather(*(_remember(client, row.text, row.key) for row in batch))
            yield client
        finally:
            (await client.delete("/v1/me", params={"user": USER})).raise_for_status()


async def _remember(client: httpx.AsyncClient, text: str, key: str) -> None:
    (await client.post("/v1/memories", json={"text": text, "kind": "fact", "key": key})).raise_for_status()
