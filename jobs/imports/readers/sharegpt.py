"""ShareGPT: a list (or lines) of objects whose ``conversations`` are ``{from, value}`` pairs. There are no times in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.readers.rows import rows
from jobs.imports.shape import Shape
from jobs.imports.text import spoken
from schemas.turn import Role

_ROLES: dict[Any, Role] = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant"}


class ShareGPT:
    """An object without an id is known by its place."""

    name = "sharegpt"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        if shape.kind == "lines":
            return any(isinstance(one.get("conversations"), list) for one in shape.lines)
        return shape.kind == "array" and shape.keys.get("conversations") == "start_array"

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        for number, where, item in rows(document, shape, how):
            pairs = item.get("conversations") if isinstance(item, dict) else None
            if not isinstance(pairs, list):
                yield Problem(where, "is no conversation: it has no conversations")
                continue
            id = item.get("id")
            named = isinstance(id, str) and bool(id)
            yield Told(id if named else f"{document.stem}#{number}", [one for pair in pairs if (one := _utterance(pair))], opaque=not named)


def _utterance(pair: Any) -> Utterance | None:
    if not isinstance(pair, dict) or (role := _ROLES.get(pair.get("from") or pair.get("role"))) is None:
        return None
    text = spoken(role, pair.get("value") if "value" in pair else pair.get("content"))
    return Utterance(role, text) if text else None
