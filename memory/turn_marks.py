"""What a turn or a question is, told from its words: a question, one that asks when, one that says a time."""

from __future__ import annotations

import re

_ENDS_ASKING = re.compile(r"[?？]\s*[\"'”’）)]*\s*$|[吗呢么]\s*[。.!！~～]*\s*$")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？\n]*")
_ASKING_SHARE = 0.5
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bwhich (?:date|day|month|year|week)\b|\bhow long ago\b"
    r"|什么时候|何时|哪[一]?[天日年月周]|几月|几号|几点|哪个(?:月|星期|周)|多久(?:以)?前",
    re.IGNORECASE,
)
_READ_CHARS = 2_000
"""A longer utterance is a document: its beginning tells when, its end whether it asks."""
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_PERIOD = rf"(?:week|weekend|month|year|night|spring|summer|fall|autumn|winter|{_WEEKDAY}|{_MONTH})"
_SAYS_TIME = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since|(?:the )?other day|(?:last|next|this|past) (?:\w+ )?{_PERIOD}"
    rf"|(?:on|until|by) {_WEEKDAY}|in (?:{_MONTH}|\d{{4}})|(?:19|20)\d\d|(?:few|for (?:\w+ )?)(?:days|weeks|months|years))\b"
    r"|昨[天晚日]|前天|今[天晚早]|明[天早晚]|后天|[上下这本](?:个)?(?:周|星期|礼拜|月)|[去今明前]年"
    r"|(?<!\d)\d{1,2}\s{0,3}月\s{0,3}\d{1,2}\s{0,3}[日号]"
    r"|[一二三四五六七八九十]{1,3}月[一二三四五六七八九十]{0,3}[日号]?|[天周月年]前|刚才|刚刚|最近",
    re.IGNORECASE,
)
_ASKS_ASSISTANT = re.compile(
    r"\b(?:did|have|had|do) you (?:\w+ )?(?:recommend|suggest|tell|told|say|said|mention|advise|give|gave|explain)"
    r"|\byou (?:\w+ )?(?:recommended|suggested|told|said|mentioned|advised|gave|explained)\b"
    r"|你[^，。？?我]{0,8}?(?:推荐|建议|说|提到|告诉|讲|介绍|给我|教)",
    re.IGNORECASE,
)
_ASKS_SELF = re.compile(
    r"\b(?:did|have|had) i (?:\w+ )?(?:tell|told|say|said|mention|mentioned|ask|asked|share|shared)\b"
    r"|\bi (?:\w+ )?(?:told|said|mentioned|asked) "
    r"|我[^，。？?你]{0,8}?(?:和你|跟你|对你|向你)?[^，。？?你]{0,6}(?:说过|提到|提过|告诉|讲过|分享|问过|聊过|推荐)",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether an utterance ends as a question and most of it asks: it does not tell."""
    text = text[-_READ_CHARS:]
    if _ENDS_ASKING.search(text) is None:
        return False
    sentences = [sentence for sentence in _SENTENCE.findall(text) if sentence.strip()]
    asking = sum(len(sentence) for sentence in sentences if _ENDS_ASKING.search(sentence))
    return asking >= _ASKING_SHARE * sum(len(sentence) for sentence in sentences)


def asks(text: str) -> bool:
    """Whether an utterance asks anything, at its end or on the way: what follows is likely an answer."""
    return "?" in text or "？" in text or is_question(text)


def asks_when(text: str) -> bool:
    """Whether a question asks for a time."""
    return _ASKS_WHEN.search(text) is not None


def says_a_time(text: str) -> bool:
    """Whether an utterance says when something is or was."""
    return _SAYS_TIME.search(text[:_READ_CHARS]) is not None


def asks_what_was_said(text: str) -> bool:
    """Whether a question is about what was said in a conversation (R35), by either side."""
    return _ASKS_ASSISTANT.search(text) is not None or _ASKS_SELF.search(text) is not None


def asked_role(text: str) -> str | None:
    """Whose words a question is after: ``assistant``, ``user``, or None where it does not say."""
    if _ASKS_SELF.search(text):
        return "user"
    return "assistant" if _ASKS_ASSISTANT.search(text) else None
