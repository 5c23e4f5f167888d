"""One owner at a time: the newest fencing number may write the journal, the holder of this lock may write the tables.

The lock is the operating system's (``flock``): it is free as soon as its process is dead, on this machine or over NFSv4.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from threading import Event

from schemas.errors import Unavailable

_POLL_S = 0.01


class OwnerLock:
    """The lock beside a shard's tables."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self, patience_s: float) -> None:
        """Wait for the former owner to let go; harmless when it is held already.

        Raises Unavailable when it has not within ``patience_s`` seconds, OSError where the file system has no locks.
        """
        if self._handle is not None:
            return
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if self._locked(handle, patience_s):
                self._handle = handle
                return
        finally:
            if self._handle != handle:
                os.close(handle)
        raise Unavailable(f"another process still writes the tables beside {self._path}: stop it, or try again", retry_after=5)

    @staticmethod
    def _locked(handle: int, patience_s: float) -> bool:
        pause = Event()
        for _ in range(max(1, round(patience_s / _POLL_S))):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pause.wait(_POLL_S)
            else:
                return True
        return False

    def release(self) -> None:
        """Let the next owner in; harmless when nothing is held."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
