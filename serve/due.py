"""When a cron expression is due in a time zone (E16). Both ways of looking agree, so that no run is missed or doubled.

The expression speaks of the clock on the wall. An hour that the zone skips in spring is run right after the gap; one that it has twice
in autumn is run the first time.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter

_GAP = timedelta(hours=3)
"""No zone skips or repeats more at once."""


def last_due(cron: str, zone: ZoneInfo, now: datetime) -> datetime:
    """The latest moment at or before ``now``, in UTC."""
    return next(at for at in _backwards(cron, zone, now) if at <= now)


def next_due(cron: str, zone: ZoneInfo, now: datetime) -> datetime:
    """The first moment after ``now``, in UTC."""
    walk = croniter(cron, _wall(now, zone) - _GAP)
    while (at := _moment(walk.get_next(datetime), zone)) <= now:
        pass
    return at


def _backwards(cron: str, zone: ZoneInfo, now: datetime) -> Iterator[datetime]:
    walk = croniter(cron, _wall(now, zone) + _GAP)
    while True:
        yield _moment(walk.get_prev(datetime), zone)


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def _moment(wall: datetime, zone: ZoneInfo) -> datetime:
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
