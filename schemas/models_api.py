"""Bodies of OpenAI's models and embeddings routes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class ModelCard(BaseModel):
    """A model that can be asked for."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "laoma"


class ModelList(BaseModel):
    """All models."""

    object: Literal["list"] = "list"
    data: list[ModelCard]


class Embedding(BaseModel):
    """One vector: floats, or base64 of little-endian float32."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    """Counted in characters: the bundled embedder does not say its tokens."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingList(BaseModel):
    """Vectors in the order of the input."""

    object: Literal["list"] = "list"
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage
