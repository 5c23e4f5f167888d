"""service: start laoma with the machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from commands import unit as systemd
from commands.output import print_json, print_line, print_note, say, waiting
from commands.place import DEFAULT_HOME, here
from commands.unit import Unit
from schemas.errors import LaomaError

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing; print what would be written and called.")]
_CTL = ("systemctl", "--user")

service_app = typer.Typer(help="Start laoma with the machine · 开机自动启动\n\nExample: laoma service install", no_args_is_help=True)


@service_app.command("install")
def install(dry_run: DryRun = False) -> None:
    """Start with the machine, as a systemd unit of yours · 安装为 systemd 用户服务

    No root is needed. It starts laoma now, and after each reboot, also before anybody signs in.

    \b
    Examples:
      laoma service install --dry-run
      laoma service install
    """
    unit = _unit()
    calls = [(*_CTL, "daemon-reload"), (*_CTL, "enable", unit.name), ("loginctl", "enable-linger", systemd.user_name())]
    start = (*_CTL, "start", unit.name)
    if dry_run:
        print_line(f"# {unit.path}")
        print_line(unit.text())
        for words in (*calls, start):
            print_line(f"# {' '.join(words)}")
        return
    systemd.done((*_CTL, "show-environment"))  # nothing is written where no systemd answers
    unit.path.parent.mkdir(parents=True, exist_ok=True)
    unit.path.write_text(unit.text(), encoding="utf-8")
    for words in calls[:2]:
        systemd.done(words)
    lingers = systemd.call(*calls[2]).returncode == 0
    with waiting(say("starting", "正在启动")):
        systemd.done(start)
    print_line(say(f"laoma starts with the machine: {unit.name}", f"老马会随机器启动：{unit.name}"))
    if not lingers:
        print_note(
            say(
                f"After a reboot it waits for your first sign-in: `sudo loginctl enable-linger {systemd.user_name()}` ends that.",
                f"重启后要等你登录才启动：`sudo loginctl enable-linger {systemd.user_name()}` 可让它提前启动。",
            )
        )


@service_app.command("uninstall")
def uninstall(dry_run: DryRun = False) -> None:
    """Start with the machine no more; what runs goes on · 不再开机启动

    \b
    Example:
      laoma service uninstall
    """
    unit = _unit()
    calls = [(*_CTL, "disable", unit.name), (*_CTL, "daemon-reload")]
    if dry_run:
        print_line(f"# {' '.join(calls[0])}\n# rm {unit.path}\n# {' '.join(calls[1])}")
        return
    if not unit.path.exists():
        raise LaomaError(say(f"{unit.name} is not installed: there is nothing to take away", f"{unit.name} 没有安装：无可移除"))
    systemd.done(calls[0])
    unit.path.unlink()
    systemd.done(calls[1])
    print_line(say("laoma starts with the machine no more; `laoma down` stops it now.", "老马不再随机器启动；现在停止请用 `laoma down`。"))


@service_app.command("status")
def status(as_json: AsJson = False) -> None:
    """Whether it starts with the machine · 是否开机启动

    \b
    Example:
      laoma service status
    """
    unit = _unit()
    told: dict[str, str | bool] = {"unit": unit.name, "file": str(unit.path), "installed": unit.path.exists()}
    told["current"] = unit.path.exists() and unit.path.read_text(encoding="utf-8") == unit.text()
    if told["installed"]:
        told["enabled"] = systemd.asked(*_CTL, "is-enabled", unit.name) == "enabled"
        told["active"] = systemd.asked(*_CTL, "is-active", unit.name)
        told["before_sign_in"] = systemd.asked("loginctl", "show-user", systemd.user_name(), "--property=Linger") == "Linger=yes"
    if as_json:
        print_json(told)
    elif not told["installed"]:
        print_line(
            say("laoma does not start with the machine: `laoma service install`", "老马不会随机器启动：`laoma service install` 可以安装")
        )
    else:
        for name, value in told.items():
            print_line(f"{name}: {value if isinstance(value, str) else ('yes' if value else 'no')}")
        if not told["current"]:
            print_note(say("laoma has moved since: `laoma service install` again", "老马的位置变了：请再运行 `laoma service install`"))


def _unit() -> Unit:
    place = here()
    program = Path(sys.executable).parent / "laoma"
    if not program.exists():
        raise LaomaError(say(f"{program} is not there: `make install` first", f"没有 {program}：请先 `make install`"))
    usual = place.home == Path(DEFAULT_HOME).expanduser().absolute()
    return Unit(program, place.home, usual, systemd.folder_of(os.environ))
