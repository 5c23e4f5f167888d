"""Asked-for notes: "记住…", "remember that …": what the user explicitly wants kept, cut from the turn byte for byte."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FRONT_ZH = re.compile(
    r"^(?:好[,，]?|那|对了[,，]?|请|麻烦|帮我|你|您|要|一定|替我|给我|务必|千万|也|另外)*(?:记住"
    r"|记着|记下来?|记一下|记好|牢记|备忘|记个事|记得|别忘了|不要忘了|别忘记|记录一下|存一下)"
    r"(?:了|啊|哦|噢|吧|一下)*[\s:：,，]*"
)
_BACK_ZH = re.compile(
    r"[\s,，。!！]*(?:请|麻烦|帮我|你|您|要|一定|给我|务必|先|得)*(?:记住|记着|记下来?|记一下"
    r"|记好|别忘了|存着|记得)(?:了|啊|哦|噢|吧|一下|哈|呀|这个|这件事|这点)*[\s。!！~]*$"
)
_WEAK_ZH = re.compile(r"记得|别忘|不要忘")
_REMINDER_ZH = re.compile(r"提醒|明天|后天|今晚|今天|待会|等会|下午|一会|帮我|^(?:买|带|交|拿|取|给|把|去|关|开|打|回|发|吃药|喝水)")
_FRONT_EN = re.compile(
    r"^(?:ok(?:ay)?,? |so,? |and |also,? |please,? |can you |could you |you should |do |kindly )*"
    r"(?:remember|keep in mind|make a note|note|take note|don'?t forget|do not forget|memori[sz]e)"
    r"(?: that| this| the following| of this)?(?: for me)?(?:\s*[:,]\s*|\s+)"
)
_BACK_EN = re.compile(r"[\s,;.!-]*(?:please )?(?:remember|keep in mind|make a note of|note|don'?t forget) (?:that|this|it)[\s.!]*$")
_REMINDER_EN = re.compile(
    r"^(?:to |me\b|when\b|how\b|what\b|the time\b|last\b|why\b)|\bremind\b|^(?:that )?(?:time"
    r"|day)\b|\b(?:tomorrow|tonight|today)\b"
)


@dataclass(frozen=True)
class Note:
    """What is to be kept, at ``turn[start:end]``."""

    start: int
    end: int


def note(mirrored: str, start: int, end: int) -> Note | None:
    """The note that ``mirrored[start:end]`` asks for, or None. A reminder ("记得明天买牛奶", "remember to …") is none."""
    piece = mirrored[start:end]
    if front := _FRONT_ZH.match(piece):
        rest = piece[front.end() :]
        weak = _WEAK_ZH.search(front.group()) and not re.search(r"我|是|叫|在|不", rest)
        return None if _REMINDER_ZH.search(rest) or weak or not rest.strip() else Note(start + front.end(), end)
    if front := _FRONT_EN.match(piece):
        rest = piece[front.end() :]
        return None if _REMINDER_EN.search(rest) or not rest.strip() else Note(start + front.end(), end)
    for pattern in (_BACK_ZH, _BACK_EN):
        if (back := pattern.search(piece)) and back.start() > 1:
            return None if _REMINDER_ZH.search(piece[: back.start()]) else Note(start, start + back.start())
    return None
