"""Chinese time expressions: 12月5日, 上周三, 去年夏天, 三天前."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from memory.days import (
    Span,
    day_span,
    exact_day,
    last_weekday,
    month_span,
    nearest_day,
    nearest_day_of_month,
    nearest_month,
    part_of_month,
    season_span,
    shifted,
    weekday_of_week,
    weekend_span,
    year_span,
)

Reading = Callable[[re.Match[str], date], Span | None]

_N = r"(?:\d{1,4}|[一二两三四五六七八九十]{1,3})"
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_YEARS = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}
_DAYS = {"大前天": -3, "前天": -2, "前日": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "今天": 0, "今日": 0, "今早": 0, "今晚": 0,
         "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "大后天": 3, "后天": 2}  # fmt: skip
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "1": 0, "2": 1, "3": 2, "4": 3, "5": 4, "6": 5, "7": 6}
_PARTS = {"上旬": 0, "初": 0, "中旬": 1, "下旬": 2, "底": 2, "末": 2}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}


def number(text: str) -> int:
    """The value of digits or of Chinese numerals up to 99."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if ten:
        return (_DIGITS.get(tens, 1) if tens else 1) * 10 + (_DIGITS.get(ones, 0) if ones else 0)
    return int("".join(str(_DIGITS[char]) for char in text))


def _date(match: re.Match[str], today: date) -> Span | None:
    """Year (said, relative or none), month, and a day or part of the month (or neither)."""
    month, day, part = number(match["month"]), match["day"], match["part"]
    if not 1 <= month <= 12:
        return None
    year = _year(match, today)
    if day:
        return exact_day(year, month, number(day)) if year else nearest_day(today, month, number(day))
    span = month_span(year, month) if year else nearest_month(today, month)
    return part_of_month(span, _PARTS[part]) if span and part else span


def _year(match: re.Match[str], today: date) -> int | None:
    if match["year"]:
        said = int(match["year"]) if match["year"].isdigit() else number(match["year"])
        return said + 2000 if said < 100 else said
    return today.year + _YEARS[match["relative"]] if match["relative"] else None


def _season(match: re.Match[str], today: date) -> Span | None:
    year = _year(match, today)
    if year is None:
        year = today.year if _SEASONS[match["season"]] != "winter" and today.month >= 3 else today.year - 1
    return season_span(year, _SEASONS[match["season"]])


def _only_year(match: re.Match[str], today: date) -> Span | None:
    year = _year(match, today)
    return year_span(year) if year else None


def _month(match: re.Match[str], today: date) -> Span | None:
    span = shifted(today, _steps(match["steps"]), "month")
    if span and match["day"]:
        return exact_day(span[0].year, span[0].month, number(match["day"]))
    return part_of_month(span, _PARTS[match["part"]]) if span and match["part"] else span


def _week(match: re.Match[str], today: date) -> Span | None:
    weeks = _steps(match["steps"])
    if match["day"]:
        return weekday_of_week(today, weeks, _WEEKDAYS[match["day"]])
    return weekend_span(today + timedelta(days=7 * weeks)) if match["end"] else shifted(today, weeks, "week")


def _steps(text: str) -> int:
    return text.count("下") - text.count("上")


def _ago(match: re.Match[str], today: date) -> Span | None:
    return shifted(today, -number(match["count"]), _UNITS[match["unit"]])


_YEAR = r"(?:(?P<year>\d{4}|\d{2}|[零〇一二三四五六七八九]{4})年|(?P<relative>大前|前|去|今|本|明|后)年)"
READINGS: tuple[tuple[re.Pattern[str], Reading], ...] = (
    (re.compile(rf"(?:{_YEAR}的?)?(?P<month>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})月(?:份)?的?"
                rf"(?:(?P<day>{_N})(?:日|号)|(?P<part>上旬|中旬|下旬|初|底|末))?"), _date),
    (re.compile(rf"{_YEAR}的?(?P<season>[春夏秋冬])[天季]?"), _season),
    (re.compile(_YEAR), _only_year),
    (re.compile(rf"(?P<steps>上+|这|本|下+)个?月(?:(?P<day>{_N})(?:日|号)|(?P<part>上旬|中旬|下旬|初|底|末))?"), _month),
    (re.compile(r"(?P<steps>上+|这|本|下+)个?(?:周|星期|礼拜)(?:(?P<day>[一二三四五六日天1-7])|(?P<end>末))?"), _week),
    (re.compile(rf"(?P<count>{_N})(?:个)?(?P<unit>天|日|周|星期|礼拜|月|年)(?:以)?前"), _ago),
    (re.compile("|".join(sorted(_DAYS, key=len, reverse=True))), lambda match, today: day_span(today + timedelta(days=_DAYS[match[0]]))),
    (re.compile(r"(?:周|星期|礼拜)(?P<day>[一二三四五六日天])"), lambda match, today: last_weekday(today, _WEEKDAYS[match["day"]])),
    (re.compile(rf"(?<![\d一二三四五六七八九十第])(?P<day>{_N})号(?![楼线院门馆])"),
     lambda match, today: nearest_day_of_month(today, number(match["day"]))),
)  # fmt: skip
"""What is looked for, the most telling first, and how a match is read on a day."""
