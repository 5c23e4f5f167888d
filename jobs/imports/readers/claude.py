"""Claude's data export: ``conversations.json``, a list of conversations with ``chat_messages`` in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items
from jobs.imports.shape import Shape
from jobs.imports.text import parts, spoken
from jobs.imports.times import iso
from schemas.turn import Role

_ROLES: dict[Any, Role] = {"human": "user", "assistant": "assistant"}


class Claude:
    """Text blocks only: thinking, tools and the bodies of attachments are not what was said."""

    name = "claude"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        return shape.kind == "array" and shape.keys.get("chat_messages") == "start_array"

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        for number, item in enumerate(items(document, "item")):
            messages = item.get("chat_messages") if isinstance(item, dict) else None
            if not isinstance(messages, list) or not isinstance(item.get("uuid"), str):
                yield Problem(f"{document.name}: item {number}", "is no conversation: it has no uuid or no chat_messages")
                continue
            utterances = [one for message in messages if (one := _utterance(message))]
            title = item.get("name") or None
            yield Told(item["uuid"], utterances, title, iso(item.get("created_at")), iso(item.get("updated_at")))


def _utterance(message: Any) -> Utterance | None:
    if not isinstance(message, dict) or (role := _ROLES.get(message.get("sender"))) is None:
        return None
    text = spoken(role, parts(message.get("content")) or message.get("text"))
    return Utterance(role, text, iso(message.get("created_at")), id=message.get("uuid")) if text else None
