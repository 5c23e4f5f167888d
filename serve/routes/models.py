"""OpenAI's models and embeddings."""

from __future__ import annotations

import base64

from fastapi import APIRouter

from schemas.chat import EmbeddingsRequest
from schemas.errors import InvalidRequest, NotFound
from schemas.models_api import Embedding, EmbeddingList, EmbeddingUsage, ModelCard, ModelList
from serve.auth import CallerDep, PartsDep
from serve.outbound import is_elsewhere
from serve.parts import Parts
from serve.shard.masking import mask
from serve.unicode import whole

router = APIRouter(prefix="/v1", tags=["models"])
_MOST_INPUTS = 2048
_ALIAS = "laoma"
"""What clients may ask for whatever the model is."""


@router.get("/models", summary="Models")
async def models(_: CallerDep, parts: PartsDep) -> ModelList:
    """`laoma`, and the configured model's own name: the same one. `laoma model use` chooses another."""
    return ModelList(data=_cards(parts))


@router.get("/models/{model:path}", summary="One model")
async def model(model: str, _: CallerDep, parts: PartsDep) -> ModelCard:
    """404 for any other name."""
    for card in _cards(parts):
        if card.id == model:
            return card
    raise NotFound(f"No model {model!r}; GET /v1/models lists them.", code="model_not_found", param="model")


@router.post("/embeddings", summary="Embed texts")
async def embeddings(body: EmbeddingsRequest, _: CallerDep, parts: PartsDep) -> EmbeddingList:
    """By the same embedder that recall uses; `kind: query` for questions."""
    texts = [whole(text) for text in ([body.input] if isinstance(body.input, str) else body.input)]
    if not texts or len(texts) > _MOST_INPUTS:
        raise InvalidRequest(f"input holds 1 to {_MOST_INPUTS} texts.", param="input")
    if any(not text.strip() for text in texts):
        raise InvalidRequest("input holds an empty text.", param="input")
    settings = parts.settings.embedding
    if body.dimensions not in (None, settings.dim):
        raise InvalidRequest(f"This embedder gives {settings.dim} dimensions.", param="dimensions")
    vectors = await parts.embedder.embed([mask(text) for text in texts] if is_elsewhere(settings.url) else texts, body.kind)
    as_base64 = body.encoding_format == "base64"
    rows = [
        Embedding(index=number, embedding=base64.b64encode(vector.astype("<f4").tobytes()).decode() if as_base64 else vector.tolist())
        for number, vector in enumerate(vectors)
    ]
    tokens = sum(len(text) for text in texts)
    return EmbeddingList(data=rows, model=settings.model, usage=EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens))


def _cards(parts: Parts) -> list[ModelCard]:
    return [ModelCard(id=name) for name in dict.fromkeys((_ALIAS, parts.settings.model.name))]
