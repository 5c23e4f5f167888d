"""What leaves this machine: a chat model or an embedder elsewhere is sent only what may be stored (R32)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from serve.shard.masking import mask

_STRUCTURE = frozenset({"role", "type", "id", "tool_call_id", "url", "data", "file_data", "file_id", "format", "detail"})
"""Fields of a message that hold no words: names of the protocol, and pictures and sounds."""
_ABOUT_THE_CLIENT = ("user", "metadata", "prediction", "safety_identifier", "prompt_cache_key")


def is_elsewhere(url: str | None) -> bool:
    """Whether a model at ``url`` sits outside this machine; None: it is our own."""
    return url is not None and urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1")


def masked_body(body: dict[str, Any]) -> dict[str, Any]:
    """A chat request with all its words masked: messages, tool calls and their results, descriptions of tools, notes on the client."""
    out = {**body, "messages": [masked_message(message) for message in body["messages"]]}
    for field in _ABOUT_THE_CLIENT:
        if body.get(field) is not None:
            out[field] = _masked(body[field])
    if body.get("tools") is not None:
        out["tools"] = _with_masked_descriptions(body["tools"])
    return out


def masked_message(message: dict[str, Any]) -> dict[str, Any]:
    """One message: its words are masked, its structure and what JSON it carries stay valid."""
    out: dict[str, Any] = _masked(message)
    content = message.get("content")
    if message.get("role") in ("tool", "function") and isinstance(content, str):
        out["content"] = masked_json(content)
    return out


def masked_json(text: str) -> str:
    """A text that may be JSON (arguments of a call, what a tool gave back): as valid as it was, with each value masked."""
    try:
        value = json.loads(text)
        return mask(text) if not isinstance(value, dict | list) else json.dumps(_masked_value(value), ensure_ascii=False)
    except (ValueError, RecursionError):
        return mask(text)


def _masked(value: Any) -> Any:
    """A part of a request, in OpenAI's shape."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, item in value.items():
        if key == "arguments" and isinstance(item, str):
            out[key] = masked_json(item)
        elif key in _STRUCTURE or (key == "name" and "arguments" in value):
            out[key] = item
        else:
            out[key] = _masked(item)
    return out


def _masked_value(value: Any, name: str = "") -> Any:
    """A JSON value of unknown shape. What it is called counts too: the value of ``password`` is one, whatever it looks like."""
    if isinstance(value, list):
        return [_masked_value(item, name) for item in value]
    if isinstance(value, dict):
        return {mask(key): _masked_value(item, key) for key, item in value.items()}
    if isinstance(value, str):
        return _masked_word(value, name)
    if isinstance(value, int) and not isinstance(value, bool):
        word = _masked_word(str(value), name)
        return value if word == str(value) else word
    return value


def _masked_word(word: str, name: str) -> str:
    label = f"{name}: "
    named = mask(label + word)
    return named.removeprefix(label) if name and named.startswith(label) else mask(word)


def _with_masked_descriptions(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_masked_descriptions(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: mask(item) if key == "description" and isinstance(item, str) else _with_masked_descriptions(item)
        for key, item in value.items()
    }
