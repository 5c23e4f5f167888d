"""Long dialogues between two people as turns and questions: LoCoMo, and REALTALK of the same shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from schemas.turn import Turn

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_TIMES = ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d %B, %Y", "%Y-%m-%d")
_PAUSE = timedelta(seconds=30)
_UNKNOWN = datetime(2023, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DialogueQuestion:
    """A question and the ids of the turns that answer it (at least one)."""

    id: str
    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Dialogue:
    """One long conversation in sessions; a session is a conversation of ours."""

    id: str
    turns: list[Turn]
    questions: list[DialogueQuestion]


def read_dialogue(name: str, raw: dict[str, Any]) -> Dialogue:
    """A dialogue of LoCoMo's shape, read leniently: malformed evidence is taken apart, questions without any are left out."""
    talk = raw.get("conversation", raw)
    turns = list(_turns(name, talk))
    known = {turn.id for turn in turns}
    questions = []
    for number, asked in enumerate(raw.get("qa", [])):
        evidence = frozenset(_evidence(asked.get("evidence")) & known)
        if evidence:
            category = str(asked.get("category", "all"))
            questions.append(DialogueQuestion(f"{name}-q{number}", str(asked["question"]), category, evidence))
    return Dialogue(name, turns, questions)


def read_dialogues(path: Path, holds: str = "") -> list[Dialogue]:
    """The dialogues of a file (a list, or one), or of the files of a folder: those like ``holds``, where there are any, else ``*.json``."""
    files = sorted((holds and list(path.glob(holds))) or path.glob("*.json")) if path.is_dir() else [path]
    found = []
    for file in files:
        read = json.loads(file.read_text(encoding="utf-8"))
        rows = read if isinstance(read, list) else [read]
        found += [read_dialogue(str(row.get("sample_id", f"{file.stem}-{number}")), row) for number, row in enumerate(rows)]
    return found


def _turns(name: str, talk: dict[str, Any]) -> Iterator[Turn]:
    sessions = [(int(match[1]), key) for key in talk if (match := _SESSION.fullmatch(key)) and isinstance(talk[key], list)]
    for number, key in sorted(sessions):
        at = _time(talk.get(f"{key}_date_time"))
        for i, said in enumerate(talk[key]):
            text = said.get("text") or said.get("clean_text") or ""
            yield Turn(
                id=str(said["dia_id"]),
                user="eval",
                conversation=f"{name}-{number}",
                exchange=str(said["dia_id"]),
                at=_time(said["date_time"]) if said.get("date_time") else at + i * _PAUSE,
                role="other",
                speaker=str(said["speaker"]),
                content=str(text),
                origin="eval",
            )


def _evidence(said: Any) -> set[str]:
    texts = said if isinstance(said, list) else [said]
    return {f"D{int(match[1])}:{int(match[2])}" for text in texts for match in _EVIDENCE.finditer(str(text))}


def _time(text: Any) -> datetime:
    for form in _TIMES:
        try:
            return datetime.strptime(str(text).strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return _UNKNOWN
