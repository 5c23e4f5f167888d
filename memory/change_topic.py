"""What a change is about where it does not say so itself: "raise it to 550" takes the topic of the memory that it replaces (R8, R14)."""

from __future__ import annotations

import re

from memory.normalise import is_chinese, mirror

_BARE_ZH = re.compile(
    r"^(?:那|就|还是|先|以后|今后|往后|现在|如今|统一|统统|长期|干脆|又|再|给我|请|帮我|都)*"
    r"(?:改|换|恢复|提高|提前|提到|降|减|加|推迟|推后|延|调|升|涨|挪|移|搬|缩|拉|放宽|放到|退回|退到|回到|转|定|搁|翻|用回|喝回|吃回|只|要)"
)
_BARE_EN = re.compile(
    r"^(?:so |and |then |now |ok |let'?s |please |i'?d rather |we |i )*(?:(?:make|call|cut|move|push|bump|raise|lower|drop|turn|take|change"
    r"|switch|put|set|bring|let) (?:it|that|them|this)\b|(?:make|call) that|(?:raise|lower|bump|cut|back|go back|switch back|change back"
    r"|revert|up|down)\b|(?:we'?re|i'?m|it'?s|we are|i am|it is) back\b|(?:it|that|this|he|she|they)(?:'s| is|'re| are)\b)"
)
_LEAD_ZH = re.compile(r"^(?:以后|今后|往后|请|麻烦|帮我|给我|我们?(?:的|家的?)?|默认|一律)+")
_TOPIC_ZH = re.compile(
    r"^(?P<topic>[^，,。；;：:]{2,14}?)(?:我们?)?(?:都|就|也|打算|准备|想|先|暂时|一般|平时|现在)*"
    r"(?:[：:]|是|在(?!线)|用|叫|按|放|为|控制|定|设|改|换|调|提高|降|加|减|推迟|提前|挪|搬|走|坐|喝|吃|要|不超|写|发|开|\d|[一二两三四五六七八九十])"
)
_TOPIC_EN = re.compile(
    r"^(?:please |from now on,? )?(?:the |my |our |this |i |we )*(?P<topic>[^,.;:]{3,40}?)"
    r"(?::| (?:is|are|was|were|at|on|in|to|by|of|goes|go|should|must|costs?|stays?|uses?|with|every)\b| \d)"
)
_WHEN = ("每", "周", "星期", "早上", "晚上", "这")
"""A time is no topic."""
_LONGEST = 16


def with_topic(said: str, known: str) -> str:
    """``said`` with the topic of ``known`` in front, where it names none of its own ("预算：提高到二十万"); else ``said`` itself."""
    plain = mirror(said)
    if not is_bare(plain):
        return said
    about = topic(known)
    if about is None or mirror(about) in plain:
        return said
    return f"{about}：{said}" if is_chinese(about) else f"{about[0].upper()}{about[1:]}: {said}"


def is_bare(plain: str) -> bool:
    """Whether a mirrored clause begins with its change ("换成…", "make it …")."""
    return bool(_BARE_ZH.search(plain) or _BARE_EN.search(plain))


def topic(text: str) -> str | None:
    """What a statement is about, cut from its words ("我的装修预算是十万" → 装修预算); None where no form of ours tells."""
    plain = mirror(text)
    if is_chinese(text):
        lead = _LEAD_ZH.match(plain)
        start = lead.end() if lead else 0
        found = _TOPIC_ZH.match(plain, start) or _TOPIC_ZH.match(plain[start:])
        if found is None:
            return None
        offset = 0 if found.string is plain else start
        begin, end = (place + offset for place in found.span("topic"))
        about = text[begin:end].rstrip("的 ")
        return about if 2 <= len(about) <= _LONGEST and not about.startswith(_WHEN) else None
    found = _TOPIC_EN.match(plain)
    return text[slice(*found.span("topic"))].strip() if found else None
