"""Who answers: one file an origin behind :class:`~serve.chat_model.protocol.ChatModel`, chosen by the settings."""

from __future__ import annotations

import os
from pathlib import Path

from schemas.settings import Model
from serve.chat_model.protocol import ChatModel


def build(home: Path, settings: Model) -> ChatModel:
    """The chat model of the settings: a server at an URL, or the application of the cluster (``serve/llm.py``)."""
    if settings.enabled and settings.url:
        from serve.chat_model.openai_url import UrlModel

        return UrlModel(settings, key=os.environ.get(settings.key_env) if settings.key_env else None)
    from serve.chat_model.serve_handle import HandleModel

    return HandleModel(home, settings)


__all__ = ["ChatModel", "build"]
