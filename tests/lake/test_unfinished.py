"""A backup that was killed leaves nothing that nobody knows of."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lake.backup import pack, verify
from lake.snapshot_folder import alone_here
from lake.unfinished import NOTES, drafting
from tests.lake.test_backup import AT

REPO = Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
from lake.backup import pack
from tests.lake.test_backup import AT
pack(Path(sys.argv[1]), "one", Path(sys.argv[2]), at=AT, laoma="0.1.0", told=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "snapshots" / "one"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    (folder / "data").write_bytes(b"Zulu7719qx" * 100)
    return tmp_path / "home"


@pytest.fixture
def half(home: Path, tmp_path: Path) -> Path:
    """What a killed backup left on another disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    child = subprocess.run([sys.executable, "-c", KILLED, str(home), str(disk / "monday.tar.gz")], cwd=REPO, check=False)
    assert child.returncode == -signal.SIGKILL
    (found,) = disk.iterdir()
    assert found.name.endswith(".part")
    return found


def test_the_next_backup_removes_it_whatever_its_name(home: Path, half: Path) -> None:
    pack(home, "one", half.with_name("tuesday.tar.gz"), at=AT, laoma="0.1.0")
    assert [path.name for path in half.parent.iterdir()] == ["tuesday.tar.gz"]
    verify(half.with_name("tuesday.tar.gz"))
    assert not (home / NOTES).exists()


def test_whoever_is_alone_with_the_snapshots_removes_it(home: Path, half: Path) -> None:
    with alone_here(home):
        assert not half.exists()


def test_on_a_disk_that_is_away_it_is_remembered(home: Path, half: Path) -> None:
    away = half.parent.rename(half.parent.with_name("unplugged"))
    with alone_here(home):
        pass
    away.rename(half.parent)
    assert half.exists()
    with alone_here(home):
        assert not half.exists()


def test_one_that_is_being_written_is_left_alone(home: Path, tmp_path: Path) -> None:
    with drafting(home, tmp_path / "b.tar.gz") as (file, draft):
        file.write(b"x")
        with alone_here(home):
            assert draft.exists()
        assert (home / NOTES).exists()
    assert not draft.exists()
    assert not (home / NOTES).exists()
