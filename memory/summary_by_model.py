"""A summary by a model (R2): a short prompt, quoted data, an answer held to a schema; what does not hold to it is no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from memory.extract.answer import BadAnswer, json_objects, without_thinking
from memory.extract.protocol import Said
from memory.normalise import is_chinese
from memory.prompts import Language, render
from memory.summary import KEYS, SHARES, Summary, Told

PROMPT = "summarise"
_HEAD, _TAIL = 300, 100
"""Characters of a long utterance that the model reads."""
_TOKENS = 400
_WARM = 0.4
"""Temperature from the second try on."""
_ROOM = 2
"""So many times its share a key may take in an answer; together they are cut to 200 characters."""
_NUMBER = re.compile(r"\d+")
_TELLING = 2
"""Digits from which a number must be one that was said."""


def question(said: Sequence[Said], earlier: Sequence[Summary] = (), *, tries: int = 0) -> dict[str, Any]:
    """The body of a chat completion. ``earlier``: summaries that the new one replaces; ``tries``: how often it was asked before."""
    messages = render(
        PROMPT,
        _language(said),
        earlier=[" / ".join(text for text in vars(one.told).values() if text) for one in earlier],
        said=[(one.role, _short(one.text)) for one in said],
    )
    wanted = {"name": "summary", "schema": schema(), "strict": True}
    return {
        "messages": messages,
        "response_format": {"type": "json_schema", "json_schema": wanted},
        "temperature": _WARM if tries else 0.0,
        "max_tokens": _TOKENS * 2 ** min(tries, 2),
    }


def schema() -> dict[str, Any]:
    """The JSON schema of an answer: five texts."""
    fields = {key: {"type": "string", "maxLength": _ROOM * SHARES[key]} for key in KEYS}
    return {"type": "object", "properties": fields, "required": list(KEYS), "additionalProperties": False}


def read_answer(text: str, said: Sequence[Said], earlier: Sequence[Summary] = ()) -> Told:
    """The summary in an answer, cut to 200 characters.

    Raises BadAnswer where no object fits, all is empty, the language is another one, or it names a number that nobody said.
    """
    for found in json_objects(without_thinking(text)):
        if all(isinstance(found.get(key, ""), str) for key in KEYS) and any(key in found for key in KEYS):
            told = Told(**{key: found.get(key, "") for key in KEYS}).within()
            _check(told, said, earlier)
            return told
    raise BadAnswer(f"no JSON of the wanted shape in {' '.join(text.split())[:80]!r}")


def _check(told: Told, said: Sequence[Said], earlier: Sequence[Summary]) -> None:
    words = " ".join(vars(told).values())
    if not told.topic.strip() or set(vars(told).values()) <= {*KEYS, "string", "..."}:
        raise BadAnswer("it says nothing")
    if is_chinese(words) != (_language(said) == "zh"):
        raise BadAnswer(f"it is in another language: {words[:60]!r}")
    source = " ".join([*(one.text for one in said), *(text for one in earlier for text in vars(one.told).values())])
    made_up = {number for number in _NUMBER.findall(words) if len(number) >= _TELLING} - set(_NUMBER.findall(source))
    if made_up:
        raise BadAnswer(f"nobody said {', '.join(sorted(made_up))}")


def _language(said: Sequence[Said]) -> Language:
    own = " ".join(one.text for one in said if one.role == "user") or " ".join(one.text for one in said)
    return "zh" if is_chinese(own) else "en"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _HEAD + _TAIL else f"{plain[:_HEAD]} … {plain[-_TAIL:]}"
