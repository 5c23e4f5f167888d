"""CSV with a header: a role and a text column, and where there are any a time, a conversation, a name."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import groupby

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.limits import LONGEST_LINE
from jobs.imports.shape import Shape
from jobs.imports.text import spoken
from jobs.imports.times import any_time
from schemas.turn import Role

_COLUMNS = {
    "role": ("role", "sender", "from", "speaker", "author", "角色", "发送者", "说话人"),
    "content": ("content", "text", "message", "value", "body", "内容", "消息", "文本"),
    "time": ("time", "timestamp", "date", "datetime", "created_at", "at", "时间", "日期"),
    "conversation": ("conversation_id", "conversation", "chat_id", "chat", "session", "thread", "会话", "对话"),
    "id": ("id", "message_id", "消息id"),
}
_ROLES: dict[str, Role] = {
    "user": "user", "human": "user", "me": "user", "用户": "user", "我": "user",
    "assistant": "assistant", "ai": "assistant", "bot": "assistant", "gpt": "assistant", "model": "assistant", "助手": "assistant",
}  # fmt: skip
_SILENT = {"system", "developer", "tool", "function"}


class Csv:
    """Rows of one conversation stand together; a role that is neither user nor assistant is another person."""

    name = "csv"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        return shape.kind == "text" and bool(shape.head) and _columns(_split(shape.head[0])) is not None

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`."""
        csv.field_size_limit(LONGEST_LINE)
        with document.text() as text:
            rows = csv.reader(text, delimiter=_delimiter(shape.head[0]), strict=True)
            columns = _columns(next(rows, [])) or {}
            for id, group in groupby(_rows(document, rows), key=lambda row: _cell(row[1], columns, "conversation")):
                utterances = []
                for number, row in group:
                    one = _utterance(row, columns, how)
                    time = _cell(row, columns, "time")
                    if one and time and one.at is None:
                        yield Problem(
                            f"{document.name}: row {number}", f"{time!r} is no time that can be read: kept without one", left_out=False
                        )
                    if one:
                        utterances.append(one)
                yield Told(id or document.stem, utterances, opaque=not id)


def _rows(document: Document, rows: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    number = 1
    try:
        for number, row in enumerate(rows, start=2):
            if any(map(str.strip, row)):
                yield number, row
    except csv.Error as error:
        raise document.unreadable(f"row {number + 1} is no CSV ({error})") from None


def _utterance(row: Sequence[str], columns: dict[str, int], how: Reading) -> Utterance | None:
    said_by = _cell(row, columns, "role")
    if said_by.lower() in _SILENT:
        return None
    if how.me and said_by == how.me:
        role: Role = "user"
    else:
        role = _ROLES.get(said_by.lower(), "other")
    text = spoken(role, _cell(row, columns, "content"))
    id = _cell(row, columns, "id") or None
    return (
        Utterance(role, text, any_time(_cell(row, columns, "time"), how.zone), said_by if role == "other" else None, id) if text else None
    )


def _cell(row: Sequence[str], columns: dict[str, int], name: str) -> str:
    place = columns.get(name)
    return row[place].strip() if place is not None and place < len(row) else ""


def _columns(header: Sequence[str]) -> dict[str, int] | None:
    names = [name.strip().strip("\ufeff").lower() for name in header]
    found = {what: names.index(alias) for what, aliases in _COLUMNS.items() for alias in aliases[::-1] if alias in names}
    return found if "role" in found and "content" in found else None


def _delimiter(header: str) -> str:
    return max(",;\t", key=header.count)


def _split(header: str) -> list[str]:
    return next(csv.reader([header], delimiter=_delimiter(header)), [])
