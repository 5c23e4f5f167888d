"""Open WebUI's chat export: a list of rows whose ``chat`` holds a tree (``history``), or in old ones a plain list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items
from jobs.imports.readers.tree import Broken, Node, branch
from jobs.imports.shape import Shape
from jobs.imports.text import parts, spoken
from jobs.imports.times import unix


class OpenWebUI:
    """The branch that ends in ``history.currentId``; the flat list beside it may be stale, and counts only where there is no tree."""

    name = "openwebui"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        return shape.kind == "array" and shape.keys.get("chat") == "start_map" and "id" in shape.keys

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        for number, item in enumerate(items(document, "item")):
            try:
                yield _told(item)
            except Broken as error:
                id = item.get("id") if isinstance(item, dict) else None
                yield Problem(f"{document.name}: item {number}" + (f" ({id})" if id else ""), str(error))


def _told(item: Any) -> Told:
    chat = item.get("chat") if isinstance(item, dict) else None
    if not isinstance(chat, dict) or not isinstance(item.get("id"), str):
        raise Broken("is no conversation: it has no id or no chat")
    utterances = [one for message in _messages(chat) if (one := _utterance(message))]
    title = item.get("title") or chat.get("title")
    return Told(item["id"], utterances, title, unix(item.get("created_at")), unix(item.get("updated_at")))


def _messages(chat: Node) -> list[Any]:
    history = chat.get("history")
    nodes = history.get("messages") if isinstance(history, dict) else None
    if isinstance(history, dict) and isinstance(nodes, dict) and nodes:
        return branch(nodes, history.get("currentId"), parent="parentId", at=_time)
    flat = chat.get("messages")
    return flat if isinstance(flat, list) else []


def _utterance(message: Any) -> Utterance | None:
    if not isinstance(message, dict) or (role := message.get("role")) not in ("user", "assistant"):
        return None
    text = spoken(role, parts(message.get("content")))
    return Utterance(role, text, unix(message.get("timestamp")), id=message.get("id")) if text else None


def _time(node: Node) -> float:
    at = node.get("timestamp")
    return float(at) if isinstance(at, (int, float)) else 0.0
