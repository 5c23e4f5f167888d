"""Passage vectors of whole texts, piece by piece, beside the event loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory.embedding_text import joined, pieces
from memory.ports import Floats
from memory.sentences import sentences, whole
from serve.shard.resources import Resources

SLICE = 8
"""Pieces embedded in one go: between slices others that wait get their turn."""


async def embed(resources: Resources, texts: Sequence[str]) -> Floats:
    """One vector a text, shape (len(texts), dim); a long text is embedded in pieces, a blank one as a single space."""
    limit = resources.settings.embedding.max_chars
    cut = [pieces(text, limit) or [" "] for text in texts]
    return np.stack([joined(vectors) for vectors in await _each(resources, cut)]) if cut else _nothing(resources)


async def embed_turns(resources: Resources, texts: Sequence[str]) -> list[tuple[Floats, Floats]]:
    """Of each text the vector as a whole, shape (dim,), and those of its sentences, shape (n, dim)."""
    limit = resources.settings.embedding.max_chars
    cut = [sentences(text, limit) or [" "] for text in texts]
    return [(whole(vectors, parts), vectors) for vectors, parts in zip(await _each(resources, cut), cut, strict=True)]


async def _each(resources: Resources, cut: Sequence[list[str]]) -> list[Floats]:
    """The vectors of each text's pieces."""
    flat = [piece for one in cut for piece in one]
    if not flat:
        return []
    slices = [flat[start : start + SLICE] for start in range(0, len(flat), SLICE)]
    vectors = np.concatenate([await _embed_slice(resources, one) for one in slices])
    ends = np.cumsum([len(one) for one in cut])
    return [vectors[end - len(one) : end] for one, end in zip(cut, ends, strict=True)]


def _nothing(resources: Resources) -> Floats:
    return np.empty((0, resources.embedder.dim), np.float32)


async def _embed_slice(resources: Resources, pieces: list[str]) -> Floats:
    return await resources.in_thread(lambda: resources.embedder.passage(pieces), "passage")
