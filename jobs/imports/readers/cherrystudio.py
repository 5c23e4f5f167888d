"""Cherry Studio's backup up to version 5: topics name their messages' blocks, whose text lies in another table, in any order.

Providers, keys and settings in the same file are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items
from jobs.imports.readers.scratch import Scratch, scratch
from jobs.imports.shape import Shape
from jobs.imports.text import spoken
from jobs.imports.times import any_time

_NEWEST = 5


class CherryStudio:
    """Text blocks only; where several models answered one question, the answer that was kept unfolded."""

    name = "cherrystudio"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        return shape.kind == "object" and "localStorage" in shape.keys and ("indexedDB" in shape.keys or "version" in shape.keys)

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`. Raises InvalidRequest for a later version."""
        version = next(items(document, "version"), None)
        if isinstance(version, (int, float)) and version > _NEWEST:
            raise document.unreadable(f"unsupported backup version {version:g}: up to {_NEWEST} are read; export the topics instead")
        with scratch() as blocks:
            for block in items(document, "indexedDB.message_blocks.item"):
                if isinstance(block, dict) and block.get("type") == "main_text" and isinstance(block.get("content"), str):
                    blocks.put([("", str(block.get("id")), 0.0, block["content"])])
            blocks.index()
            for number, topic in enumerate(items(document, "indexedDB.topics.item")):
                messages = topic.get("messages") if isinstance(topic, dict) else None
                if not isinstance(messages, list) or not isinstance(topic.get("id"), str):
                    yield Problem(f"{document.name}: topic {number}", "is no conversation: it has no id or no messages")
                    continue
                chosen = _unfolded([one for one in messages if isinstance(one, dict)])
                yield Told(topic["id"], [one for message in chosen if (one := _utterance(message, blocks, how))], topic.get("name"))


def _unfolded(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the answers to one question the selected one, or the first."""
    picked: dict[str, str] = {}
    for message in messages:
        question = message.get("askId")
        if message.get("role") == "assistant" and isinstance(question, str) and (message.get("foldSelected") or question not in picked):
            picked[question] = str(message.get("id"))
    return [
        message
        for message in messages
        if message.get("role") != "assistant" or picked.get(message.get("askId") or "", message.get("id")) == message.get("id")
    ]


def _utterance(message: dict[str, Any], blocks: Scratch, how: Reading) -> Utterance | None:
    role = message.get("role")
    if role not in ("user", "assistant") or message.get("type") == "clear":
        return None
    named = message.get("blocks")
    texts = [text for id in named if (text := blocks.get(str(id)))] if isinstance(named, list) and named else [message.get("content")]
    text = spoken(role, "\n\n".join(one for one in texts if isinstance(one, str)))
    return Utterance(role, text, any_time(message.get("createdAt"), how.zone), id=message.get("id")) if text else None
