"""Making LanceDB's files survive a power cut: it renames its files into place but never syncs them.

So new files and their directories are synced here before the journal forgets what they hold, and after a crash every table
version that was not yet synced is discarded (the journal still holds its rows).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident

_NEWEST = 2**64 - 1
"""A manifest is named by this minus its version, so that names sort newest first."""


def sync_file(path: Path, *, private: bool = False) -> None:
    """Force a file's bytes to the disk; a file that is gone meanwhile needs none. ``private``: only its owner may read it from now on."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        if private:
            os.fchmod(handle, 0o600)
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_new_folder(folder: Path, upto: Path) -> None:
    """Make a freshly created folder findable after a power cut: itself and its parents up to ``upto``."""
    for path in (folder, *folder.parents):
        sync_file(path)
        if path == upto:
            return


def put_in_place(draft: Path, path: Path) -> None:
    """Let a finished draft take the place of ``path``, durable on return; a crash at any point leaves the old file or the new one."""
    sync_file(draft)
    os.replace(draft, path)
    sync_file(path.parent)


def replace_text(path: Path, text: str) -> None:
    """Replace a file in one step, readable by its owner only, durable on return. Raises OSError; the old file then stands."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        put_in_place(draft, path)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Alone with a file from reading it to replacing it: another thread or process that wants the same waits."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The lock lies beside it: the file itself is another one after each replacement. Closing lets go, so does the process's end.
    handle = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class SyncedFiles:
    """Remembers which files of the tables are on the disk, and syncs the others."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: set[str] = set()
        self.count = 0

    def assume(self) -> None:
        """Take all files that are there as synced (after :func:`discard_after` left only such)."""
        self._known = {str(path) for path in self.root.rglob("*") if path.is_file()}

    def sync(self, tables: list[str]) -> None:
        """Sync the files of these tables that are new, then the folders that name them. Raises OSError."""
        for table in tables:
            for folder, _, names in os.walk(self.root / f"{table}.lance", topdown=False):
                self._sync_folder(folder, names)
        if tables:
            sync_file(self.root)

    def _sync_folder(self, folder: str, names: list[str]) -> None:
        new = [path for name in names if (path := f"{folder}/{name}") not in self._known or name.endswith(".json")]
        for path in new:
            sync_file(Path(path), private=True)  # LanceDB makes them for everybody
            self._known.add(path)
            self.count += 1
        if new or folder not in self._known:
            sync_file(Path(folder))
            self._known.add(folder)

    def forget_missing(self, table: str) -> None:
        """After old versions were cleaned away: no longer remember their files."""
        prefix = str(self.root / f"{table}.lance")
        self._known = {path for path in self._known if not path.startswith(prefix) or os.path.exists(path)}


def manifests(folder: Path) -> dict[int, Path]:
    """The versions a table has on the disk."""
    return {_NEWEST - int(path.stem): path for path in (folder / "_versions").glob("*.manifest") if path.stem.isdigit()}


def discard_after(folder: Path, version: int) -> int:
    """Drop table versions newer than ``version``, which may be torn; returns how many. The newest kept one becomes current."""
    found = manifests(folder)
    if version not in found:
        return 0  # a lake that was copied or restored: its own files are all there is
    torn = [path for number, path in found.items() if number > version]
    for path in torn:
        path.unlink()
    if torn:
        (folder / "_versions" / "latest_version_hint.json").unlink(missing_ok=True)
        sync_file(folder / "_versions")
    return len(torn)
