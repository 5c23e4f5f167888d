"""The panel's words in the reader's language. English stands in the templates; ``texts/zh.yaml`` has the Chinese for each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, cast

import yaml
from starlette.requests import Request

Language = Literal["en", "zh"]
COOKIE = "laoma_language"
_TEXTS = Path(__file__).with_name("texts") / "zh.yaml"
_REASONS = Path(__file__).with_name("texts") / "reasons.zh.yaml"


@cache
def chinese() -> dict[str, str]:
    """Chinese by English."""
    return dict(yaml.safe_load(_TEXTS.read_text(encoding="utf-8")))


def translate(language: Language, text: str, **values: object) -> str:
    """``text`` in ``language``, with ``{names}`` filled in; what has no Chinese stays English."""
    words = chinese().get(text, text) if language == "zh" else text
    return words.format(**values) if values else words


@cache
def _reasons() -> list[tuple[re.Pattern[str], str]]:
    rows = yaml.safe_load(_REASONS.read_text(encoding="utf-8"))
    return [(re.compile(pattern), chinese) for pattern, chinese in rows]


def translate_reason(language: Language, reason: str) -> str:
    """The reason of a decision in ``language``: part by part; what has no Chinese stays as it is."""
    if language == "en":
        return reason
    for pattern, chinese_words in _reasons():
        reason = pattern.sub(chinese_words, reason)
    return reason.replace("; ", "；")


def language_of(request: Request) -> Language:
    """What the reader chose, else what the browser asks for first, else Chinese."""
    chosen = request.cookies.get(COOKIE)
    if chosen in ("en", "zh"):
        return cast("Language", chosen)
    for part in request.headers.get("accept-language", "").lower().split(","):
        if part.strip().startswith("en"):
            return "en"
        if part.strip().startswith("zh"):
            return "zh"
    return "zh"
