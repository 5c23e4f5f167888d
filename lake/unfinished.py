"""Files outside the home that are being written: noted in the home first, so that what a kill leaves of one is found and removed.

A half backup holds what everybody said, under a name that nothing else knows.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lake.durable import changing, replace_text

NOTES = "unfinished.json"


@contextmanager
def drafting(home: Path, target: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A new private file beside ``target`` to write, and its path; gone at the end unless it took another name. Raises OSError."""
    draft = target.absolute().with_name(f".{target.name}.{os.getpid()}.part")
    _change(home, lambda known: sorted({*known, str(draft)}))
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as long as this is open, nobody takes it for a kill's
            yield file, draft
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
        _change(home, lambda known: [path for path in known if path != str(draft)])


def sweep_unfinished(home: Path) -> list[Path]:
    """Remove what killed processes left; returns the paths. One on a disk that is not there now is looked for again next time."""
    if not (home / NOTES).exists():
        return []
    gone: list[Path] = []

    def still(known: list[str]) -> list[str]:
        paths = [Path(path) for path in known]
        gone.extend(path for path in paths if _removed(path))
        return [str(path) for path in paths if path.exists() or not path.parent.is_dir()]

    _change(home, still)
    return gone


def _removed(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except OSError:  # it is gone, under way, or on a disk that can't be written now
        return False
    return True


def _change(home: Path, to: Callable[[list[str]], list[str]]) -> None:
    path = home / NOTES
    with changing(path):
        known = [str(one) for one in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else []
        if wanted := to(known):
            replace_text(path, json.dumps(wanted, ensure_ascii=False))
        else:
            path.unlink(missing_ok=True)
