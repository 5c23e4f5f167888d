"""API keys: hashed at rest, each with its user and roles.

A key is 256 random bits, so one SHA-256 is enough at rest: there is nothing to guess. Compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from lake.durable import changing, replace_text
from memory.privacy import redact
from schemas.errors import InvalidRequest, LaomaError, NotFound
from serve.unicode import has_text, whole

Role = Literal["user", "admin", "delegate"]
OWNER = "owner"
_PREFIX = "laoma-"


class Key(BaseModel):
    """A key as stored; ``id`` is safe to show, the key itself is not kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    user: str
    roles: list[Role]
    label: str = ""
    digest: str
    created_at: datetime
    revoked_at: datetime | None = None


class KeyRing:
    """The keys of one home, in ``keys.json`` (0600). Reads follow changes that another process made, changes wait for one another."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._keys: list[Key] = []

    def create(self, user: str, roles: list[Role] | None = None, *, label: str = "") -> str:
        """A new key for ``user``, returned once; only its hash is stored."""
        user, label = whole(unicodedata.normalize("NFC", user)).strip(), whole(label).strip()
        if not has_text(user) or "/" in user or len(user) > 100 or not user.isprintable():
            raise InvalidRequest("A user name is 1-100 printable characters without '/'.", param="user")
        if redact(user).never:
            raise InvalidRequest("This user name looks like a secret or an identity number: choose another.", param="user")
        key = _PREFIX + secrets.token_urlsafe(32)
        row = Key(
            id=secrets.token_hex(4),
            user=user,
            roles=roles or ["user"],
            label=redact(label).text,
            digest=_digest(key),
            created_at=datetime.now(UTC),
        )
        with changing(self._path):
            self._write([*self.entries(), row])
        return key

    def entries(self) -> list[Key]:
        """All keys, revoked ones too, oldest first."""
        self._refresh()
        return list(self._keys)

    def revoke(self, id: str) -> None:
        """From now on the key opens nothing. Raises NotFound."""
        with changing(self._path):
            keys = self.entries()
            if not any(key.id == id and key.revoked_at is None for key in keys):
                raise NotFound(f"No valid key {id!r}: `laoma key list` shows them.", param="id")
            now = datetime.now(UTC)
            self._write([key.model_copy(update={"revoked_at": now}) if key.id == id else key for key in keys])

    def find(self, presented: str) -> Key | None:
        """The valid key that was presented, or None."""
        self._refresh()
        digest = _digest(presented)
        found = None
        for key in self._keys:
            if hmac.compare_digest(key.digest, digest) and key.revoked_at is None:
                found = key
        return found

    def valid(self, id: str) -> Key | None:
        """The key of this id while it opens anything, or None."""
        self._refresh()
        return next((key for key in self._keys if key.id == id and key.revoked_at is None), None)

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self._keys, self._stamp = [], None
            return
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp == self._stamp:
            return
        try:
            self._keys = [Key.model_validate(row) for row in json.loads(self._path.read_text(encoding="utf-8"))]
        except ValueError as error:
            raise LaomaError(
                f"{self._path} is damaged ({str(error).splitlines()[0]}): restore it from a backup.", code="bad_keys"
            ) from None
        self._stamp = stamp

    def _write(self, keys: list[Key]) -> None:
        replace_text(self._path, json.dumps([key.model_dump(mode="json") for key in keys], ensure_ascii=False, indent=1))
        self._refresh()


def ensure_owner(home: Path) -> str | None:
    """The owner's new key at the first start, else None. A copy lies in ``owner.key`` (0600) for the command line."""
    ring, copy = KeyRing(home / "keys.json"), home / "owner.key"
    with changing(copy):
        if any(key.user == OWNER and "admin" in key.roles and key.revoked_at is None for key in ring.entries()):
            return None
        key = ring.create(OWNER, ["user", "admin"], label="first start")
        replace_text(copy, key + "\n")
        return key


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
