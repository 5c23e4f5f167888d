"""The owner's lock lets go of its handle whatever happens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lake.lease import OwnerLock
from schemas.errors import Unavailable


def handles(path: Path) -> int:
    return sum(os.path.realpath(f"/proc/self/fd/{fd}") == str(path) for fd in os.listdir("/proc/self/fd"))


def test_a_lock_that_fails_holds_no_handle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "owner.lock"

    def none_here(*_: object) -> None:
        raise OSError(37, "No locks available")

    with monkeypatch.context() as broken:
        broken.setattr("lake.lease.fcntl.flock", none_here)
        with pytest.raises(OSError, match="No locks"):
            OwnerLock(path).acquire(0.1)
    assert handles(path) == 0


def test_taking_it_twice_takes_it_once_and_another_waits_in_vain(tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    lock = OwnerLock(path)
    lock.acquire(0.1)
    lock.acquire(0.1)
    with pytest.raises(Unavailable):
        OwnerLock(path).acquire(0.02)
    assert handles(path) == 1
    lock.release()
    assert handles(path) == 0
