"""The one way memories are written: rows, vectors and reasons in one commit, then the user at hand is brought up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lake.store import Drop, Put, Write
from memory.ports import Floats
from schemas.memory import Change, Memory
from schemas.record import Record
from serve.shard.active import ActiveUser
from serve.shard.embedding import embed
from serve.shard.resources import Resources


async def record(
    resources: Resources,
    active: ActiveUser,
    memories: Sequence[Memory],
    changes: Sequence[Change],
    *,
    beside: Sequence[Write] = (),
    made: Mapping[str, Floats] = MappingProxyType({}),
) -> list[Memory]:
    """Write memories with the decisions about them, and ``beside`` in the same commit. Call it under ``active.lock``.

    ``made`` holds vectors of texts that were embedded before the lock was taken, shape (dim,) each.
    Raises EmbedderMismatch when the lake holds another embedder's vectors; nothing is written then.
    """
    vectors = await _with_vectors(resources, active, memories, made)
    complete = [
        row.model_copy(
            update={"embedder": resources.embedder.name, "vector": None if (vector := vectors[row.id]) is None else vector.tolist()}
        )
        for row in memories
    ]
    writes: list[Write] = [*_puts(complete), *_puts(changes), *beside]
    if writes:
        await resources.commit(writes)
    for memory in complete:
        if (vector := vectors[memory.id]) is None:
            active.memories.renew(memory)
        else:
            active.memories.put(memory, vector)
        active.accessed.discard(memory.id)
    return complete


async def erase(resources: Resources, active: ActiveUser, ids: Sequence[str], *, beside: Sequence[Write]) -> None:
    """Drop memories, and write ``beside`` (tombstones, the fact of deletion) in the same commit. Call it under ``active.lock``."""
    await resources.commit([Drop(Memory, active.user, list(ids)), *beside])
    for id in ids:
        active.memories.drop(id)
        active.accessed.discard(id)


async def _with_vectors(
    resources: Resources, active: ActiveUser, memories: Sequence[Memory], made: Mapping[str, Floats]
) -> dict[str, Floats | None]:
    """The vector each memory will have at hand; None where the stored one of an unchanged text stays (the store keeps it, see ``Put``)."""
    fresh = [
        row
        for row in memories
        if (held := active.memories.get(row.id)) is None or held.text != row.text or held.embedder != resources.embedder.name
    ]
    missing = [row.text for row in fresh if row.text not in made]
    by_text = {**made, **dict(zip(missing, await embed(resources, missing), strict=True))}
    new = {row.id: by_text[row.text] for row in fresh}
    return {row.id: new.get(row.id) for row in memories}


def _puts(rows: Sequence[Record]) -> list[Write]:
    return [Put(list(rows))] if rows else []
