"""laoma as a systemd unit of the user: its name, its text, and the calls that put it in force."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import LaomaError

_START_S = 900
"""A first start fetches and converts a model: systemd's own 90 seconds are too few."""
_TEXT = """# Written by `laoma service install`; `laoma service uninstall` takes it away.
[Unit]
Description=laoma, an assistant at home that remembers you ({home})
StartLimitIntervalSec=600
StartLimitBurst=5

[Service]
Type=oneshot
RemainAfterExit=yes
Environment={environment}
ExecStart={laoma} up
ExecStop={laoma} down
TimeoutStartSec={start_s}
TimeoutStopSec=120
Restart=on-failure
RestartSec=30

[Install]
WantedBy=default.target
"""


@dataclass(frozen=True)
class Unit:
    """Which laoma, of which home; ``folder`` is where the user's units lie."""

    laoma: Path
    home: Path
    default_home: bool
    folder: Path

    @property
    def name(self) -> str:
        """``laoma.service``; of another home than the usual one with its folder's name, so that several stand side by side."""
        if self.default_home:
            return "laoma.service"
        plain = re.sub(r"[^a-z0-9]+", "-", self.home.name.lower()).strip("-")[:30]
        return f"laoma-{plain + '-' if plain else ''}{hashlib.sha256(str(self.home).encode()).hexdigest()[:6]}.service"

    @property
    def path(self) -> Path:
        """Where the user's units lie."""
        return self.folder / self.name

    def text(self) -> str:
        """The unit file."""
        return _TEXT.format(
            home=str(self.home).replace("%", "%%"),
            environment=quoted(f"LAOMA_HOME={self.home}"),
            laoma=quoted(str(self.laoma)),
            start_s=_START_S,
        )


def folder_of(environment: Mapping[str, str]) -> Path:
    """The folder of the user's units (``XDG_CONFIG_HOME``)."""
    return Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"


def quoted(word: str) -> str:
    """A word as systemd reads a program's path or a value: in quotation marks, ``%`` doubled; ``$`` means nothing there."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{word}"'


def call(*words: str) -> subprocess.CompletedProcess[str]:
    """Run one of systemd's programs. Raises LaomaError where it is not there or doesn't answer."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=_START_S + 60, check=False)  # noqa: S603
    except FileNotFoundError:
        raise LaomaError(
            f"{words[0]} is not here: without systemd let the machine's own start call `laoma up`, e.g. `@reboot` in `crontab -e`"
        ) from None
    except subprocess.TimeoutExpired:
        raise LaomaError(f"{' '.join(words)} does not answer") from None


def done(words: Sequence[str]) -> str:
    """What it said. Raises LaomaError with its own words where it failed."""
    ended = call(*words)
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).strip().splitlines()
        raise LaomaError(f"`{' '.join(words)}` failed: {said[-1] if said else ended.returncode}")
    return ended.stdout.strip()


def asked(*words: str) -> str:
    """The first line of an answer, whatever the exit status: ``systemctl is-active`` says no by it."""
    return (call(*words).stdout.strip().splitlines() or [""])[0]


def user_name() -> str:
    """Who is to linger."""
    return os.environ.get("USER") or os.environ.get("LOGNAME") or str(os.getuid())
