"""SillyTavern's chat files: a line of metadata, then a message a line; role play, so nobody in it speaks for themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.readers.rows import rows
from jobs.imports.shape import Shape
from jobs.imports.text import spoken
from jobs.imports.times import any_time

_STAMP = re.compile(r"^(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s(?:\s*(\d{1,3})ms)?$")
_ENGLISH = "%B %d, %Y %I:%M%p"


class SillyTavern:
    """The chosen swipe; hidden messages (``is_system``) are left out."""

    name = "sillytavern"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        return shape.kind == "lines" and any("mes" in one or {"user_name", "character_name"} <= one.keys() for one in shape.lines[:3])

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        utterances = []
        for number, where, line in rows(document, shape, how):
            if not isinstance(line, dict):
                yield Problem(where, "is no message")
            elif "mes" in line and (one := _utterance(line, how)):
                utterances.append(one)
            elif "mes" not in line and number > 1 and "chat_metadata" not in line:
                yield Problem(where, "is no message")
        yield Told(document.stem, utterances, document.stem, opaque=True, fiction=True)


def _utterance(line: dict[str, Any], how: Reading) -> Utterance | None:
    message = line["mes"]
    if line.get("is_system"):
        return None
    role = "user" if line.get("is_user") else "assistant"
    text = spoken(role, message.get("message") if isinstance(message, dict) else message)
    name = line.get("name")
    at = _moment(line.get("send_date"), how)
    return Utterance(role, text, at, name if isinstance(name, str) else None) if text else None  # type: ignore[arg-type]


def _moment(value: Any, how: Reading) -> datetime | None:
    """``2024-5-1@10h16m05s`` is UTC to SillyTavern itself, ``May 1, 2024 6:00pm`` the machine's own time."""
    if isinstance(value, str) and (hit := _STAMP.match(value.strip())):
        year, month, day, hour, minute, second, ms = (int(part or 0) for part in hit.groups())
        try:
            return datetime(year, month, day, hour, minute, second, ms * 1000, UTC)
        except ValueError:
            return None
    if isinstance(value, str):
        try:
            return datetime.strptime(value.strip(), _ENGLISH).replace(tzinfo=how.zone).astimezone(UTC)
        except ValueError:
            pass
    return any_time(value, how.zone)
