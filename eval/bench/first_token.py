"""What memory adds to the time of the first token, beside the model alone with a prompt of the same length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from eval.bench import crowd
from eval.bench.frame import Clock, Contender, Outcome, Tell, alternate
from eval.bench.http_house import open_http_house
from eval.bench.slow_model import DELAY_S, SlowModel
from eval.occupants import write
from memory.ports import Embedder
from schemas.settings import Settings

_USER = "asker"


async def bench_first_token(
    count: int, rounds: int, embedder: Embedder, settings: Settings, folder: Path, clock: Clock, tell: Tell
) -> Outcome:
    """``model``: the prompt that laoma sent last, sent to the model server itself; ``laoma``: a chat with ``count``
    memories.

    The model server waits DELAY_S, then speaks. Each question is new, so it is embedded; the turn is on disk before the model is asked.
    """
    model = SlowModel(DELAY_S)
    asked = crowd.questions(997, seed=7)
    async with model.serve() as url:
        local = settings.model_copy(update={"model": settings.model.model_copy(update={"url": url, "name": "slow"})})
        async with (
            open_http_house(folder / "first-token", embedder, local) as house,
            house.client(_USER) as client,
            httpx.AsyncClient(base_url=url, trust_env=False) as direct,
        ):
            tell("embedding memories", 0, count)
            await write(house.house, crowd.memories(_USER, count, seed=7))

            async def laoma(turn: int) -> None:
                await _first(client, "/v1/chat/completions", {"messages": [{"role": "user", "content": asked[turn]}], "stream": True})

            async def alone(turn: int) -> None:
                if not model.bodies:  # its warm-up may come first
                    await laoma(turn)
                await _first(direct, "/chat/completions", model.bodies[-1])

            times = await alternate([Contender("laoma", laoma), Contender("model", alone)], rounds, clock, tell)
    return Outcome("first token", count, times)


async def _first(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> None:
    """Returns at the first word; the rest of the stream is read, so that the connection is used again."""
    async with client.stream("POST", path, json=body) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if '"content"' in line:
                return
