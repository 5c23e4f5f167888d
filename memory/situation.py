"""Time of day and weekday: which of two habits is the one for now (R21)."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.normalise import mirror

_PARTS: tuple[tuple[range, re.Pattern[str]], ...] = (
    (range(5, 11), re.compile(r"早上|早晨|清晨|清早|上午|早餐|早饭|起床|\bmornings?\b|\bbreakfasts?\b")),
    (range(11, 14), re.compile(r"中午|午饭|午餐|午休|\bnoon\b|\blunch")),
    (range(13, 18), re.compile(r"下午|午后|\bafternoons?\b")),
    (range(17, 24), re.compile(r"晚上|傍晚|夜里|深夜|晚饭|晚餐|睡前|\b(?:evenings?|nights?|dinners?|supper|bedtime|tonight)\b")),
    (range(0, 5), re.compile(r"夜里|深夜|半夜|凌晨|\bnights?\b|\bmidnight\b|\btonight\b")),
)  # fmt: skip
_WORKDAYS = re.compile(r"工作日|上班|\bweekdays?\b|\bworkdays?\b")
_WEEKEND = re.compile(r"周末|双休|\bweekends?\b")
_DAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])|\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b")
_HAN_DAYS = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6}
_LATIN_DAYS = {name: number for number, name in enumerate(("mon", "tues", "wednes", "thurs", "fri", "satur", "sun"))}


def names_a_time(text: str) -> bool:
    """Whether a text names a time of day, a weekday or the weekend: then that counts, not the present."""
    hours, days = _named(text)
    return hours is not None or days is not None


def fit(text: str, at: datetime, zone: ZoneInfo) -> int:
    """1 where a text names a time of day or weekday that it is now, -1 where it names others alone, 0 where it names none."""
    hours, days = _named(text)
    if hours is None and days is None:
        return 0
    now = at.astimezone(zone)
    return 1 if (hours is None or now.hour in hours) and (days is None or now.weekday() in days) else -1


def _named(text: str) -> tuple[set[int] | None, set[int] | None]:
    """The hours and the weekdays (Monday is 0) that a text names; None: none."""
    plain = mirror(text)
    hours = {hour for span, pattern in _PARTS if pattern.search(plain) for hour in span}
    days = {_HAN_DAYS[han] if han else _LATIN_DAYS[latin] for han, latin in _DAY.findall(plain)}
    days |= set(range(5)) if _WORKDAYS.search(plain) else set()
    days |= {5, 6} if _WEEKEND.search(plain) else set()
    return hours or None, days or None
