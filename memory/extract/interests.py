"""A topic that the user comes back to later in a conversation, unasked, is an interest (R6 b): not stated, so on probation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.extract.filter import is_question
from memory.extract.importance import importance
from memory.extract.protocol import Said
from memory.normalise import is_chinese, mirror
from memory.statement import Statement

_APART = 3
"""So many exchanges must lie between the two questions: one that follows is the same matter, not an interest."""
_ASKING = re.compile(
    r"多[少久宽长高重]|怎么样?|怎样|什么|哪(?:些|种|里|个|儿|家)?|几(?:点|天|个|岁)?|如何|为什么|合适|比较|推荐|有没有|能不能|可以|需要|应该|适合|附近|一下|给我|帮我|知道|今天|明天|"
    r"最近|现在|时候|时间|地方|东西|问题|办法|方法|新手|入门|买|用|吃|喝|看|做|去|学|要|好|多|大|小|长|快|上|下|里|的|了|是|在|有|和|吗|呢|啊|我|你|这|那|个|会"
)
_WORD = re.compile(r"[a-z][a-z'-]{4,}")
_COMMON = re.compile(
    r"about|after|again|anything|beginners?|before|being|best|better|between|could|does|doing|every|first|from|give|going|have|help|here|kind|long|many|more|"
    r"most|much|need|only|other|people|please|recommend|should|some|something|start|such|take|tell|than|that|their|them|there|these|they|things?|think|this|"
    r"those|time|tips|today|tomorrow|what|when|where|which|while|will|with|works?|would|write|your|good|convert|make|find|translate|explain|compare|difference"
)
"""English words of asking, which name no topic."""
_SHORTEST = 2
_NAMED = 2
"""So many words at most name a topic."""


def interest(text: str, before: Sequence[Said]) -> Statement | None:
    """The topic of a question that was asked about before, with other matters in between; None where there is none."""
    if not _asks(text):
        return None
    earlier = [said.text for said in before if said.role == "user"]
    for asked in earlier[: max(0, len(earlier) - _APART + 1)]:
        if _asks(asked) and (topic := _shared(text, asked)):
            return _statement(topic, text)
    return None


def _asks(text: str) -> bool:
    plain = mirror(text).strip()
    closing = plain[-1:] if plain.endswith(("?", "？")) else ""
    return is_question(plain, closing) or bool(re.search(r"多[少久宽长高大重]|怎么|合适|哪|什么|推荐|好$", plain))


def _shared(text: str, other: str) -> str | None:
    """The longest word that two questions have in common, in the letters of the first."""
    if is_chinese(text) != is_chinese(other):
        return None
    if not is_chinese(text):
        words = [word for word in _WORD.findall(text.lower()) if not _COMMON.fullmatch(word)]
        there = {_stem(word) for word in _WORD.findall(other.lower())}
        return max((word for word in words if _stem(word) in there), key=len, default=None)
    parts = [part for part in re.split(r"[^\u4e00-\u9fff]+", _ASKING.sub(" ", mirror(text))) if len(part) >= _SHORTEST]
    plain = _ASKING.sub(" ", mirror(other))
    found = [longest for part in parts if (longest := _longest(part, plain))]
    return "、".join(dict.fromkeys(sorted(found, key=len, reverse=True)[:_NAMED])) or None


def _longest(part: str, other: str) -> str:
    runs = (part[i:j] for i in range(len(part)) for j in range(i + _SHORTEST, len(part) + 1))
    return max((run for run in runs if run in other), key=len, default="")


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|s|es|ed)$", "", word)


def _statement(topic: str, text: str) -> Statement:
    said = f"常问到{topic}" if is_chinese(text) else f"keeps asking about {topic}"
    return Statement(
        kind="preference", key=f"兴趣/{topic}", text=said, value=topic, cue="asked about again", source="inferred", confidence=0.6,
        importance=importance(personal=True, reusable=True, explicit=False),
    )  # fmt: skip
