"""How it stands: model, the doctor's findings, RAM, memories, latency, disk."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request, Response

from schemas.doctor import Finding, State
from schemas.errors import LaomaError
from schemas.memory import Change
from serve.auth import PartsDep
from serve.cluster_record import read_record
from serve.doctor.online import examine
from serve.doctor.ram import kept
from serve.metrics import Latency
from serve.panel.doors import PageRoute, SessionDep
from serve.panel.render import page
from serve.parts import Parts
from serve.shard.service import ShardService

router = APIRouter(prefix="/panel/health", route_class=PageRoute, include_in_schema=False)
_FOLDERS = ("lake", "logs", "models", "snapshots")
_ROUTES = 12
_FIRST: tuple[State, ...] = ("fault", "ok", "skipped")
_CHANGES = 5000
_STEP = {"create": 1, "coexist": 1, "revive": 1, "replace": -1, "delete": -1, "archive": -1, "expire": -1}
"""What a decision does to the number of memories; who replaces one is a `create` of its own."""


@router.get("")
async def show(request: Request, session: SessionDep, parts: PartsDep) -> Response:
    """One screen; the figures of the whole house for admins only."""
    model = await parts.chat.ready()
    growth = grown(await _changes(parts, session.key.user), ZoneInfo(parts.settings.zone))
    house = await _house(parts) if "admin" in session.key.roles else None
    return page(request, "health.html", session, model=model, growth=growth, house=house)


@dataclass(frozen=True)
class House:
    """What an admin sees of the whole house. ``ram``: (reading, MiB) of this start; ``disk``: bytes by folder; ``trouble``: why shards
    don't answer."""

    findings: list[Finding]
    ram: list[tuple[str, int]]
    latency: list[Latency]
    disk: dict[str, int]
    free: int
    shards: list[dict[str, float]]
    trouble: str | None


async def _house(parts: Parts) -> House:
    diagnosis = await examine(parts)
    shards: list[dict[str, float]] = []
    trouble: str | None = None
    try:
        shards = await parts.shards.each(ShardService.figures)
    except LaomaError as error:
        trouble = error.message
    ram = [(str(number), round(mb)) for number, mb in enumerate(kept(parts.home, read_record(parts.home)), 1)]
    disk = await asyncio.to_thread(_disk, parts.home)
    free = shutil.disk_usage(parts.home).free
    findings = sorted(diagnosis.findings, key=lambda one: _FIRST.index(one.state))
    return House(findings, ram, parts.metrics.latencies()[:_ROUTES], disk, free, shards, trouble)


async def _changes(parts: Parts, user: str) -> list[Change]:
    found: list[Change] = []
    cursor: str | None = None
    while len(found) < _CHANGES:
        part = await parts.shards.call(ShardService.changes, user, 500, cursor)
        found += part.data
        cursor = part.next_cursor
        if cursor is None:
            break
    return found


def grown(changes: list[Change], zone: ZoneInfo) -> list[tuple[str, int]]:
    """How many memories there were at the end of each day on which their number changed: (day, memories), oldest first."""
    count, days = 0, {}
    for change in sorted(changes, key=lambda one: one.at):
        count += _STEP.get(change.action, 0)
        days[change.at.astimezone(zone).date().isoformat()] = max(count, 0)
    return list(days.items())


def _disk(home: Path) -> dict[str, int]:
    return {name: _bytes(home / name) for name in _FOLDERS if (home / name).exists()}


def _bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).lstat().st_size
            except FileNotFoundError:  # compaction removes files meanwhile
                continue
    return total
