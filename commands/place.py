"""Where a command works: the home, the service's address and the key, all from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import Unauthorized

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from commands.client import Service
    from schemas.settings import Settings

DEFAULT_HOME = "~/.local/share/laoma"
OWNER_KEY_FILE = "owner.key"
ANY_INTERFACE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 an address to connect to, nothing is bound here


@dataclass(frozen=True)
class Place:
    """``LAOMA_HOME`` says where the lake lies, ``LAOMA_URL`` and ``LAOMA_KEY`` name another service or user than the owner's own."""

    home: Path
    environment: Mapping[str, str]

    def settings(self) -> Settings:
        """Settings of this home. Raises SettingsError that names the key at fault."""
        from schemas.settings import load_settings

        return load_settings(self.home)

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone: times are shown in it."""
        from zoneinfo import ZoneInfo

        return ZoneInfo(self.settings().zone)

    @property
    def url(self) -> str:
        """The service's address without a slash at its end, e.g. ``http://127.0.0.1:8317``."""
        given = self.environment.get("LAOMA_URL")
        return given.rstrip("/").removesuffix("/v1") if given else self.local_url

    @property
    def local_url(self) -> str:
        """Where the service of this home listens."""
        http = self.settings().http
        return f"http://{ANY_INTERFACE.get(http.host, http.host)}:{http.port}"

    @property
    def key_file(self) -> Path:
        """The owner's key, readable by the owner alone."""
        return self.home / OWNER_KEY_FILE

    def key(self) -> str:
        """The key to send: ``LAOMA_KEY``, else the owner's. Raises Unauthorized when there is neither."""
        given = self.environment.get("LAOMA_KEY")
        if given:
            return given.strip()
        try:
            return self.key_file.read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:
            raise Unauthorized(f"no key in LAOMA_KEY nor in {self.key_file}: run `laoma up` once, or set LAOMA_KEY") from None
        except OSError as error:
            raise Unauthorized(f"cannot read {self.key_file}: {error.strerror or error}") from None

    def service(self) -> Service:
        """A client of the service at ``url`` with ``key``."""
        from commands.client import Service

        return Service(self.url, self.key())


def here() -> Place:
    """The place that this process' environment describes."""
    home = Path(os.environ.get("LAOMA_HOME") or DEFAULT_HOME).expanduser().absolute()
    return Place(home=home, environment=dict(os.environ))


def release() -> str:
    """The version that is installed; "" where laoma runs from its folder alone."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("laoma")
    except PackageNotFoundError:
        return ""
