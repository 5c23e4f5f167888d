"""The embedder as a deployment: passages in bulk and the embeddings route, beside the shards' own processes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ray import serve

from memory.ports import Embedder, Floats
from schemas.settings import Embedding
from serve.absence import Absence
from serve.embedders import build
from serve.embedders.protocol import Kind

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle

_ROUND = 64
"""Texts embedded before others get their turn, and texts in a call."""


@dataclass(eq=False)
class _Wanted:
    texts: list[str]
    kind: Kind
    answer: asyncio.Future[Floats]


class Rounds:
    """Embeds for many callers at once: whatever waits when the embedder becomes free makes the next round.

    Nobody waits for a batch to fill. Callers that left meanwhile are passed over.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._waiting: list[_Wanted] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
        self._working: asyncio.Task[None] | None = None

    async def embed(self, texts: list[str], kind: Kind) -> Floats:
        """Shape (len(texts), dim)."""
        wanted = _Wanted(texts, kind, asyncio.get_running_loop().create_future())
        self._waiting.append(wanted)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return await wanted.answer

    async def _work(self) -> None:
        while self._waiting:
            now = self._next_round()
            if not now:
                continue
            texts = [text for wanted in now for text in wanted.texts]
            embed = self._embedder.query if now[0].kind == "query" else self._embedder.passage
            try:
                vectors = await asyncio.get_running_loop().run_in_executor(self._thread, embed, texts)
            except Exception as error:
                self._settle(now, error)
                continue
            start = 0
            for wanted in now:
                end = start + len(wanted.texts)
                if not wanted.answer.done():
                    wanted.answer.set_result(vectors[start:end])
                start = end

    def _next_round(self) -> list[_Wanted]:
        self._waiting = [wanted for wanted in self._waiting if not wanted.answer.done()]
        # questions first: somebody waits for them
        self._waiting.sort(key=lambda wanted: wanted.kind != "query")
        now: list[_Wanted] = []
        for wanted in self._waiting:
            fits = sum(len(one.texts) for one in now) + len(wanted.texts) <= _ROUND
            if not now or (fits and wanted.kind == now[0].kind):
                now.append(wanted)
        self._waiting = [wanted for wanted in self._waiting if wanted not in now]
        return now

    def _settle(self, wanted: Sequence[_Wanted], error: Exception) -> None:
        for one in wanted:
            if not one.answer.done():
                one.answer.set_exception(error)


@serve.deployment(
    name="Embedder",
    ray_actor_options={"num_cpus": 0.1},
    max_ongoing_requests=256,
    health_check_period_s=2,
    graceful_shutdown_timeout_s=5,
)
class EmbedderDeployment:
    """``bind(settings.embedding.model_dump())``."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._rounds = Rounds(build(Embedding.model_validate(settings)))

    async def embed(self, texts: list[str], kind: Kind) -> Floats:
        """Shape (len(texts), dim)."""
        return await self._rounds.embed(texts, kind)


class HandleEmbedder:
    """An ``AsyncEmbedder`` through the deployment's handle; long lists go in parts, so that others get their turn between them."""

    def __init__(self, handle: DeploymentHandle[Any], settings: Embedding, absence: Absence) -> None:
        self._handle = handle
        self._absence = absence
        self.name = settings.model
        self.dim = settings.dim

    async def embed(self, texts: Sequence[str], kind: Kind) -> Floats:
        """Shape (len(texts), dim). Raises UpstreamFailed, EmbedderMismatch, Unavailable."""
        parts = []
        for start in range(0, len(texts), _ROUND):
            answer = self._handle.embed.remote(list(texts[start : start + _ROUND]), kind)
            parts.append(await self._absence.bounded(self._handle.deployment_name, answer))
        return np.concatenate(parts) if parts else np.empty((0, self.dim), np.float32)
