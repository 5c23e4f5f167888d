"""Where Ray keeps a cluster's sockets and logs: short, since a socket's path may have 107 bytes, and for this user alone."""

from __future__ import annotations

import os
import shutil
import stat
from hashlib import blake2b
from pathlib import Path

from schemas.errors import LaomaError

_INNER = "ray"
KEPT_LOGS_MB = 20
"""Of the last start, after a stop, MiB."""


def folder_of(home: Path) -> Path:
    """The folder that belongs to this home, made or not."""
    mark = blake2b(str(home.resolve()).encode(), digest_size=5).hexdigest()
    return Path("/tmp") / f"laoma-{os.getuid()}-{mark}"


def rays_folder(folder: Path) -> Path:
    """Ray's part of it. Ray opens its own folder to every user of the machine; the one around it is closed."""
    return folder / _INNER


def logs_of(folder: Path) -> Path:
    """The logs of the last start."""
    return rays_folder(folder) / "session_latest" / "logs"


def socket_of(home: Path, shard: int) -> Path:
    """Where a shard of this home listens for callers on the same machine; the folder is there and closed. Raises LaomaError."""
    folder = folder_of(home)
    _close(folder)
    return folder / f"shard-{shard}.sock"


def settle(folder: Path, kept_mb: float = KEPT_LOGS_MB) -> None:
    """After a stop: only the logs of the last start stay, the newest ``kept_mb`` MiB of them. A folder of somebody else is let be."""
    if not _is_ours(folder):
        return
    logs = logs_of(folder).resolve()
    if not logs.is_dir() or folder.resolve() not in logs.parents:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for entry in [*folder.iterdir(), *rays_folder(folder).iterdir(), *logs.parent.iterdir()]:
        if entry == logs or entry in logs.parents or entry.is_symlink():
            continue
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
    files = [(path.stat().st_mtime, path.stat().st_size, path) for path in logs.rglob("*") if path.is_file() and not path.is_symlink()]
    room = kept_mb * 2**20
    for _, size, path in sorted(files, reverse=True):
        room -= size
        if room < 0:
            path.unlink()


def prepare(folder: Path) -> None:
    """Empty but for the last session, whose logs may be wanted. Raises LaomaError where somebody else made a folder of this name."""
    _close(folder)
    inner = rays_folder(folder)
    inner.mkdir(exist_ok=True)
    latest = inner / "session_latest"
    kept = {latest.resolve(), latest}
    for entry in inner.iterdir():
        if entry not in kept and entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)


def _close(folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_ours(folder):
        raise LaomaError(f"{folder} belongs to somebody else: remove it", code="start_failed")
    folder.chmod(0o700)


def _is_ours(folder: Path) -> bool:
    try:
        seen = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid()
