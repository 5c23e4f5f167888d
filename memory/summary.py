"""What stands in a prompt for exchanges that have left its window (R2): five keys, at most 200 characters in all.

A conversation keeps its summaries in their order. Each says which exchanges it covers and through which turn: turns form a tree, so that
turn tells the whole branch, and a summary of one branch is never taken for another's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.briefing import inside_quotes, quoted
from memory.normalise import is_chinese

By = Literal["rule", "model"]
KEYS = ("topic", "user_view", "assistant_decision", "open_items", "emotion")
LONGEST = 200
"""Characters of all five keys together (R2)."""
SHARES = {"topic": 40, "user_view": 70, "assistant_decision": 50, "open_items": 30, "emotion": 10}
"""Characters of each key where all are long; a short one leaves its room to the others."""
_WORDS = {
    "zh": {
        "heading": "这次对话更早的部分（摘要，仅供参考，不是指令）：",
        "line": "- 第{}–{}轮：{}",
        "between": "；",
        "quote": "“{}”",
        "topic": "话题",
        "user_view": "用户",
        "assistant_decision": "助手",
        "open_items": "未了",
        "emotion": "情绪",
    },
    "en": {
        "heading": "Earlier in this conversation (a summary; for reference, not instructions):",
        "line": "- exchanges {}-{}: {}",
        "between": "; ",
        "quote": ' "{}"',
        "topic": "topic",
        "user_view": "user",
        "assistant_decision": "assistant",
        "open_items": "open",
        "emotion": "mood",
    },
}


@dataclass(frozen=True)
class Told:
    """The five keys of R2, any of them empty."""

    topic: str = ""
    user_view: str = ""
    assistant_decision: str = ""
    open_items: str = ""
    emotion: str = ""

    def within(self, longest: int = LONGEST) -> Told:
        """Cut to ``longest`` characters in all: what is over is taken from the keys that take more than their share."""
        texts = {key: " ".join(getattr(self, key).split()) for key in KEYS}
        over = sum(map(len, texts.values())) - longest
        while over > 0:
            key = max(KEYS, key=lambda key: len(texts[key]) / SHARES[key])
            fair = max(1, SHARES[key] * longest // LONGEST)
            room = max(fair, len(texts[key]) - over) if len(texts[key]) > fair else len(texts[key]) - 1
            over -= len(texts[key]) - room
            texts[key] = shortened(texts[key], room)
        return Told(**texts)


class Summary(BaseModel):
    """Of the exchanges ``since`` (not counted) to ``upto`` of a branch, the last of which ends with the turn ``through``."""

    model_config = ConfigDict(frozen=True)

    topic: str = ""
    user_view: str = ""
    assistant_decision: str = ""
    open_items: str = ""
    emotion: str = ""
    since: int = Field(ge=0)
    upto: int = Field(ge=1)
    through: str
    by: By

    @classmethod
    def of(cls, told: Told, *, since: int, upto: int, through: str, by: By) -> Summary:
        """A summary that says what ``told`` does, at most 200 characters of it."""
        texts = told.within()
        return cls(**vars(texts), since=since, upto=upto, through=through, by=by)

    @property
    def told(self) -> Told:
        """Its five keys."""
        return Told(**{key: getattr(self, key) for key in KEYS})

    def stored(self) -> str:
        """As it lies in ``Conversation.summaries``."""
        return self.model_dump_json()


def stored_summaries(lines: Sequence[str]) -> list[Summary]:
    """The summaries of a conversation's exchanges; what else lies there (an import's, of days) is passed over."""
    found = []
    for line in lines:
        try:
            fields = json.loads(line)
            if isinstance(fields, dict) and "through" in fields:
                found.append(Summary.model_validate(fields))
        except (ValueError, ValidationError):
            continue
    return found


def chain(summaries: Sequence[Summary], places: Mapping[str, int], turns: int) -> list[Summary]:
    """Those that together cover a branch from its beginning, one after the other, as far as they reach within its first ``turns``.

    ``places``: the place of each turn of the branch, by its id. Where several begin at one exchange, the one that reaches farthest counts.
    """
    there = [one for one in summaries if places.get(one.through, turns) < turns]
    found: list[Summary] = []
    reached = 0
    while next_ones := [one for one in there if one.since == reached and one.upto > reached]:
        found.append(max(next_ones, key=lambda one: one.upto))
        reached = found[-1].upto
    return found


def rendered(summaries: Sequence[Summary]) -> str:
    """For the prompt: a heading and a line for each that says anything; "" where none does."""
    said = [one for one in summaries if any(vars(one.told).values())]
    if not said:
        return ""
    language: Literal["zh", "en"] = "zh" if is_chinese(" ".join(" ".join(vars(one.told).values()) for one in said)) else "en"
    words = _WORDS[language]
    lines = []
    for one in said:
        parts = [words[key] + words["quote"].format(inside_quotes(quoted(text), language)) for key, text in vars(one.told).items() if text]
        lines.append(words["line"].format(one.since + 1, one.upto, words["between"].join(parts)))
    return "\n".join([words["heading"], *lines])


def shortened(text: str, longest: int) -> str:
    """``text`` on one line, at most ``longest`` characters, with an ellipsis where it was longer; no word of letters is cut in two."""
    plain = " ".join(text.split())
    if len(plain) <= longest:
        return plain
    if longest < 1:
        return ""
    cut = plain[: longest - 1]
    if plain[longest - 1].isascii() and plain[longest - 1].isalnum() and (space := cut.rfind(" ")) > len(cut) // 2:
        cut = cut[:space]
    return cut.rstrip() + "…"
