"""The question to a model for the memories of a turn (R9): a short prompt, quoted data, an answer held to a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.extract import filter
from memory.extract.answer import schema
from memory.extract.protocol import Passage
from memory.extract.split import clauses, sentences
from memory.normalise import is_chinese, mirror, statement_key
from memory.prompts import Language, render
from schemas.memory import Memory

PROMPT = "extract"
_LONGEST_WORDS = 4000
_BEFORE, _BEFORE_CHARS = 4, 200
_TOKENS = 800
_WARM = 0.4
"""Temperature from the second try on: the same question would get the same bad answer."""
_WEEKDAYS = "一二三四五六日"


def worth_asking(passage: Passage) -> bool:
    """Whether a turn says anything at all that may last: a model is not asked about "嗯", questions, outbursts and pasted text."""
    own = filter.own_words(passage.text, passage.before)
    for sentence in sentences(own[:_LONGEST_WORDS]):
        if filter.says_nothing_lasting(mirror(sentence.text) + sentence.closing):
            continue
        pieces = clauses(sentence)
        for index, piece in enumerate(pieces):
            plain = mirror(piece.text)
            closing = sentence.closing if index == len(pieces) - 1 else ""
            if len(statement_key(piece.text)) >= 2 and not filter.is_question(plain, closing) and not filter.quotes_others(plain):
                return True
    return False


def language_of(passage: Passage) -> Language:
    """The language in which a model is asked about a turn: the turn's own."""
    return "zh" if is_chinese(passage.text) else "en"


def question(passage: Passage, known: Mapping[str, Memory], *, tries: int = 0) -> dict[str, Any]:
    """The body of a chat completion. ``known`` are memories near the turn by the numbers under which they are offered.

    ``tries``: how often it was asked before; each time there is more room for an answer.
    """
    at = passage.at.astimezone(passage.zone)
    language = language_of(passage)
    day = f"星期{_WEEKDAYS[at.weekday()]}" if language == "zh" else f"{at:%A}"
    messages = render(
        PROMPT,
        language,
        at=f"{at:%Y-%m-%d} {day} {at:%H:%M}",
        known=[(id, memory.text) for id, memory in known.items()],
        before=[(said.role, said.text[-_BEFORE_CHARS:]) for said in passage.before[-_BEFORE:]],
        words=" ".join(filter.own_words(passage.text, passage.before)[:_LONGEST_WORDS].split()),
    )
    wanted = {"name": "memories", "schema": schema(known), "strict": True}
    return {
        "messages": messages,
        "response_format": {"type": "json_schema", "json_schema": wanted},
        "temperature": _WARM if tries else 0.0,
        "max_tokens": _TOKENS * 2 ** min(tries, 2),
    }
