"""Spans of whole days on the calendar, half-open: what "last week" or "去年夏天" means seen from a day."""

from __future__ import annotations

from datetime import date, timedelta

Span = tuple[date, date]
"""From the first day up to, not including, the second."""

_FUTURE_COSTS = 4
"""A date without a year is more likely past than coming: a day ahead counts as this many back."""
_SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def day_span(day: date) -> Span:
    """One day."""
    return day, day + timedelta(days=1)


def week_span(day: date) -> Span:
    """Monday to Sunday around a day."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=7)


def weekend_span(day: date) -> Span:
    """Saturday and Sunday of the week around a day."""
    monday, _ = week_span(day)
    return monday + timedelta(days=5), monday + timedelta(days=7)


def month_span(year: int, month: int) -> Span | None:
    """One month; months beyond 1-12 carry over into other years. None outside the calendar."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if not 1 <= year < 9999:
        return None
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def year_span(year: int) -> Span | None:
    """One year."""
    return (date(year, 1, 1), date(year + 1, 1, 1)) if 1 <= year < 9999 else None


def season_span(year: int, season: str) -> Span | None:
    """Spring (from March), summer, autumn or winter (December of ``year`` to February after), three whole months."""
    first = month_span(year, _SEASON_STARTS[season])
    last = month_span(year, _SEASON_STARTS[season] + 2)
    return (first[0], last[1]) if first and last else None


def part_of_month(span: Span, part: int) -> Span:
    """The first (0), middle (1) or last (2) ten days of a month."""
    first = span[0]
    if part == 2:
        return first + timedelta(days=20), span[1]
    return first + timedelta(days=10 * part), first + timedelta(days=10 * part + 10)


def exact_day(year: int, month: int, day: int) -> Span | None:
    """A day of the calendar, None where there is none such."""
    try:
        return day_span(date(year, month, day))
    except ValueError:
        return None


def nearest_day(today: date, month: int, day: int) -> Span | None:
    """The day without a year that is most likely meant."""
    return _nearest(today, [exact_day(today.year + shift, month, day) for shift in (-4, -3, -2, -1, 0, 1)])


def nearest_month(today: date, month: int) -> Span | None:
    """The month without a year that is most likely meant."""
    return _nearest(today, [month_span(today.year + shift, month) for shift in (-1, 0, 1)])


def nearest_day_of_month(today: date, day: int) -> Span | None:
    """The "5th" that is most likely meant: of this month, the one before or after."""
    months = (month_span(today.year, today.month + shift) for shift in (-1, 0, 1))
    return _nearest(today, [exact_day(span[0].year, span[0].month, day) for span in months if span])


def last_weekday(today: date, weekday: int) -> Span:
    """The latest such weekday before today (Monday 0)."""
    return day_span(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))


def weekday_of_week(today: date, weeks: int, weekday: int) -> Span:
    """A weekday (Monday 0) of the week that lies ``weeks`` from this one."""
    return day_span(week_span(today)[0] + timedelta(days=7 * weeks + weekday))


def shifted(today: date, count: int, unit: str) -> Span | None:
    """The day, week, month or year that lies ``count`` of them from today's (negative: before)."""
    if abs(count) > 9999:
        return None
    try:
        if unit == "day":
            return day_span(today + timedelta(days=count))
        if unit == "week":
            return week_span(today + timedelta(days=7 * count))
    except OverflowError:
        return None
    return month_span(today.year, today.month + count) if unit == "month" else year_span(today.year + count)


def _nearest(today: date, spans: list[Span | None]) -> Span | None:
    known = [span for span in spans if span is not None]
    return min(known, key=lambda span: _distance(today, span), default=None)


def _distance(today: date, span: Span) -> int:
    if span[0] > today:
        return (span[0] - today).days * _FUTURE_COSTS
    return max((today - span[1]).days + 1, 0)
