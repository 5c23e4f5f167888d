"""The doctor inside the running service: it knows that it runs, and asks its model how it stands."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import psutil

from schemas.cluster import ClusterState
from schemas.doctor import Diagnosis
from schemas.settings import Settings
from schemas.status import ModelState
from serve import processes
from serve.cluster_record import read_record
from serve.parts import Parts


async def examine(parts: Parts) -> Diagnosis:
    """All checks; seconds over a large lake, off the event loop."""
    model = await parts.chat.ready()
    return await asyncio.to_thread(_examine, parts.home, parts.settings, model, parts.now())


def _examine(home: Path, settings: Settings, model: ModelState, now: datetime) -> Diagnosis:
    from serve.doctor.diagnose import diagnose  # DuckDB and the tables: of no use to a gateway that nobody examines

    record = read_record(home)
    ours = [*processes.of(record), psutil.Process()] if record else []
    return diagnose(home, settings, ClusterState(state="running", model=model, processes=processes.measured(ours)), now)
