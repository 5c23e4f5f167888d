"""One-time codes to sign in with. They live in this process only: a restart makes them worthless, which is what a lost link should be."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

_AT_MOST = 256


class SignInLinks:
    """Codes that are not yet used, by their hash; the oldest leave when there are too many."""

    def __init__(self, now: Callable[[], datetime], minutes: float) -> None:
        self._now = now
        self._span = timedelta(minutes=minutes)
        self._open: dict[str, tuple[str, datetime]] = {}

    def create(self, key_id: str) -> tuple[str, datetime]:
        """A code that signs in as the holder of a key, and when it expires."""
        code = secrets.token_urlsafe(24)
        expires = self._now() + self._span
        while len(self._open) >= _AT_MOST:
            del self._open[next(iter(self._open))]
        self._open[_digest(code)] = (key_id, expires)
        return code, expires

    def redeem(self, code: str) -> str | None:
        """The key's id, once; None for a code that is unknown, used or too old."""
        key_id, expires = self._open.pop(_digest(code), (None, self._now()))
        return key_id if self._now() < expires else None


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
