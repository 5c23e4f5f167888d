"""ChatGPT's data export: ``conversations.json`` (or ``conversations-000.json`` …), a list of trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items
from jobs.imports.readers.tree import Broken, Node, branch
from jobs.imports.shape import Shape
from jobs.imports.text import spoken
from jobs.imports.times import unix


class ChatGPT:
    """The branch that ends in ``current_node``; hidden nodes, tools, code and thoughts are not what was said."""

    name = "chatgpt"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        return shape.kind == "array" and shape.keys.get("mapping") == "start_map"

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        for number, item in enumerate(items(document, "item")):
            try:
                yield _told(item)
            except Broken as error:
                id = item.get("conversation_id") or item.get("id") if isinstance(item, dict) else None
                yield Problem(f"{document.name}: item {number}" + (f" ({id})" if id else ""), str(error))


def _told(item: Any) -> Told:
    if not isinstance(item, dict) or not isinstance(item.get("mapping"), dict):
        raise Broken("is no conversation: it has no mapping")
    id = item.get("conversation_id") or item.get("id")
    if not isinstance(id, str):
        raise Broken("has no id")
    path = branch(item["mapping"], item.get("current_node"), parent="parent", at=_time)
    utterances = [one for node in path if (one := _utterance(node.get("message")))]
    if not utterances and any(isinstance(node.get("message"), dict) and not _author(node["message"]) for node in path):
        raise Broken("its messages name no author")
    title = item.get("title")
    return Told(id, utterances, title if isinstance(title, str) else None, unix(item.get("create_time")), unix(item.get("update_time")))


def _utterance(message: Any) -> Utterance | None:
    if not isinstance(message, dict) or (role := _author(message)) not in ("user", "assistant"):
        return None
    metadata, content = message.get("metadata"), message.get("content")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")
    if hidden or message.get("weight") == 0 or message.get("recipient", "all") not in ("all", None) or not isinstance(content, dict):
        return None
    if content.get("content_type") not in ("text", "multimodal_text"):
        return None
    text = spoken(role, _text(content.get("parts")))
    return Utterance(role, text, unix(message.get("create_time")), id=message.get("id")) if text else None  # type: ignore[arg-type]


def _text(parts: Any) -> str:
    """Strings, and what was said aloud."""
    found = []
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
            part = part.get("text")
        if isinstance(part, str) and part.strip():
            found.append(part)
    return "\n".join(found)


def _author(message: Node) -> str | None:
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else None
    return role if isinstance(role, str) else None


def _time(node: Node) -> float:
    message = node.get("message")
    at = message.get("create_time") if isinstance(message, dict) else None
    return float(at) if isinstance(at, (int, float)) else 0.0
