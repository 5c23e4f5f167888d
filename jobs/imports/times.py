"""Times as exports write them. What can't be read for certain is None, never now and never 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

_MILLISECONDS_FROM = 1e11
"""A number this large counts milliseconds: in seconds it would be the year 5138."""
_FIRST, _LAST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_CLOCK = r"(?P<half>上午|下午|凌晨|中午|晚上)?\s*(?P<h>\d{1,2}):(?P<mi>\d{2})(?::(?P<s>\d{2}))?\s*(?P<ap>[AaPp]\.?[Mm]\.?)?"
_YEAR_FIRST = re.compile(rf"^(?P<y>\d{{4}})[-/.年](?P<m>\d{{1,2}})[-/.月](?P<d>\d{{1,2}})日?[,，]?\s*{_CLOCK}$")
_YEAR_LAST = re.compile(rf"^(?P<a>\d{{1,2}})(?P<sep>[-/.])(?P<b>\d{{1,2}})(?P=sep)(?P<y>\d{{4}})[,，]?\s*{_CLOCK}$")


def unix(value: Any) -> datetime | None:
    """Seconds or milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        return None
    seconds = value / 1000 if value >= _MILLISECONDS_FROM else value
    try:
        return _plausible(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))
    except OverflowError:
        return None


def iso(value: Any, zone: tzinfo | None = None) -> datetime | None:
    """An ISO 8601 time; one without an offset is read in ``zone``, or not at all."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        if zone is None or len(value.strip()) <= len("2024-01-01"):
            return None
        moment = moment.replace(tzinfo=zone)
    return _plausible(moment)


def any_time(value: Any, zone: tzinfo) -> datetime | None:
    """A number, a number in a string, an ISO time, or a local one as people's machines write it (:func:`local`)."""
    if isinstance(value, str) and re.fullmatch(r"\d{9,13}(?:\.\d+)?", value.strip()):
        value = float(value)
    return unix(value) or iso(value, zone) or local(value, zone)


def local(value: Any, zone: tzinfo) -> datetime | None:
    """What ``toLocaleString()`` gives in Chinese and English: "2024/3/5 下午2:03:30", "3/6/2024, 9:15:00 PM".

    Month and day of "05/03/2024, 14:03" can't be told apart: None, unless one is over 12, both are equal, or a capital AM or PM
    (en-US) says which comes first.
    """
    if not isinstance(value, str):
        return None
    text = value.replace("\u202f", " ").strip()
    if hit := _YEAR_FIRST.match(text):
        return _moment(hit, int(hit["m"]), int(hit["d"]), zone)
    if not (hit := _YEAR_LAST.match(text)):
        return None
    first, second = int(hit["a"]), int(hit["b"])
    american = (hit["ap"] or "").isupper() and hit["sep"] == "/"
    if american or second > 12 or first == second:
        return _moment(hit, first, second, zone)
    if first > 12 or hit["sep"] == ".":
        return _moment(hit, second, first, zone)
    return None


def _moment(hit: re.Match[str], month: int, day: int, zone: tzinfo) -> datetime | None:
    hour = int(hit["h"])
    half = "pm" if hit["half"] in ("下午", "晚上") or (hit["half"] == "中午" and hour < 11) else (hit["ap"] or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    elif (half == "am" or hit["half"] in ("上午", "凌晨")) and hour == 12:
        hour = 0
    try:
        return _plausible(datetime(int(hit["y"]), month, day, hour, int(hit["mi"]), int(hit["s"] or 0), tzinfo=zone))
    except ValueError:
        return None


def _plausible(moment: datetime) -> datetime | None:
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        return None
    return moment if _FIRST <= moment < _LAST else None
