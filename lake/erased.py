"""Who was erased, by a hash of the name: a backup that is restored later doesn't bring them back (R31)."""

from __future__ import annotations

import json
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from lake.durable import changing, replace_text

FILE = "erased.json"


def mark_of(*names: str) -> str:
    """A hash by which a name is known again and not told."""
    return blake2b("\x00".join(names).encode("utf-8", "surrogatepass"), digest_size=16, person=b"laoma-erased").hexdigest()


def note_erased(home: Path, user: str, at: datetime) -> None:
    """Remember that a user was erased, durably."""
    path = home / FILE
    with changing(path):
        known = _read(path)
        replace_text(path, json.dumps(known | {mark_of(user): at.isoformat()}, indent=1))


def erased_since(home: Path, at: datetime) -> set[str]:
    """The marks of those who were erased after ``at``."""
    return {mark for mark, when in _read(home / FILE).items() if datetime.fromisoformat(when) > at}


def _read(path: Path) -> dict[str, str]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}
