"""NextChat's (ChatGPT-Next-Web's) backup: one object of stores; the sessions lie in ``chat-next-web-store``.

Settings, keys and the model's own summaries (``memoryPrompt``) in the same file are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items
from jobs.imports.shape import Shape
from jobs.imports.text import parts, spoken
from jobs.imports.times import any_time, unix

_STORE = "chat-next-web-store"


class NextChat:
    """Dates are ``toLocaleString()``: read where they can mean one thing only."""

    name = "nextchat"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        return shape.kind == "object" and shape.keys.get(_STORE) == "start_map"

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        for number, session in enumerate(items(document, f"{_STORE}.sessions.item")):
            messages = session.get("messages") if isinstance(session, dict) else None
            if not isinstance(messages, list) or not isinstance(session.get("id"), (str, int)):
                yield Problem(f"{document.name}: session {number}", "is no conversation: it has no id or no messages")
                continue
            utterances = [one for message in messages if (one := _utterance(message, how))]
            yield Told(str(session["id"]), utterances, session.get("topic") or None, updated=unix(session.get("lastUpdate")))


def _utterance(message: Any, how: Reading) -> Utterance | None:
    if not isinstance(message, dict) or message.get("isError") or (role := message.get("role")) not in ("user", "assistant"):
        return None
    text = spoken(role, parts(message.get("content")))
    return Utterance(role, text, any_time(message.get("date"), how.zone), id=message.get("id")) if text else None
