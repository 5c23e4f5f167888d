"""A reply that is known already, in the shape of a model's: answers about memory are told from the lake."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any


def completion(id: str, model: str, text: str) -> dict[str, Any]:
    """A whole completion."""
    message = {"role": "assistant", "content": text}
    return {
        "id": id,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


async def chunks(id: str, model: str, text: str) -> AsyncIterator[dict[str, Any]]:
    """The same as a stream."""
    head = {"id": id, "object": "chat.completion.chunk", "created": int(time.time()), "model": model}
    yield {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


async def with_aside(stream: AsyncIterator[dict[str, Any]], line: str) -> AsyncIterator[dict[str, Any]]:
    """A model's stream with a line below its reply; none below a call of a tool or a reply that was cut."""
    async for chunk in stream:
        for choice in chunk.get("choices") or []:
            if choice.get("index", 0) == 0 and choice.get("finish_reason") == "stop":
                yield {**chunk, "usage": None, "choices": [{"index": 0, "delta": {"content": f"\n\n{line}"}, "finish_reason": None}]}
        yield chunk


def append_aside(whole: dict[str, Any], line: str) -> None:
    """The same for a whole completion, in place."""
    for choice in whole.get("choices") or []:
        message = choice.get("message") or {}
        if choice.get("index", 0) == 0 and choice.get("finish_reason") == "stop" and isinstance(message.get("content"), str):
            message["content"] += f"\n\n{line}"
