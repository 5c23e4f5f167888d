from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from lake.durable import changing, replace_text


def test_a_replaced_file_is_the_owners_alone_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "new" / "keys.json"
    replace_text(path, "旧")
    replace_text(path, "新")
    assert path.read_text(encoding="utf-8") == "新"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in path.parent.iterdir()] == ["keys.json"]


def test_bytes_and_name_are_on_the_disk_before_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(
        os, "fsync", lambda handle: (done.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file"), sync(handle))
    )
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append("replace"), replace(*paths)))
    replace_text(tmp_path / "a", "x")
    assert done == ["file", "replace", "folder"]


def test_a_write_that_fails_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    replace_text(path, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_text(path, "new")
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("a", "old")]


def test_changes_of_one_file_wait_for_one_another(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    replace_text(path, "[]")

    def add(number: int) -> None:
        with changing(path):
            replace_text(path, json.dumps([*json.loads(path.read_text()), number]))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(json.loads(path.read_text())) == list(range(20))
