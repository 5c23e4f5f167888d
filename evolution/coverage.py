"""Which of the things that a request names beside one another its reply leaves out (E1). By the words alone, in both languages."""

from __future__ import annotations

import re

_LISTED = re.compile(r"[^。！？!?；;：:\n]+")
_BETWEEN = re.compile(
    r"\s*(?:、|以及|(?<=[\u4e00-\u9fff])[和与跟及](?=[\u4e00-\u9fff\w])|,\s*(?:and|or)\s+|,\s+|\s+(?:and|or|&|plus)\s+)\s*"
)
_ARTICLE = re.compile(r"^(?:the|a|an|their|its|his|her|my|both|all|some)\s+", re.I)
_REFUSING = re.compile(r"抱歉|对不起|无法|请问|不支持|没有查到|sorry|can'?t|cannot|unable|could you|which one", re.I)
_SHORTEST, _LONGEST = 2, 6
_REQUEST_CHARS = 400
_VERBS = re.compile(
    r"^(?:帮我|请|麻烦|给我|再)?(?:比较一下|比较|对比|查查|查一下|查|说说|讲讲|介绍|推荐|列出|列|写|告诉我|看看|分析|算|翻译|订|买|安排|整理)(?:一下)?"
)


def missing(request: str, reply: str) -> list[str]:
    """Names of things that ``request`` lists and ``reply`` leaves out; empty where it lists nothing, where the reply has none of them
    (it is about something else then), or where it asks back or declines."""
    if not reply.strip() or _REFUSING.search(reply) or reply.rstrip().endswith(("?", "？")):
        return []
    answered = _plain(reply)
    for sentence in _LISTED.findall(request[:_REQUEST_CHARS]):
        items = [part for part in _BETWEEN.split(sentence.strip()) if part.strip()]
        if len(items) < 2:
            continue
        names = [_names(item, place, len(items)) for place, item in enumerate(items)]
        there = [any(_plain(name) in answered for name in found) for found in names]
        if any(there) and not all(there):
            return [found[-1] for found, is_there in zip(names, there, strict=True) if not is_there and found]
    return []


def mentions(said: str, names: list[str]) -> bool:
    """Whether a message speaks of one of these."""
    plain = _plain(said)
    return any(_plain(name) in plain for name in names)


def _names(item: str, place: int, count: int) -> list[str]:
    """What the thing may be called: in the middle of a list it is the item itself; the first one has words before it, the last one words
    after it, so its ends are tried. The likeliest name stands last."""
    item = _ARTICLE.sub("", item.strip())
    if re.search(r"[\u4e00-\u9fff]", item):
        item = _VERBS.sub("", item) if place == 0 else item
        if place == 0:
            return [item[-size:] for size in range(min(_LONGEST, len(item)), _SHORTEST - 1, -1)] or [item]
        if place == count - 1:
            return [item[:size] for size in range(min(_LONGEST, len(item)), _SHORTEST - 1, -1)] or [item]
        return [item]
    words = re.findall(r"[\w'-]+", item)
    if not words:
        return [item]
    return [words[-1]] if place == 0 else [words[0]] if place == count - 1 else [" ".join(words)]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower()
