"""Dated plans and happenings of the user: "明天下午三点体检", "我下周要去敦煌看壁画"."""

from __future__ import annotations

import re

from memory.extract.rule import Rule

_WHEN = (
    r"(?:大?后天|明[天早晚]|下下?个?(?:周|星期|礼拜)[一二三四五六日天末]?|下个?月(?:\d{1,2}[号日])?"
    r"|下学期|明年|\d{1,2}月\d{1,2}[日号]?|[一二三四五六七八九十]+月[一二三四五六七八九十]+[日号]?"
    r"|\d{1,2}[号日]|[一二三四五六七八九十]{1,3}号)"
)
_WHAT = (
    r"(?:体检|考试|面试|答辩|手术|复查|出差|旅行|旅游|度假|搬家|结婚|婚礼|办婚礼|订婚|领证|生日"
    r"|开学|毕业|入职|离职|演唱会|音乐会|话剧|比赛|马拉松|开庭|签证|签约|上线|到期|截止|产检"
    r"|预产期|满月|聚会|年会|开会|汇报|发布会|"
    r"去[\u4e00-\u9fff]{2,8}|飞[\u4e00-\u9fff]{2,6}|回老家|到[\u4e00-\u9fff]{2,6}(?:出差|玩"
    r"|旅游)|约了|见[\u4e00-\u9fff]{1,6}|上[\u4e00-\u9fff]{0,3}课|看(?:牙|医生|展|演出|壁画))"
)
_ASKS = re.compile(r"提醒|帮我?|查|订个|安排一下|天气|怎么|吧$|要不|推荐|写|去不去|能不能|下班|出门要")
_CLOCK = (
    r"(?:早上|上午|中午|下午|傍晚|晚上|凌晨)?(?:[一二两三四五六七八九十]{1,3}|\d{1,2})"
    r"(?:点(?:半|一刻|三刻|整|[一二三四五六七八九十\d]{1,3}分?)?|[:：]\d{2})"
)
_WISHES = re.compile(rf"{_ASKS.pattern}|叫我|叫醒|喊我|闹钟|给我|记得|你|请|能|吗|可以|前(?:交|发|给|完成)|睡|起床|下雨|降温|停")
_DAY, _HOUR = r"(?:tomorrow|next \w+day|on \w+day)", r"(?:\d{1,2}(?::\d{2})? ?(?:am|pm)?|noon)"
_FOR_YOU = re.compile(r"\b(?:remind|wake|alarm|please|you|set|call me|need|rain|weather|by|due)\b")

RULES: tuple[Rule, ...] = (
    Rule(
        "日程",
        re.compile(rf"^(?P<value>(?:我(?:们)?)?(?:要|得|会|在|打算|准备|的|定在)?{_WHEN}[^,，]{{0,12}}?{_WHAT}[^,，]{{0,20}})$"),
        "event",
        lambda parts: f"日程/{parts['value']}",
        lasting=True,
        refuse=_ASKS,
    ),
    Rule(
        "行程",
        re.compile(rf"^(?P<value>我(?:们)?[^,，]{{0,10}}?{_WHEN}[^,，]{{0,10}}?(?:要|得|会)[^,，]{{2,24}})$"),
        "event",
        lambda parts: f"日程/{parts['value']}",
        lasting=True,
        refuse=_ASKS,
    ),
    Rule(
        "定点",
        re.compile(
            rf"^(?P<value>(?:我(?:们)?)?(?:要|得|会|约了|在|的|定在)?{_WHEN}{_CLOCK}(?:我(?:们)?)?(?:要|得|会|去|约了)?"
            r"[\u4e00-\u9fff]{2,10})$"
        ),
        "event",
        lambda parts: f"日程/{parts['value']}",
        lasting=True,
        refuse=_WISHES,
    ),
    Rule(
        "at an hour",
        re.compile(
            r"^(?P<value>(?:i have |i've got |my )?(?:an? |the )?[a-z][a-z'-]*(?: [a-z][a-z'-]*){0,3} "
            rf"(?:(?:is )?{_DAY}(?: morning| afternoon| evening)? at {_HOUR}|(?:is )?at {_HOUR} {_DAY}))$"
        ),
        "event",
        lambda parts: f"日程/{parts['value']}",
        lasting=True,
        refuse=_FOR_YOU,
    ),
    Rule(
        "appointment",
        re.compile(
            r"^(?P<value>(?:i|we)(?:'m|'re| am| are|'ve got| have| have got| got)? (?:flying|travelling"
            r"|traveling|moving|going|getting married|an? (?:\w+ )?(?:appointment|exam|interview|surgery"
            r"|flight|trip|wedding|checkup|check-up))\b[^?]{0,60}\b(?:tomorrow|next (?:week|month|year"
            r"|\w+day)|on (?:the )?\d{1,2}\w*(?: \w+)?|on \w+ \d{1,2}\w*|in (?:january|february|march"
            r"|april|may|june|july|august|september|october|november|december))\b[^?]{0,30})$"
        ),
        "event",
        lambda parts: f"日程/{parts['value']}",
        lasting=True,
        refuse=re.compile(r"\bremind\b"),
    ),
)
"""Read after all other rules: a fixed slot is worth more than a diary entry."""
