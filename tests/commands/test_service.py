"""service: what is written and called, with programs that stand for systemd's; the unit itself is checked by systemd-analyze."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands.unit import Unit, quoted
from tests.commands.conftest import Laoma

FAKE = """#!/bin/sh
echo "$(basename "$0") $*" >> "{log}"
case "$*" in
  *{fails}*) echo "Access denied" >&2; exit 1;;
  *is-enabled*) echo enabled;;
  *is-active*) echo active;;
  *show-user*) echo Linger=yes;;
esac
"""


class Systemd:
    """Programs in front of the PATH that write down how they were called."""

    def __init__(self, folder: Path, fails: str = "nothing-fails") -> None:
        self.log, self.config, self.bin = folder / "calls", folder / "config", folder / "bin"
        self.bin.mkdir(exist_ok=True)
        for name in ("systemctl", "loginctl"):
            (self.bin / name).write_text(FAKE.format(log=self.log, fails=fails))
            (self.bin / name).chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "XDG_CONFIG_HOME": str(self.config), "USER": "lin"}

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    @property
    def units(self) -> list[Path]:
        return list((self.config / "systemd" / "user").glob("*"))


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place where laoma is installed; its python is this one."""
    program = tmp_path / "venv" / "bin" / "laoma"
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    return program


def test_it_is_written_enabled_and_started_and_taken_away_again(laoma: Laoma, tmp_path: Path, home: Path, installed: Path) -> None:
    systemd = Systemd(tmp_path)
    done = laoma("service", "install", **systemd.environment)
    assert done.code == 0, done.err
    [unit] = systemd.units
    assert f'ExecStart="{installed}" up' in unit.read_text()
    assert f'Environment="LAOMA_HOME={home}"' in unit.read_text()
    assert systemd.calls == [
        "systemctl --user show-environment",
        "systemctl --user daemon-reload",
        f"systemctl --user enable {unit.name}",
        "loginctl enable-linger lin",
        f"systemctl --user start {unit.name}",
    ]
    told = json.loads(laoma("service", "status", "--json", **systemd.environment).out)
    assert (told["installed"], told["current"], told["enabled"], told["active"], told["before_sign_in"]) == (
        True,
        True,
        True,
        "active",
        True,
    )
    assert laoma("service", "uninstall", **systemd.environment).code == 0
    assert systemd.units == []
    assert f"systemctl --user disable {unit.name}" in systemd.calls
    again = laoma("service", "uninstall", **systemd.environment)
    assert (again.code, "not installed" in again.err) == (1, True)


def test_a_dry_run_prints_all_and_changes_nothing(laoma: Laoma, tmp_path: Path) -> None:
    systemd = Systemd(tmp_path)
    shown = laoma("service", "install", "--dry-run", **systemd.environment).out
    assert "[Service]" in shown
    assert "# loginctl enable-linger lin" in shown
    assert laoma("service", "uninstall", "--dry-run", **systemd.environment).code == 0
    assert (systemd.calls, systemd.units) == ([], [])


def test_where_nobody_may_linger_it_says_what_to_do(laoma: Laoma, tmp_path: Path) -> None:
    done = laoma("service", "install", **Systemd(tmp_path, fails="enable-linger").environment)
    assert (done.code, "sudo loginctl enable-linger lin" in done.err) == (0, True)


@pytest.mark.parametrize("fails", ["show-environment", "no systemd at all"])
def test_without_systemd_it_says_so_in_one_line_and_writes_nothing(laoma: Laoma, tmp_path: Path, fails: str) -> None:
    systemd = Systemd(tmp_path, fails=fails)
    environment = systemd.environment
    if fails == "no systemd at all":
        environment["PATH"] = str(tmp_path)
    done = laoma("service", "install", **environment)
    assert (done.code, len(done.err.strip().splitlines()), systemd.units) == (1, 1, [])


def test_a_laoma_that_moved_is_told(laoma: Laoma, tmp_path: Path) -> None:
    systemd = Systemd(tmp_path)
    laoma("service", "install", **systemd.environment)
    [unit] = systemd.units
    unit.write_text(unit.read_text().replace("venv", "elsewhere"))
    assert "has moved" in laoma("service", "status", **systemd.environment).err


def test_two_homes_have_two_units(tmp_path: Path) -> None:
    names = {Unit(tmp_path, tmp_path / name, name == "usual", tmp_path).name for name in ("usual", "a b", "老马", "老王")}
    assert len(names) == 4
    assert "laoma.service" in names
    assert all(name.isascii() and " " not in name for name in names)


def test_odd_paths_are_quoted() -> None:
    assert quoted('/a b/$x/50%/"q"') == '"/a b/$x/50%%/\\"q\\""'


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
@pytest.mark.parametrize("folder", ["plain", "with space 50% $HOME 老马"])
def test_systemd_itself_finds_nothing_wrong_with_the_unit(tmp_path: Path, folder: str) -> None:
    program = tmp_path / folder / "laoma"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = Unit(program, tmp_path / folder / "home", False, tmp_path)
    unit.path.write_text(unit.text(), encoding="utf-8")
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    verify = ["systemd-analyze", "verify", "--user", str(unit.path)]
    checked = subprocess.run(verify, capture_output=True, text=True, timeout=60, env=environment)
    assert (checked.returncode, checked.stderr) == (0, "")
    unit.path.write_text(unit.text().replace(str(program).replace("%", "%%"), "/nowhere"), encoding="utf-8")
    broken = subprocess.run(verify, capture_output=True, text=True, timeout=60, env=environment)
    assert "/nowhere is not executable" in broken.stderr
