"""Relative days in a statement, resolved against the turn's own time (never against now), so that "明天" is still right later."""

from __future__ import annotations

import re
from datetime import date, timedelta

_DAYS = {
    "大后天": 3,
    "后天": 2,
    "明天": 1,
    "明早": 1,
    "明晚": 1,
    "明日": 1,
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "昨日": -1,
    "今天": 0,
    "今晚": 0,
    "今早": 0,
}
_DAYS_EN = {"day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0}
_DAY = re.compile("|".join([*_DAYS, *(rf"\b{name}\b" for name in _DAYS_EN)]))
_WEEK = re.compile(r"(?P<which>上上|下下|上个?|下个?|这个?|本)(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?")
_WEEK_EN = re.compile(r"\b(?P<which>last|next|this) (?P<day>week|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b")
_MONTH = re.compile(r"(?P<which>上个?|下个?|这个?|本)月(?:(?P<day>\d{1,2})[号日])?|\b(?P<which_en>last|next) month\b")
_YEAR = re.compile(r"(?P<which>去年|前年|明年|后年)|\b(?P<which_en>last|next) year\b")
_WEEKDAYS = {name: i for i, name in enumerate("一二三四五六日")} | {"天": 6, "末": 5}
_WEEKDAYS_EN = {name: i for i, name in enumerate(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])}
_STEP = {"上上": -2, "下下": 2, "上": -1, "上个": -1, "下": 1, "下个": 1, "这": 0, "这个": 0, "本": 0, "last": -1, "next": 1, "this": 0}
_YEARS = {"去年": -1, "前年": -2, "明年": 1, "后年": 2, "last": -1, "next": 1}
SETTLED = re.compile(r"\d{1,2}月\d{1,2}[日号]?|[一二三四五六七八九十]+月[一二三四五六七八九十]+[日号]|\d{4}-\d{1,2}-\d{1,2}")
"""A day that needs no resolving."""


def absolute(mirrored: str, day: date) -> str | None:
    """The first relative date of a text as an ISO date, week ("2023-05-01 – 2023-05-07"), month or year.

    ``day`` is the turn's own, in the user's zone.
    """
    if hit := _DAY.search(mirrored):
        return (day + timedelta({**_DAYS, **_DAYS_EN}[hit.group()])).isoformat()
    monday = day - timedelta(day.weekday())
    if hit := _WEEK.search(mirrored):
        return _in_week(monday + timedelta(7 * _STEP[hit["which"]]), _WEEKDAYS.get(hit["day"] or ""))
    if hit := _WEEK_EN.search(mirrored):
        if hit["day"] == "week":
            return _in_week(monday + timedelta(7 * _STEP[hit["which"]]), None)
        return _weekday_en(day, _WEEKDAYS_EN[hit["day"]], hit["which"])
    if hit := _MONTH.search(mirrored):
        return _month(day, _STEP[hit["which"] or hit["which_en"]], hit["day"])
    if hit := _YEAR.search(mirrored):
        return str(day.year + _YEARS[hit["which"] or hit["which_en"]])
    return None


def _in_week(monday: date, weekday: int | None) -> str:
    return (monday + timedelta(weekday)).isoformat() if weekday is not None else f"{monday} – {monday + timedelta(6)}"


def _weekday_en(day: date, weekday: int, which: str) -> str:
    ahead = (weekday - day.weekday()) % 7
    if which == "last":
        return (day - timedelta((day.weekday() - weekday) % 7 or 7)).isoformat()
    return (day + timedelta(ahead or (7 if which == "next" else 0))).isoformat()


def _month(day: date, step: int, of_month: str | None) -> str:
    months = day.year * 12 + day.month - 1 + step
    month = f"{months // 12}-{months % 12 + 1:02d}"
    return f"{month}-{int(of_month):02d}" if of_month else month
