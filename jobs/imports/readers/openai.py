"""OpenAI's chat messages: lines (or a list) of ``{"messages": [{role, content}]}``, or of the messages of one conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items
from jobs.imports.readers.rows import rows
from jobs.imports.shape import Shape
from jobs.imports.text import parts, spoken
from jobs.imports.times import any_time

_TIMES = ("created_at", "timestamp", "create_time", "date", "time", "at")


class OpenAI:
    """System, developer and tool messages are not what was said. A time is taken where a message has one."""

    name = "openai"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        if shape.kind == "lines":
            return any(isinstance(one.get("messages"), list) or _is_message(one) for one in shape.lines)
        if shape.kind == "object":
            return set(shape.keys) <= {"id", "messages", "title", "model"} and shape.keys.get("messages") == "start_array"
        return shape.kind == "array" and (shape.keys.get("messages") == "start_array" or {"role", "content"} <= set(shape.keys))

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        if shape.kind == "object":
            messages = list(items(document, "messages.item"))
            yield Told(document.stem, [one for message in messages if (one := _utterance(message, how))], opaque=True)
            return
        loose: list[Utterance] = []
        for number, where, item in rows(document, shape, how):
            if isinstance(item, dict) and isinstance(item.get("messages"), list):
                yield _told(item, f"{document.stem}#{number}", how)
            elif isinstance(item, dict) and _is_message(item):
                loose += [one for one in [_utterance(item, how)] if one]
            else:
                yield Problem(where, "is no conversation: it has no messages")
        if loose:
            yield Told(document.stem, loose, opaque=True)


def _told(item: dict[str, Any], place: str, how: Reading) -> Told:
    id = item.get("id") or item.get("conversation_id")
    named = isinstance(id, str) and bool(id)
    return Told(str(id) if named else place, [one for message in item["messages"] if (one := _utterance(message, how))], opaque=not named)


def _is_message(one: dict[str, Any]) -> bool:
    return isinstance(one.get("role"), str) and "content" in one


def _utterance(message: Any, how: Reading) -> Utterance | None:
    if not isinstance(message, dict) or (role := message.get("role")) not in ("user", "assistant"):
        return None
    text = spoken(role, parts(message.get("content"), kinds=("text", "input_text", "output_text")))
    at = next((moment for name in _TIMES if (moment := any_time(message.get(name), how.zone))), None)
    id = message.get("id")
    return Utterance(role, text, at, id=id if isinstance(id, str) else None) if text else None
