"""Where Ray keeps a cluster's sockets and logs: short, since a socket's path may have 107 bytes, and for this user alone."""

from __future__ import annotations

import os
import shutil
import stat
from hashlib import blake2b
from pathlib import Path

from schemas.errors import LaomaError

_INNER = "ray"


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
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid():
        raise LaomaError(f"{folder} belongs to somebody else: remove it", code="start_failed")
    folder.chmod(0o700)
