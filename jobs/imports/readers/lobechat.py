"""LobeChat's exports: messages of all topics in one unordered list, beside sessions, topics and settings, which are not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.json_stream import items
from jobs.imports.readers.scratch import scratch
from jobs.imports.shape import Shape
from jobs.imports.text import parts, spoken
from jobs.imports.times import any_time
from schemas.turn import Role

_WHERE = {"state": "state", "data": "data"}
_BATCH = 500


class LobeChat:
    """A conversation is a thread, a topic, or what a session says outside of topics; in the order of ``createdAt``, a reply after what
    it answers."""

    name = "lobechat"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        browser = "exportType" in shape.keys and shape.keys.get("state") == "start_map"
        return shape.kind == "object" and (browser or ("schemaHash" in shape.keys and shape.keys.get("data") == "start_map"))

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        root = "state" if "state" in shape.keys else "data"
        with scratch() as table:
            for number, message in enumerate(items(document, f"{root}.messages.item")):
                if not isinstance(message, dict) or not isinstance(message.get("id"), str):
                    yield Problem(f"{document.name}: message {number}", "has no id")
                elif part := _part(message, how):
                    table.put([part])
            titles = {
                one["id"]: one.get("title") for one in items(document, f"{root}.topics.item") if isinstance(one, dict) and "id" in one
            }
            table.index()
            for group in table.groups():
                yield Told(group, [_utterance(one, how) for one in _answers_after(table.group(group))], titles.get(group))


def _part(message: dict[str, Any], how: Reading) -> tuple[str, str, float, Any] | None:
    role = message.get("role")
    if role not in ("user", "assistant"):
        return None
    text = spoken(role, parts(message.get("content")))
    if not text:
        return None
    group = next((message[name] for name in ("threadId", "topicId", "sessionId") if isinstance(message.get(name), str)), "inbox")
    at = any_time(message.get("createdAt"), how.zone)
    rank = at.timestamp() if at else 0.0
    return group, message["id"], rank, [message["id"], message.get("parentId"), role, text, message.get("createdAt"), rank]


def _answers_after(rows: list[Any]) -> list[Any]:
    """Rows by time; of those at the same moment a parent before its child."""
    ordered: list[Any] = []
    placed: set[str] = set()
    waiting: list[Any] = []
    for row in rows:
        if waiting and waiting[0][5] != row[5]:
            waiting = _place(waiting, ordered, placed)
        waiting.append(row)
    _place(waiting, ordered, placed)
    return ordered


def _place(rows: list[Any], ordered: list[Any], placed: set[str]) -> list[Any]:
    left = {row[0]: row for row in rows}
    while left:
        ready = [row for row in left.values() if row[1] not in left] or list(left.values())
        for row in ready:
            ordered.append(row)
            placed.add(row[0])
            del left[row[0]]
    return []


def _utterance(row: Any, how: Reading) -> Utterance:
    id, _, role, text, at, _ = row
    speaker: Role = role
    return Utterance(speaker, text, any_time(at, how.zone), id=id)
