"""A snapshot: the state of all tables, policies and logs at one moment, to go back to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.record import Moment

Reason = Literal["hand", "import", "restore", "evolution", "backup"]
"""Who made it: a person, or what was about to change much at once."""
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
"""A folder's name: it can't lead out of its place."""


class FrozenShard(BaseModel):
    """One shard in a snapshot: where its vectors come from, rows by table, days of logs."""

    model_config = ConfigDict(frozen=True)

    embedder: str
    dim: int
    rows: dict[str, int]
    log_files: int


class Snapshot(BaseModel):
    """What a snapshot holds; ``at`` is when it was begun: what was deleted after that is not brought back by a restore."""

    model_config = ConfigDict(frozen=True)

    name: Name
    at: Moment
    reason: Reason
    shards: list[FrozenShard]

    @property
    def rows(self) -> dict[str, int]:
        """Rows by table, over all shards."""
        names = sorted({name for shard in self.shards for name in shard.rows})
        return {name: sum(shard.rows.get(name, 0) for shard in self.shards) for name in names}


class SnapshotIn(BaseModel):
    """A snapshot to make; without a name it is called after its moment."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "before-the-move"}]})

    name: Name | None = None
    reason: Reason = "hand"


class SnapshotList(BaseModel):
    """Snapshots, latest first."""

    data: list[Snapshot]


class Restored(BaseModel):
    """What a restore did: the snapshot that is in force, the one that holds what was there before, deletions carried out again."""

    restored: str
    before: str
    replayed: int


class Erased(BaseModel):
    """What an erasure took: rows of the living lake, and in how many snapshots it looked."""

    user: str
    rows: int
    snapshots: int
