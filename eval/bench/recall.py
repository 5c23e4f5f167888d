"""``laoma bench recall``: what memory costs beside the least that any could: embed the question, one dot product."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eval.bench import crowd
from eval.bench.frame import Clock, Contender, Outcome, Tell, alternate
from eval.bench.http_house import HttpHouse, open_http_house
from lake.store import Put
from memory.memory_index import MemoryIndex
from memory.ports import Embedder, Floats
from memory.recall import Question, recall
from memory.vectors import best_rows
from schemas.memory import Memory
from schemas.recall import RecallRequest
from schemas.settings import Settings

EMBEDDED = ("limit", "engine", "shard", "http", "lancedb")
BARE = ("dot product", "engine alone", "lancedb alone")
_LIMIT = 5
_BATCH = 1000
_SEED = 20260302


async def bench_recall(
    cases: Sequence[tuple[int, int]], rounds: int, embedder: Embedder, settings: Settings, folder: Path, clock: Clock, tell: Tell
) -> list[Outcome]:
    """One outcome a case (users, memories of each). ``embedder`` must cache nothing; the lakes under ``folder`` are left to the caller.

    limit: embed, multiply with the asked user's matrix, take five. engine: embed, :func:`memory.recall.recall`. shard: what a route calls,
    briefing included. http: the same through the gateway on loopback. lancedb: embed, a flat search filtered by user. The last three
    contenders are given the vector: the dot product alone, the engine alone, LanceDB alone.
    """
    outcomes = []
    for users, count in cases:
        name = f"{count:,}" if users == 1 else f"{users} x {count:,}"
        tell(f"filling {name}", 0, users)
        # everybody stays in memory: it is recall that is timed, not loading
        roomy = settings.shard.model_copy(update={"users_in_memory": users + 1, "cache_mb": 16_384})
        fresh = settings.embedding.model_copy(update={"cache_entries": 0})
        local = settings.model_copy(update={"shard": roomy, "embedding": fresh})
        home = folder / f"{users}-{count}"
        async with (
            open_http_house(home, embedder, local) as house,
            _contenders(house, users, count, embedder, local, tell) as contenders,
        ):
            times = await alternate(contenders, rounds, clock, partial(_tell_as, tell, f"recall {name}"))
        outcomes.append(Outcome(name, users * count, times))
    return outcomes


def _tell_as(tell: Tell, what: str, _: str, done: int, total: int) -> None:
    tell(what, done, total)


@asynccontextmanager
async def _contenders(
    house: HttpHouse, users: int, count: int, embedder: Embedder, settings: Settings, tell: Tell
) -> AsyncIterator[list[Contender]]:
    rows = {f"user{number}": _rows(f"user{number}", count, embedder, number) for number in range(users)}
    indexes = {}
    for number, (user, (memories, made)) in enumerate(rows.items()):
        tell(f"filling {users} x {count:,}", number, users)
        await _store(house, memories, made, embedder.name)
        indexes[user] = MemoryIndex(embedder.name, embedder.dim)
        indexes[user].put_many(memories, list(made))
        await house.house.service.recall(user, RecallRequest(query="?", at=crowd.AT))
    table = _lance(house.house.resources.store.root.parent / "raw", rows)
    asked = crowd.questions(997, _SEED)
    ready = crowd.vectors(997, embedder.dim, _SEED)
    names = list(rows)
    constants = settings.recall

    def user_of(turn: int) -> str:
        return names[turn % users]

    def vector(turn: int) -> Floats:
        return np.asarray(embedder.query([asked[turn]])[0], dtype=np.float32)

    def best(turn: int, query: Floats) -> object:
        return best_rows(indexes[user_of(turn)].vectors.matrix @ query, _LIMIT)

    def engine(turn: int, query: Floats) -> object:
        return recall(indexes[user_of(turn)], Question(asked[turn], query, crowd.AT), constants)

    def raw(turn: int, query: Floats) -> object:
        return table.search(query).where(f"user = '{user_of(turn)}'", prefilter=True).limit(_LIMIT).select(["id", "_distance"]).to_arrow()

    async def limit_(turn: int) -> object:
        return best(turn, vector(turn))

    async def engine_(turn: int) -> object:
        return engine(turn, vector(turn))

    async def shard(turn: int) -> object:
        return await house.house.service.recall(user_of(turn), RecallRequest(query=asked[turn], at=crowd.AT))

    async def lancedb_(turn: int) -> object:
        return raw(turn, vector(turn))

    async def dot(turn: int) -> object:
        return best(turn, ready[turn])

    async def engine_alone(turn: int) -> object:
        return engine(turn, ready[turn])

    async def lancedb_alone(turn: int) -> object:
        return raw(turn, ready[turn])

    async with _clients(house, names) as clients:

        async def http(turn: int) -> object:
            body = {"query": asked[turn], "at": crowd.AT.isoformat()}
            return (await clients[user_of(turn)].post("/v1/recall", json=body)).raise_for_status()

        runs = (limit_, engine_, shard, http, lancedb_, dot, engine_alone, lancedb_alone)
        yield [Contender(name, run) for name, run in zip((*EMBEDDED, *BARE), runs, strict=True)]


@asynccontextmanager
async def _clients(house: HttpHouse, users: Sequence[str]) -> AsyncIterator[dict[str, Any]]:
    """One client a user over one connection pool: keys differ, the wire does not."""
    async with AsyncExitStack() as stack:
        yield {user: await stack.enter_async_context(house.client(user)) for user in users}


def _rows(user: str, count: int, embedder: Embedder, seed: int) -> tuple[list[Memory], Floats]:
    return crowd.memories(user, count, seed), crowd.vectors(count, embedder.dim, seed)


async def _store(house: HttpHouse, memories: Sequence[Memory], made: Floats, embedder: str) -> None:
    resources = house.house.resources
    for start in range(0, len(memories), _BATCH):
        batch = zip(memories[start : start + _BATCH], made[start : start + _BATCH], strict=True)
        await resources.commit([Put([memory.but(embedder=embedder, vector=vector.tolist()) for memory, vector in batch])])
    await resources.in_thread(resources.store.flush)


def _lance(folder: Path, rows: dict[str, tuple[list[Memory], Floats]]) -> Any:
    import lancedb
    import pyarrow as pa

    made = np.concatenate([vectors for _, vectors in rows.values()])
    memories = [memory for held, _ in rows.values() for memory in held]
    flat = pa.FixedSizeListArray.from_arrays(pa.array(made.reshape(-1)), made.shape[1])
    data = pa.table({"id": [one.id for one in memories], "user": [one.user for one in memories], "vector": flat})
    return lancedb.connect(folder).create_table("memories", data)
