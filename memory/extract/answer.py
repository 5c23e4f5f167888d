"""Reading what a model answered to the question for memories: the first JSON object that fits, or nothing at all."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterator
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from memory.statement import Mood

log = logging.getLogger("laoma.extraction")
NEW = "new"
MOST_CLAIMS = 6
LONGEST_TEXT, LONGEST_NAME = 200, 30
WEIGHT = 10
"""By so much at most a model may move the importance of a statement (R7)."""
ModelKind = Literal["profile", "fact", "preference", "event"]
KINDS: tuple[ModelKind, ...] = ("profile", "fact", "preference", "event")
MOODS: dict[str, Mood] = {"always": "plain", "once": "once", "maybe": "hedged"}
_THINKING = re.compile(r"<(think|thinking|thought|reasoning)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(r"<(?:think|thinking|thought|reasoning)\b[^>]*>", re.IGNORECASE)
_CLOSED = re.compile(r"</(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_LISTS = ("facts", "memory", "memories")
_LONGEST_ANSWER = 100_000
_MOST_BRACES = 200


class BadAnswer(ValueError):
    """The model gave no object of the wanted shape: nothing is taken from it, it is asked again."""


class Claim(BaseModel):
    """One thing that a model found: ``of`` is an offered number or ``new``, ``holds`` a mood, ``weight`` moves the importance."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    kind: ModelKind = "fact"
    about: str = "user"
    of: str = NEW
    holds: Mood = "plain"
    weight: int = Field(0)

    @field_validator("holds", mode="before")
    @classmethod
    def _mood(cls, value: Any) -> Any:
        return MOODS.get(value, value)

    @field_validator("weight")
    @classmethod
    def _bounded(cls, value: int) -> int:
        return max(-WEIGHT, min(WEIGHT, value))


def schema(offered: Collection[str]) -> dict[str, Any]:
    """The JSON schema of an answer; ``offered`` are the numbers of known memories: a closed set."""
    claim = {
        "text": {"type": "string", "maxLength": LONGEST_TEXT},
        "kind": {"type": "string", "enum": list(KINDS)},
        "about": {"type": "string", "maxLength": LONGEST_NAME},
        "of": {"type": "string", "enum": [NEW, *offered]},
        "holds": {"type": "string", "enum": list(MOODS)},
        "weight": {"type": "integer", "minimum": -WEIGHT, "maximum": WEIGHT},
    }
    item = {"type": "object", "properties": claim, "required": list(claim), "additionalProperties": False}
    facts = {"type": "array", "maxItems": MOST_CLAIMS, "items": item}
    return {"type": "object", "properties": {"facts": facts}, "required": ["facts"], "additionalProperties": False}


def read_answer(text: str, offered: Collection[str]) -> list[Claim]:
    """The claims of an answer; an entry that is no claim, or names a number nobody offered, is left out with a line in the log.

    Thinking is cut off. Servers that do not enforce the schema may put prose around the object, texts in the place of objects, and
    call the list ``memory``. Raises BadAnswer where no object fits: it was cut off, is empty, or echoes the question.
    """
    entries = _first_fit(without_thinking(text))
    claims = [claim for entry in entries[: 4 * MOST_CLAIMS] if (claim := _claim(entry, offered)) is not None]
    return claims[:MOST_CLAIMS]


def without_thinking(text: str) -> str:
    """The answer proper. Raises BadAnswer where thinking began and never ended: what follows is no answer."""
    plain = _THINKING.sub("", text)
    if (closed := None if _OPENED.search(plain) else _last(_CLOSED, plain)) is not None:
        plain = plain[closed:]
    if opened := _OPENED.search(plain):
        raise BadAnswer(f"it never stopped thinking: {text[opened.start() : opened.start() + 60]!r}")
    if not plain.strip():
        raise BadAnswer("it is empty")
    return plain


def _first_fit(text: str) -> list[Any]:
    for found in json_objects(text[:_LONGEST_ANSWER]):
        for name in _LISTS:
            entries = found.get(name)
            if isinstance(entries, list) and all(isinstance(entry, dict | str) for entry in entries):
                return entries
    raise BadAnswer(f"no JSON of the wanted shape in {' '.join(text.split())[:80]!r}")


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, in their order, whatever stands around them."""
    decoder, start = json.JSONDecoder(), text.find("{")
    for _ in range(_MOST_BRACES):
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        yield found
        start = text.find("{", end)


def _claim(entry: dict[str, Any] | str, offered: Collection[str]) -> Claim | None:
    given = {"text": entry} if isinstance(entry, str) else dict(entry)
    given.setdefault("of", given.pop("id", NEW))
    event = str(given.get("event", "ADD")).upper()
    if given["of"] != NEW and given["of"] not in offered:
        log.warning("the model names a memory that was not offered, %r: left out", given["of"])
        return None
    if event not in ("ADD", "UPDATE"):
        log.warning("the model asks for %r, which only the user may: left out", event)
        return None
    if len(str(given.get("text", ""))) >= LONGEST_TEXT:
        log.warning("the model found a text that is cut off, or is no single statement: left out")
        return None
    try:
        return Claim.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        log.warning("the model found what is no claim (%s: %s): left out", ".".join(map(str, first["loc"])), first["msg"])
        return None


def _last(pattern: re.Pattern[str], text: str) -> int | None:
    ends = [hit.end() for hit in pattern.finditer(text)]
    return ends[-1] if ends else None
