"""ChatBox's export: one object with a member ``session:ID`` for each session, and in older ones a list ``chat-sessions``.

Settings in the same file are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items, members
from jobs.imports.shape import Shape
from jobs.imports.text import parts, spoken
from jobs.imports.times import unix

_SESSION = "session:"
_OLD = "chat-sessions"


class ChatBox:
    """Earlier threads of a session are conversations of their own; forks and the model's summaries are not read."""

    name = "chatbox"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        named = (
            "__exported_items" in shape.keys or "chat-sessions-list" in shape.keys or any(key.startswith(_SESSION) for key in shape.keys)
        )
        return shape.kind == "object" and (named or shape.keys.get(_OLD) == "start_array")

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        seen: set[str] = set()
        for key, session in members(document, lambda key: key.startswith(_SESSION)):
            yield from _session(session, f"{document.name}: {key}", seen)
        for number, session in enumerate(items(document, f"{_OLD}.item")):
            if not isinstance(session, dict) or session.get("id") not in seen:
                yield from _session(session, f"{document.name}: {_OLD}, item {number}", seen)


def _session(session: Any, where: str, seen: set[str]) -> Iterator[Told | Problem]:
    if not isinstance(session, dict) or not isinstance(session.get("id"), str):
        yield Problem(where, "is no conversation: it has no id")
        return
    seen.add(session["id"])
    threads = session.get("threads")
    for one in [session, *(threads if isinstance(threads, list) else [])]:
        if isinstance(one, dict) and isinstance(one.get("id"), str) and isinstance(one.get("messages"), list):
            utterances = [said for message in one["messages"] if (said := _utterance(message))]
            yield Told(one["id"], utterances, one.get("name") or None, unix(one.get("createdAt")))


def _utterance(message: Any) -> Utterance | None:
    if not isinstance(message, dict) or message.get("isSummary") or (role := message.get("role")) not in ("user", "assistant"):
        return None
    text = spoken(role, parts(message.get("contentParts")) or parts(message.get("content")))
    return Utterance(role, text, unix(message.get("timestamp")), id=message.get("id")) if text else None
