"""What a model server sent, in the shape that OpenAI documents: the rest of the gateway need not doubt it."""

from __future__ import annotations

import math
from typing import Any

from schemas.errors import UpstreamFailed

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def normal(answer: dict[str, Any]) -> dict[str, Any]:
    """A completion or a chunk whose ``choices`` are objects with an object in ``message`` or ``delta``, ``usage`` has whole counts, and
    ``model`` is a text. Fields of other shapes are left out; choices of another shape raise UpstreamFailed.
    """
    choices = answer.get("choices")
    if choices is not None and not (isinstance(choices, list) and all(_is_choice(choice) for choice in choices)):
        raise UpstreamFailed("The model server sent choices of a shape that nobody documents.")
    kept = {key: _finite(value) for key, value in answer.items()}
    if not isinstance(kept.get("model"), str):
        kept.pop("model", None)
    if not _is_usage(kept.get("usage")):
        kept.pop("usage", None)
    return kept


def _is_choice(choice: Any) -> bool:
    return isinstance(choice, dict) and all(choice.get(part) is None or isinstance(choice[part], dict) for part in ("message", "delta"))


def _is_usage(usage: Any) -> bool:
    return isinstance(usage, dict) and all(usage.get(name) is None or type(usage[name]) is int for name in _COUNTS)


def _finite(value: Any, depth: int = 100) -> Any:
    """Log probabilities of minus infinity are no JSON: they become null."""
    if depth == 0:
        raise UpstreamFailed("The model server sent an answer that is nested too deep.")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [_finite(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {key: _finite(item, depth - 1) for key, item in value.items()}
    return value
