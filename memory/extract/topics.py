"""The path of a slot that has no fixed name: what a preference, an instruction or a routine is about, whatever its wording."""

from __future__ import annotations

import re

from memory.extract.rule import Groups
from memory.normalise import mirror

_VERB = re.compile(
    r"^(?:吃|喝|看|听|用|玩|穿|坐|闻|读|打|做|去|被|在家|现在)(?=..?)|^(?:to )?(?:eat(?:ing)?"
    r"|drink(?:ing)?|watch(?:ing)?|listen(?:ing)? to|play(?:ing)?|read(?:ing)?|wear(?:ing)?"
    r"|us(?:e|ing)|hav(?:e|ing)|go(?:ing)?) "
)
_ARTICLE = re.compile(r"^(?:the|a|an|my|any|some|all|really|very|to) ")
_TAIL = re.compile(
    r"(?:这种东西|之类的?|的东西|的食物|的饮料|东西|味道|的|了|这类|什么的|啊|呀|呢)+$|(?:\s+"
    r"(?:at all|anymore|any more|a lot|so much|very much|now|too))+$"
)
_NUMBER = re.compile(
    r"(?<![周期拜、和])[\d一二两三四五六七八九十百千万半几点:.]+(?:点半?|分钟?|小时|个小时|公里"
    r"|千米|里|米|斤|公斤|次|遍|杯|页|个|字|%)?|\d+\s*(?:km|miles?|minutes?|hours?|times?|pages?"
    r"|am|pm)?"
)
_FORM = re.compile(
    r"以后|今后|往后|都|请|别|不要|不许|不用|不准|给我|麻烦|我的?|你|的时候|时候|一律|统一|再"
    r"|总是?|老是?|尽量|就|也|要|吧|了|的|啊|哦|千万|每次|凡是|默认|please|always|never|from now on"
    r"|don't|do not|stop|keep"
)

_STYLE = (
    (
        "回复/语言",
        re.compile(
            r"(?:用|说|讲|换成?)(?:简体|繁体)?(?:中文|英文|英语|汉语|普通话|粤语|日语|法语|德语|繁体字?"
            r"|简体字?)|(?:in|use) (?:english|chinese|mandarin|french|german|spanish|japanese)\b"
        ),
    ),
    (
        "回复/篇幅",
        re.compile(
            r"简短|简洁|精简|言简|短一?[点些]|长一?[点些]|详细|字(?:以内|之内|左右|内)|句话|篇幅|废话"
            r"|啰嗦|\bshort|\bbrief|\bconcise|\bwords?\b|\bdetail|\blength|\bsentences?\b"
        ),
    ),
    ("回复/结构", re.compile(r"结论|要点|列表|分点|表格|bullet|conclusion|summary first|headings?")),
    ("回复/语气", re.compile(r"语气|口吻|正式|随便|玩笑|表情|emoji|客套|敬语|\btone|\bformal|\bcasual|\bjokes?\b|\bemoji")),
    ("单位", re.compile(r"公制|英制|摄氏|华氏|公斤|斤|公里|英里|\bmetric|\bimperial|\bcelsius|\bfahrenheit|\bkilograms?|\bunits?\b")),
    ("日期格式", re.compile(r"日期.*(?:写|格式|用)|date format|dates? (?:as|in)")),
)


def preference_topic(parts: Groups) -> str:
    """``偏好/香菜`` of "吃香菜", "cilantro": the thing itself, neither verb nor sign, so that liking and disliking meet in one slot."""
    return f"偏好/{thing(parts['value'])}"


def thing(value: str) -> str:
    """What a value is about, without the verb in front and the particles behind."""
    plain = mirror(value).strip()
    for pattern in (_ARTICLE, _VERB, _ARTICLE):
        plain = pattern.sub("", plain)
    return _TAIL.sub("", plain).strip() or mirror(value).strip()


def instruction_topic(parts: Groups) -> str:
    """``要求/回复/篇幅`` for known matters of style, else the bare content of the demand."""
    return f"要求/{style_topic(parts['value']) or bare(parts['value'])}"


def style_topic(value: str) -> str | None:
    """Which matter of style a demand is about, or None."""
    plain = mirror(value)
    return next((topic for topic, pattern in _STYLE if pattern.search(plain)), None)


def routine_topic(parts: Groups) -> str:
    """``习惯/每天快走`` of "每天快走五公里": numbers do not count, so that a new amount meets the old one."""
    plain = _NUMBER.sub("", mirror(parts["value"]))
    return f"习惯/{_FORM.sub('', plain).replace(' ', '')[:24] or bare(parts['value'])}"


def bare(value: str) -> str:
    """A demand or note without the words that only give it its form."""
    plain = re.sub(r"[\s,，。.、]+", "", _FORM.sub("", mirror(value)))
    return plain[:24] or mirror(value)[:24]
