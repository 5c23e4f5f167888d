"""Where everything lies under LAOMA_HOME, and which shard a user belongs to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from lake.durable import replace_text
from schemas.errors import SettingsError


@dataclass(frozen=True)
class Place:
    """The folders and files of one home; nothing is made before :meth:`create`."""

    home: Path

    @property
    def config(self) -> Path:
        """Settings, by hand or by ``laoma model use``."""
        return self.home / "config.yaml"

    @property
    def keys(self) -> Path:
        """Hashes of the API keys."""
        return self.home / "keys.json"

    @property
    def lake(self) -> Path:
        """The tables."""
        return self.home / "lake"

    @property
    def logs(self) -> Path:
        """Sealed turns and events, Parquet."""
        return self.home / "logs"

    @property
    def models(self) -> Path:
        """Models that were fetched or converted."""
        return self.home / "models"

    @property
    def snapshots(self) -> Path:
        """States to go back to."""
        return self.home / "snapshots"

    @property
    def cache(self) -> Path:
        """What can be made again."""
        return self.home / "cache"

    def shard(self, number: int) -> Path:
        """The root of a shard's store."""
        return self.lake / "shards" / str(number)

    def shards(self) -> list[Path]:
        """The roots of the shards that exist, in order."""
        found = [path for path in (self.lake / "shards").glob("*") if path.name.isdigit()]
        return sorted(found, key=lambda path: int(path.name))

    def create(self) -> None:
        """Make the folders, for the owner's eyes only."""
        for folder in (self.home, self.lake, self.logs, self.models, self.snapshots, self.cache):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)

    def settle_shards(self, shards: int) -> None:
        """Write down how many shards this lake has, at its first start. Raises SettingsError where the settings disagree later."""
        path = self.lake / "shards.json"
        if not path.exists():
            self.create()
            replace_text(path, json.dumps({"shards": shards}))
        stored = int(json.loads(path.read_text(encoding="utf-8"))["shards"])
        if stored != shards:
            raise SettingsError(
                f"this lake has {stored} shard(s), config.yaml says lake.shards: {shards}: "
                f"set it back to {stored} (a lake keeps the number it was made with; another one needs a new LAOMA_HOME)"
            )


def shard_of(user: str, shards: int) -> int:
    """The shard of a user: the same on every machine and in every release."""
    return int.from_bytes(blake2b(user.encode("utf-8"), digest_size=8).digest(), "big") % shards
