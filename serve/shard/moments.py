"""A user's time: it goes on although the machine's clock is set back, so that what was said later is stored as later."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

TICK = timedelta(microseconds=1)


class Moments:
    """Moments that only go forward, a microsecond at least from one that was taken to the next.

    ``leeway``: a clock that goes back by more than this was wrong before and is right now, so it is followed. Times that a client
    gives are none of ours: they are stored as they are, and those ahead of the clock push nobody's time forward.
    """

    def __init__(self, clock: Callable[[], datetime], leeway: timedelta) -> None:
        self._clock = clock
        self._leeway = leeway
        self._latest: datetime | None = None

    def resume(self, stored: Iterable[datetime]) -> None:
        """Begin behind the times of rows that an earlier process stored, those within the leeway."""
        bound = self._clock() + self._leeway
        self._latest = max((at for at in stored if at <= bound), default=None)

    def now(self, at: datetime | None = None) -> datetime:
        """The present, or what the clock said a moment ago (``at``): never earlier than a moment that was taken."""
        at = at or self._clock()
        return max(at, self._latest) if self._latest is not None and self._latest - at <= self._leeway else at

    def take(self, at: datetime | None = None, count: int = 1) -> datetime:
        """The first of ``count`` moments, a :data:`TICK` apart, for rows to be stored; ``at`` is the clock's word where it was asked
        elsewhere already."""
        first = at or self._clock()
        if self._latest is not None and timedelta(0) <= self._latest - first <= self._leeway:
            first = self._latest + TICK
        self._latest = first + (count - 1) * TICK
        return first
