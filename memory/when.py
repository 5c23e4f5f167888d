"""Times that a text speaks of, resolved against the time and zone of who speaks: Chinese and English."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo

from memory import when_chinese, when_english


@dataclass(frozen=True, slots=True)
class Interval:
    """``since`` inclusive, ``until`` exclusive, both zone-aware; ``text`` is what was said, ``start`` where in the (NFKC-folded) text."""

    since: datetime
    until: datetime
    text: str
    start: int


def times_in(text: str, at: datetime, zone: tzinfo) -> list[Interval]:
    """The times that ``text`` speaks of, said at ``at`` by someone in ``zone``, in the order of the text; whole days of that zone.

    A date without a year is the likeliest one, rather past than coming. What is no date ("2月31日") is left out.
    """
    rest = unicodedata.normalize("NFKC", text)
    today = at.astimezone(zone).date()
    found = []
    for pattern, reading in (*when_chinese.READINGS, *when_english.READINGS):
        for match in pattern.finditer(rest):
            span = reading(match, today)
            if span is not None:
                found.append(Interval(_midnight(span[0], zone), _midnight(span[1], zone), match[0], match.start()))
        rest = pattern.sub(lambda match: "\n" * len(match[0]), rest)
    return sorted(found, key=lambda interval: interval.start)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, tzinfo=zone)
