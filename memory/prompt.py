"""Puts memory into a message list: what is stable into the system message at the head, what belongs to the question beside the question.

The head stays the same from request to request, so the model server's prefix cache keeps all before the last message (R25).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]


def with_memory(messages: Sequence[Message], *, persona: str, standing: str, recent: str, summary: str = "") -> list[Message]:
    """A new list: one system message first (persona, profile, then the client's own, then the ``summary`` of what has left the window),
    ``recent`` before the last user message's text."""
    client_system = [message for message in messages if message["role"] in ("system", "developer")]
    spoken = [dict(message) for message in messages if message["role"] not in ("system", "developer")]
    parts = [text for text in (persona, standing) if text]
    parts += [text for message in client_system if (text := text_of(message.get("content")))]
    parts += [summary] if summary else []
    if recent:
        _prefix_last_question(spoken, recent)
    head: list[Message] = [{"role": "system", "content": "\n\n".join(parts)}] if parts else []
    return head + spoken


def text_of(content: Any) -> str:
    """The words of a message's content: a text, the text parts of a list, nothing for null."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return ""


def _prefix_last_question(spoken: list[Message], recent: str) -> None:
    for message in reversed(spoken):
        if message["role"] == "user":
            content = message.get("content")
            if isinstance(content, list):
                message["content"] = [{"type": "text", "text": recent + "\n\n"}, *content]
            else:
                message["content"] = f"{recent}\n\n{content or ''}"
            return
