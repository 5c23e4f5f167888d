"""backup, restore, erase: what is asked first, what is said, what is refused."""

from __future__ import annotations

from pathlib import Path

from tests.commands.conftest import Laoma
from tests.commands.scripted_service import Script


def test_what_destroys_asks_first_where_nobody_can_answer_it_refuses(online: Laoma, service: Script) -> None:
    done = online("erase", "owner")
    assert (done.code, "--yes" in done.err) == (2, True)
    assert not service.bodies("DELETE", "/v1/me")


def test_a_backup_never_replaces_a_file_unasked(online: Laoma, tmp_path: Path) -> None:
    (tmp_path / "b.tar.gz").write_text("mine")
    assert online("backup", str(tmp_path / "b.tar.gz")).code == 1
    assert (tmp_path / "b.tar.gz").read_text() == "mine"
    assert "no folder" in online("backup", str(tmp_path / "nowhere" / "b.tar.gz")).err


def test_what_is_no_backup_is_refused_in_one_line_and_changes_nothing(laoma: Laoma, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    done = laoma("restore", str(tmp_path / "x"))
    assert done.code in (1, 2)
    assert "no whole backup" in done.err
    assert len(done.err.splitlines()) == 1
    assert "can't be read" in laoma("restore", str(tmp_path / "missing")).err
