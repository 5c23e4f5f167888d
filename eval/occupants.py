"""Fills a house and asks it: stored memories, posted turns, their searches."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from datetime import datetime

from eval.house import House
from lake.store import Put
from memory.recall import RecallResult
from schemas.dialogue import Message, TurnsRequest
from schemas.memory import Memory
from schemas.recall import FoundTurn, RecallRequest, TurnSearchRequest
from schemas.turn import Turn
from serve.shard.embedding import embed

_MESSAGES = 1000
"""Messages that one request takes at most."""
_LOOK_S = 0.02


async def write(house: House, memories: Sequence[Memory]) -> None:
    """Store memories as they are, with the vectors of their texts; before their user is asked for the first time."""
    vectors = await embed(house.resources, [memory.text for memory in memories])
    name = house.resources.embedder.name
    rows = [memory.but(embedder=name, vector=vector.tolist()) for memory, vector in zip(memories, vectors, strict=True)]
    await house.resources.commit([Put(rows)])


async def ingest(house: House, turns: Sequence[Turn]) -> None:
    """Post turns of one user as a client would (``POST /v1/turns``), conversation by conversation; they keep their ids."""
    for conversation, said in itertools.groupby(turns, key=lambda turn: turn.conversation):
        whole = list(said)
        for start in range(0, len(whole), _MESSAGES):
            batch = whole[start : start + _MESSAGES]
            messages = [Message(role=turn.role, content=turn.content, name=turn.speaker, at=turn.at) for turn in batch]
            request = TurnsRequest(conversation_id=conversation, messages=messages)
            await house.service.ingest(batch[0].user, request, [turn.id for turn in batch], house.clock())


async def settle(house: House, user: str) -> None:
    """Returns when every turn of the user is read for memories and has its vector."""
    await house.service.idle(user)
    while (await house.service.figures())["turn_vectors_waiting"]:  # noqa: ASYNC110  the queue has no event for it
        await asyncio.sleep(_LOOK_S)


async def rank(house: House, user: str, question: str, at: datetime) -> RecallResult:
    """Recall, with its ranking before threshold and cap."""
    return await house.service.rank(user, RecallRequest(query=question, at=at))


async def search(house: House, user: str, question: str, at: datetime, limit: int) -> list[FoundTurn]:
    """Turn search (R35)."""
    return (await house.service.search_turns(user, TurnSearchRequest(query=question, at=at, limit=limit))).turns
