"""Who is signed in: a signed cookie that names a key, and a token that only our own pages know.

A session ends with its key (`laoma key revoke`), by signing out, or after ``panel.session_days``. The secret that signs lies in the
home (0600).
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from itsdangerous import BadSignature, URLSafeSerializer, URLSafeTimedSerializer

from lake.durable import changing, replace_text
from serve.keys import Key, KeyRing

COOKIE = "laoma_panel"
_DAY_S = 86_400


@dataclass(frozen=True)
class Session:
    """A signed-in browser: the key it stands for, and the token that its forms must carry."""

    key: Key
    csrf: str


class Sessions:
    """Makes and reads the cookie."""

    def __init__(self, home: Path, keys: KeyRing, days: float) -> None:
        secret = _secret(home / "panel.secret")
        self._keys = keys
        self._max_age_s = int(days * _DAY_S)
        self._cookie = URLSafeTimedSerializer(secret, salt="panel-session")
        self._csrf = URLSafeSerializer(secret, salt="panel-csrf")

    @property
    def max_age_s(self) -> int:
        """How long a cookie holds, seconds."""
        return self._max_age_s

    def open(self, key_id: str) -> str | None:
        """The cookie's value for a new session; None where the key is no longer valid."""
        return self._cookie.dumps([key_id, secrets.token_hex(8)]) if self._keys.valid(key_id) else None

    def read(self, cookie: str | None) -> Session | None:
        """The session of a cookie, while its key is valid."""
        try:
            key_id, nonce = self._cookie.loads(cookie or "", max_age=self._max_age_s)
        except (BadSignature, TypeError, ValueError):
            return None
        key = self._keys.valid(key_id)
        return Session(key, str(self._csrf.dumps(nonce))) if key else None

    @staticmethod
    def proves(session: Session, token: str | None) -> bool:
        """Whether a form came from a page of this session."""
        return hmac.compare_digest(session.csrf.encode(), (token or "").encode("utf-8", "replace"))


def _secret(path: Path) -> str:
    with changing(path):
        if not path.exists():
            replace_text(path, secrets.token_urlsafe(32))
        return path.read_text(encoding="utf-8")
