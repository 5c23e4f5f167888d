"""Memories that another assistant kept: ChatGPT's saved memories, copied as a list, and what mem0's ``get_all`` gives as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.first_person import first_person, line_of, opens
from jobs.imports.json_stream import items
from jobs.imports.readers.rows import rows
from jobs.imports.shape import Shape
from jobs.imports.text import said
from jobs.imports.times import iso
from memory.normalise import digest

_LISTS = ("results", "memories")
"""Under which key mem0 puts its memories."""
_LONGEST = 500
_LIKELY = 0.8
_TITLE = "saved memories · 已保存的记忆"


class Memories:
    """Each is a statement already: it is kept as it stands, in the first person. The same list grown longer adds what is new."""

    name = "memories"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        if shape.kind == "text":
            listed = [line for one in shape.head if (line := line_of(one))]
            return bool(listed) and all(len(one) <= _LONGEST for one in listed) and sum(map(opens, listed)) >= _LIKELY * len(listed)
        if shape.kind == "lines":
            return any(isinstance(one.get("memory"), str) for one in shape.lines)
        return shape.keys.get("memory") == "string" if shape.kind == "array" else shape.kind == "object" and _listed(shape) is not None

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`. Raises InvalidRequest that names the users where the file holds several."""
        if shape.kind == "text":
            with document.text() as text:
                listed = [_utterance(line_of(line.strip("\ufeff"))) for line in text]
            yield Told("list", [one for one in listed if one is not None], _TITLE, saved=True)
            return
        users: dict[str, list[Utterance]] = {}
        for where, item in _items(document, shape, how):
            one = _utterance(item.get("memory"), item) if isinstance(item, dict) else None
            if one is None:
                yield Problem(where, "holds no memory")
                continue
            users.setdefault(str(item.get("user_id") or ""), []).append(one)
        yield from _of_one(document, users, how.me)


def _of_one(document: Document, users: dict[str, list[Utterance]], me: str | None) -> Iterator[Told]:
    if me is not None and me in users:
        users = {me: users[me]}
    if len(users) > 1:
        raise document.unreadable(f"it holds memories of several users: say with --me NAME which is you; {', '.join(sorted(users)[:20])}")
    for user, utterances in users.items():
        yield Told(user or "list", utterances, _TITLE, saved=True)


def _items(document: Document, shape: Shape, how: Reading) -> Iterator[tuple[str, Any]]:
    if shape.kind == "object":
        for number, item in enumerate(items(document, f"{_listed(shape)}.item")):
            yield f"{document.name}: item {number}", item
    else:
        for _, where, item in rows(document, shape, how):
            yield where, item


def _listed(shape: Shape) -> str | None:
    return next((key for key in _LISTS if shape.keys.get(key) == "start_array"), None)


def _utterance(text: Any, item: dict[str, Any] | None = None) -> Utterance | None:
    words = first_person(said(text))
    if not words:
        return None
    item = item or {}
    id = item.get("id")
    at = iso(item.get("updated_at")) or iso(item.get("created_at"))
    return Utterance("user", words, at, id=f"{id}-{digest(words)[:12]}" if id else digest(words)[:32])
