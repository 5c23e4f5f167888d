"""A user's export as Markdown for people: what is remembered by kind, what was before, then the conversations as they were said (R31)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from schemas.memory import GENERAL_SCENE

Row = dict[str, Any]
Words = dict[str, str]
_KINDS = ("profile", "preference", "fact", "event", "knowledge")
_LIVING = ("active", "probation", "pending")
ENGLISH: Words = {
    "title": "What laoma remembers",
    "profile": "Profile",
    "preference": "Preferences",
    "fact": "Facts",
    "event": "Events",
    "knowledge": "Knowledge",
    "before": "No longer so, or laid aside",
    "talks": "Conversations",
    "user": "You",
    "assistant": "Assistant",
    "other": "Other",
    "inferred": "inferred",
    "until": "until",
    "nothing": "Nothing yet.",
}
CHINESE: Words = {
    "title": "老马记得的",
    "profile": "档案",
    "preference": "偏好",
    "fact": "事实",
    "event": "事件",
    "knowledge": "知识",
    "before": "不再成立或已搁置的",
    "talks": "对话",
    "user": "你",
    "assistant": "助手",
    "other": "他人",
    "inferred": "推断",
    "until": "到",
    "nothing": "还没有。",
}


def as_markdown(lines: Iterable[str], words: Words, zone: ZoneInfo, at: datetime) -> Iterator[str]:
    """The lines of ``GET /v1/export`` as lines of Markdown, times in ``zone``. All rows are held until the last one has come."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for line in lines:
        one = json.loads(line)
        if one.get("table") in ("memories", "conversations", "turns"):
            tables[one["table"]].append(one["row"])
    yield f"# {words['title']}"
    yield f"\n{_time(at.isoformat(), zone)}"
    yield from _memories(tables["memories"], words, zone)
    yield from _talks(tables["conversations"], tables["turns"], words, zone)


def _memories(memories: list[Row], words: Words, zone: ZoneInfo) -> Iterator[str]:
    living = [one for one in memories if one["status"] in _LIVING]
    if not memories:
        yield f"\n{words['nothing']}"
    for kind in _KINDS:
        of_kind = sorted((one for one in living if one["kind"] == kind), key=lambda one: str(one["updated_at"]), reverse=True)
        if of_kind:
            yield f"\n## {words[kind]}\n"
            yield from (_item(one, words, zone) for one in of_kind)
    before = sorted((one for one in memories if one["status"] not in _LIVING), key=lambda one: str(one["updated_at"]), reverse=True)
    if before:
        yield f"\n## {words['before']}\n"
        yield from (_item(one, words, zone) for one in before)


def _item(memory: Row, words: Words, zone: ZoneInfo) -> str:
    notes = [_time(memory["created_at"], zone)[:10]]
    if memory.get("valid_to"):
        notes.append(f"{words['until']} {_time(memory['valid_to'], zone)[:10]}")
    if memory["scene"] != GENERAL_SCENE:
        notes.append(memory["scene"])
    if memory["source"] == "inferred":
        notes.append(words["inferred"])
    return f"- {' '.join(memory['text'].split())} *({', '.join(notes)})*"


def _talks(conversations: list[Row], turns: list[Row], words: Words, zone: ZoneInfo) -> Iterator[str]:
    titles = {one["id"]: one.get("title") for one in conversations}
    said: dict[str, list[Row]] = defaultdict(list)
    for turn in turns:
        said[turn["conversation"]].append(turn)
    if said:
        yield f"\n## {words['talks']}"
    for id, of_talk in sorted(said.items(), key=lambda pair: str(pair[1][0]["at"])):
        title = " ".join((titles.get(id) or id).split())
        yield f"\n### {_time(of_talk[0]['at'], zone)[:10]} {title}"
        for turn in of_talk:
            yield f"\n**{turn.get('speaker') or words.get(turn['role'], turn['role'])}** {_time(turn['at'], zone)}\n"
            yield from (f"> {line}" for line in turn["content"].splitlines())


def _time(moment: str, zone: ZoneInfo) -> str:
    return datetime.fromisoformat(moment).astimezone(zone).strftime("%Y-%m-%d %H:%M")
