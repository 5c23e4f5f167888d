"""Snapshots of all tables together (admin)."""

from __future__ import annotations

from fastapi import APIRouter

from schemas.dialogue import Deleted
from schemas.snapshot import Restored, Snapshot, SnapshotIn, SnapshotList
from serve import snapshots
from serve.auth import AdminDep, PartsDep

router = APIRouter(prefix="/v1/snapshots", tags=["snapshots"])


@router.get("", summary="Snapshots, latest first")
async def list_snapshots(_: AdminDep, parts: PartsDep) -> SnapshotList:
    """Those made by hand and those made before an import, a restore, an evolution."""
    return SnapshotList(data=snapshots.listed(parts.home))


@router.post("", status_code=201, summary="Make a snapshot")
async def create(_: AdminDep, parts: PartsDep, body: SnapshotIn | None = None) -> Snapshot:
    """All tables, policies and logs as they are now, while serving."""
    wanted = body or SnapshotIn()
    return await snapshots.create(parts.shards, parts.home, parts.now(), reason=wanted.reason, name=wanted.name)


@router.post("/{name}/restore", summary="Go back to a snapshot")
async def restore(name: str, _: AdminDep, parts: PartsDep) -> Restored:
    """A snapshot of the present state is made first. What was deleted since stays deleted."""
    return await snapshots.restore(parts.shards, parts.home, name, parts.now())


@router.delete("/{name}", summary="Delete a snapshot")
async def delete(name: str, _: AdminDep, parts: PartsDep) -> Deleted:
    """The living lake keeps all it has."""
    await snapshots.remove(parts.home, name)
    return Deleted()
