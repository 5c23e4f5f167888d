"""A statement handed over to be remembered: kept as written, its slot recognised where a rule knows it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.extract.importance import importance
from memory.extract.protocol import Extractor, Passage
from memory.extract.rule import path_part
from memory.normalise import statement_key
from memory.statement import Statement
from schemas.memory import Kind

_NOTE = "备忘"


def stated(
    text: str,
    extractor: Extractor,
    *,
    at: datetime,
    zone: ZoneInfo,
    kind: Kind | None = None,
    key: str | None = None,
    scene: str | None = None,
) -> Statement:
    """One statement that says ``text``; what the caller names outranks what is recognised, and nothing filters it: it was asked for."""
    found = extractor.extract(Passage(text, at, zone))
    if len(found) == 1:
        statement = replace(found[0], text=text, mood="plain", only_if_known=False)
    else:
        points = importance(personal=True, reusable=True, explicit=True, asks=True)
        statement = Statement("fact", f"{_NOTE}/{path_part(statement_key(text))}", text, text, "stated", importance=points)
    named = {name: value for name, value in (("kind", kind), ("key", key), ("scene", scene)) if value is not None}
    return replace(statement, **named)  # type: ignore[arg-type]
