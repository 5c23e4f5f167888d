"""A backup is whole or it is refused; nothing in it leads out of its place."""

from __future__ import annotations

import io
import random
import stat
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lake.backup import pack, unpack, verify
from schemas.errors import InvalidRequest

AT = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A backup of a small home."""
    folder = tmp_path / "home" / "snapshots" / "one"
    (folder / "shards" / "0").mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    (folder / "shards" / "0" / "data").write_bytes(random.Random(7).randbytes(300_000))
    (folder / "shards" / "0" / "empty").touch()
    (tmp_path / "home" / "keys.json").write_text("[]")
    target = tmp_path / "backup.tar.gz"
    pack(tmp_path / "home", "one", target, at=AT, laoma="0.1.0")
    return target


def test_what_goes_in_comes_out_and_only_its_owner_can_read_it(file: Path, tmp_path: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    told: list[tuple[int, int]] = []
    unpack(file, tmp_path / "other", told=lambda done, total: told.append((done, total)))
    came, went = tmp_path / "other" / "snapshots" / "one", tmp_path / "home" / "snapshots" / "one"
    for name in ("manifest.json", "shards/0/data", "shards/0/empty"):
        assert (came / name).read_bytes() == (went / name).read_bytes()
    assert (came / "home" / "keys.json").read_text() == "[]"
    assert told[-1][0] == told[-1][1] > 300_000
    assert not list(tmp_path.glob("**/*.part"))


def test_every_damaged_or_cut_file_is_refused_and_leaves_nothing(file: Path, tmp_path: Path) -> None:
    whole, at = file.read_bytes(), random.Random(3)
    for _ in range(40):
        broken = bytearray(whole)
        place = at.randrange(20, len(whole) - 20)
        broken[place] ^= 1 << at.randrange(8)
        file.write_bytes(broken)
        _refused(file, tmp_path)
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 9):
        file.write_bytes(whole[:length])
        _refused(file, tmp_path)
    file.write_bytes(whole)
    verify(file)


def _refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        unpack(file, tmp_path / "other")
    assert not list((tmp_path / "other").glob("snapshots/*"))


@pytest.mark.parametrize(
    "name", ["snapshot/../../x", "/etc/x", "home/../x", "x", "snapshot/link", "snapshot//tmp/x", "home//x", "snapshot/./x"]
)
def test_a_member_that_no_backup_has_is_refused(file: Path, tmp_path: Path, name: str) -> None:
    forged = tmp_path / "forged.tar.gz"
    with tarfile.open(file) as real, tarfile.open(forged, "w:gz") as archive:
        contents = real.extractfile("contents.json")
        assert contents is not None
        text = contents.read().replace(b"snapshot/manifest.json", name.encode())
        _put(archive, "contents.json", text)
        if name == "snapshot/link":
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
        else:
            _put(archive, name, b"{}")
    _refused(forged, tmp_path)
    assert not (tmp_path / "x").exists()


def test_what_is_no_backup_at_all_is_refused_by_one_line(tmp_path: Path) -> None:
    for text in (b"", b"hello", b"\x1f\x8b\x08"):
        (tmp_path / "x").write_bytes(text)
        with pytest.raises(InvalidRequest, match=r"no whole backup|no backup"):
            verify(tmp_path / "x")
    with pytest.raises(InvalidRequest, match="can't be read"):
        verify(tmp_path / "missing")


def test_a_full_disk_leaves_the_older_backup_alone(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    with pytest.raises(OSError, match="No space"):
        pack(tmp_path / "home", "one", file, at=AT, laoma="0.1.0")
    assert file.read_bytes() == before
    assert not list(tmp_path.glob(".*.part"))


def _put(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


@pytest.mark.parametrize("snapshot", ["..", ".", "", "a/b", "/tmp"])
def test_a_backup_that_names_another_folder_is_refused(file: Path, tmp_path: Path, snapshot: str) -> None:
    forged = tmp_path / "forged.tar.gz"
    with tarfile.open(file) as real, tarfile.open(forged, "w:gz") as archive:
        contents = real.extractfile("contents.json")
        assert contents is not None
        _put(archive, "contents.json", contents.read().replace(b'"snapshot": "one"', f'"snapshot": "{snapshot}"'.encode()))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").write_text("x")
    _refused(forged, tmp_path)
    assert (tmp_path / "other" / "mine").exists()
