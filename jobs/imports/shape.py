"""What a file looks like from outside: enough to tell the formats apart, read from as little of it as will do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from jobs.imports.document import Document
from jobs.imports.json_stream import events
from jobs.imports.limits import DEEPEST

_LINES = 60
_HEAD = 1 << 20
"""How far the first lines are looked for, characters."""


@dataclass
class Shape:
    """``array``: ``keys`` are those of its items; ``object``: its own; both with the JSON event that begins their first value
    (``start_array``, ``string`` …). ``lines``: the first JSON objects, one a line. ``text``: the first lines, ``head``.
    """

    kind: Literal["array", "object", "scalar", "lines", "text"]
    keys: dict[str, str] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    empty: bool = False

    def __str__(self) -> str:
        keys = f" with {', '.join(list(self.keys)[:6])}" if self.keys else ""
        words = {"array": "a list of objects", "object": "an object", "scalar": "a single value", "lines": "lines of JSON", "text": "text"}
        return words[self.kind] + keys


def look(document: Document, known: Callable[[Shape], bool]) -> Shape:
    """The shape of a document, read until ``known`` recognises it or it ends. Raises InvalidRequest for broken JSON."""
    head = _head(document)
    first = next((line for line in head if line.strip()), "").lstrip("\ufeff \t")
    if first[:1] == "{":
        objects = _objects(head)
        if len(objects) > 1 or (
            objects and (document.name.lower().endswith((".jsonl", ".ndjson")) or known(Shape("lines", lines=objects)))
        ):
            return Shape("lines", lines=objects)
    if first[:1] in ("{", "[", '"') and not first.startswith(("[图", "[语", "[视")):
        return _of_json(document, known)
    return Shape("text", head=head)


def _head(document: Document) -> list[str]:
    lines: list[str] = []
    left = _HEAD
    with document.text() as text:
        while left > 0 and len(lines) < _LINES and (line := text.readline(left)):
            left -= len(line)
            lines.append(line.rstrip("\r\n"))
    return lines


def _objects(head: list[str]) -> list[dict[str, Any]]:
    """The objects that stand in the first lines, one a line; none where a line holds none."""
    objects = []
    for line in filter(str.strip, head[: _LINES // 2]):
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            break
        if not isinstance(one, dict):
            break
        objects.append(one)
    return objects


def _of_json(document: Document, known: Callable[[Shape], bool]) -> Shape:
    shape: Shape | None = None
    for depth, event, key in _walk(document):
        if shape is None:
            if event not in ("start_array", "start_map"):
                return Shape("scalar")
            shape = Shape("array" if event == "start_array" else "object", empty=True)
            continue
        if depth == 1 and event not in ("end_array", "end_map"):
            shape.empty = False
        if depth == (2 if shape.kind == "array" else 1) and key is not None and event not in ("end_array", "end_map"):
            shape.keys.setdefault(key, event)
            if known(shape):
                return shape
    return shape or Shape("scalar")


def _walk(document: Document) -> Iterator[tuple[int, str, str | None]]:
    """Events with the depth that they stand at and the key that they are the value of."""
    depth = 0
    keys: list[str | None] = [None]
    for event, value in events(document):
        if event == "map_key":
            keys[-1] = value
        elif event in ("start_map", "start_array"):
            yield depth, event, keys[-1]
            depth += 1
            keys.append(None)
            if depth > DEEPEST:
                raise document.unreadable(f"too deeply nested: more than {DEEPEST} levels")
        elif event in ("end_map", "end_array"):
            depth -= 1
            keys.pop()
            yield depth, event, keys[-1]
        else:
            yield depth, event, keys[-1]
