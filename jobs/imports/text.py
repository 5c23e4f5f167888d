"""Taking out of a text what nobody said: reasoning, citation marks, control characters."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

_THINK = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_DETAILS = re.compile(r"<details\b[^>]*\btype=\"(?:reasoning|code_interpreter|tool_calls)\"[^>]*>.*?</details>", re.DOTALL | re.IGNORECASE)
_CITATION = re.compile("\ue200[^\ue201]*\ue201")
_STRAY = re.compile("[\ue200-\ue206]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")


def said(text: Any) -> str:
    """A person's words, without characters that nobody types; "" of what is no text."""
    return _CONTROL.sub("", text).strip() if isinstance(text, str) else ""


def replied(text: Any) -> str:
    """A model's words without its reasoning and its citation marks (U+E200…U+E201 whole; stray ones leave their text)."""
    if not isinstance(text, str):
        return ""
    for pattern in (_THINK, _DETAILS, _CITATION, _STRAY):
        text = pattern.sub("", text)
    return said(text)


def spoken(role: str, text: Any) -> str:
    """:func:`said` or :func:`replied`, by role."""
    return replied(text) if role == "assistant" else said(text)


def parts(content: Any, *, kinds: Collection[str] = ("text",)) -> str:
    """The text of a content that is a string, or a list of strings and of objects with ``type`` and ``text`` (OpenAI's parts)."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    found = [
        part if isinstance(part, str) else part.get("text")
        for part in content
        if isinstance(part, str) or (isinstance(part, dict) and str(part.get("type")) in kinds)
    ]
    return "\n\n".join(one.strip() for one in found if isinstance(one, str) and one.strip())
