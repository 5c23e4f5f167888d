"""English time expressions: 8 May 2023, last March, two weeks ago, the summer of 2022."""

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
    nearest_month,
    season_span,
    shifted,
    weekday_of_week,
    weekend_span,
    year_span,
)

Reading = Callable[[re.Match[str], date], Span | None]

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
            "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}  # fmt: skip
_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}


def _date(match: re.Match[str], today: date) -> Span | None:
    month, day = _month_number(match["month"]), int(match["day"])
    return exact_day(int(match["year"]), month, day) if match["year"] else nearest_day(today, month, day)


def _month_of_year(match: re.Match[str], today: date) -> Span | None:
    return month_span(int(match["year"]), _month_number(match["month"]))


def _relative_month(match: re.Match[str], today: date) -> Span | None:
    """ "last March": the latest one that is over or running before this month; "next March" the first one ahead; else the nearest."""
    month, how = _month_number(match["month"]), match["how"].lower()
    if how in ("last", "past", "previous"):
        return month_span(today.year - (month >= today.month), month)
    if how == "next":
        return month_span(today.year + (month <= today.month), month)
    return month_span(today.year, month) if how == "this" else nearest_month(today, month)


def _season(match: re.Match[str], today: date) -> Span | None:
    season = match["season"].lower().replace("fall", "autumn")
    if match["year"]:
        return season_span(int(match["year"]), season)
    spans = [season_span(today.year + shift, season) for shift in (-2, -1, 0, 1)]
    over = [span for span in spans if span and span[1] <= today]
    ahead = [span for span in spans if span and span[1] > today]
    how = (match["how"] or "last").lower()
    if how == "this":
        return season_span(today.year, season)
    return next(span for span in ahead if span[0] > today) if how == "next" else over[-1]


def _relative_period(match: re.Match[str], today: date) -> Span | None:
    steps, unit = _STEPS[match["how"].lower()], match["unit"].lower()
    if unit == "weekend":
        return weekend_span(today + timedelta(days=7 * steps))
    return day_span(today + timedelta(days=steps)) if unit == "night" else shifted(today, steps, unit)


def _relative_weekday(match: re.Match[str], today: date) -> Span | None:
    weekday, how = _WEEKDAYS.index(match["weekday"].lower()), match["how"].lower()
    if how in ("this", "next"):
        return weekday_of_week(today, _STEPS[how], weekday)
    return last_weekday(today, weekday)


def _ago(match: re.Match[str], today: date) -> Span | None:
    said = " ".join(match["count"].lower().split())
    return shifted(today, -(int(said) if said.isdigit() else _NUMBERS[said]), match["unit"].lower())


def _iso(match: re.Match[str], today: date) -> Span | None:
    return exact_day(int(match["year"]), int(match["month"]), int(match["day"]))


def _month_number(name: str) -> int:
    return next(i for i, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower().rstrip(".")[:3]))


_M = r"(?P<month>Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|"
_M += r"Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
_D = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_Y = r"(?P<year>(?:19|20)\d\d)"
_W = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_COUNT = r"(?P<count>\d{1,3}|a couple of|couple of|a few|few|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_HOW = r"(?P<how>last|past|previous|this|next)"


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


READINGS: tuple[tuple[re.Pattern[str], Reading], ...] = (
    (re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"), _iso),
    (_words(rf"{_D} (?:of )?{_M}(?:,? {_Y})?"), _date),
    (_words(rf"{_M} {_D}(?:,? {_Y})?"), _date),
    (_words(rf"{_M},? (?:of )?{_Y}"), _month_of_year),
    (_words(rf"(?P<how>last|past|previous|this|next|in|during|since|early|late|mid) {_M}"), _relative_month),
    (_words(rf"{_HOW} (?P<season>spring|summer|fall|autumn|winter)(?P<year>\b)"), _season),
    (_words(rf"(?P<how>)(?P<season>spring|summer|fall|autumn|winter) (?:of |in )?{_Y}"), _season),
    (_words(rf"(?:in|during|of|since|year) {_Y}"), lambda match, today: year_span(int(match["year"]))),
    (_words(rf"{_HOW} (?P<unit>weekend|week|month|year|night)"), _relative_period),
    (_words(rf"(?P<how>last|past|previous|this|next|on) {_W}"), _relative_weekday),
    (_words(rf"{_COUNT} (?P<unit>day|week|month|year)s? ago"), _ago),
    (_words("the day before yesterday"), lambda match, today: day_span(today - timedelta(days=2))),
    (_words("yesterday"), lambda match, today: day_span(today - timedelta(days=1))),
    (_words("today|tonight"), lambda match, today: day_span(today)),
    (_words("tomorrow"), lambda match, today: day_span(today + timedelta(days=1))),
)
"""What is looked for, the most telling first, and how a match is read on a day."""
