"""All checks of a home, together. Works where nothing runs: the checks that need the service are then skipped and say so."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from lake.sql import connect
from lake.symptoms import Symptoms, newest_turn, symptoms
from schemas.cluster import ClusterState
from schemas.doctor import Diagnosis, Finding, Words
from schemas.errors import LaomaError
from schemas.settings import Settings
from serve.cluster_record import read_record
from serve.doctor import classic, house, ram


def diagnose(home: Path, settings: Settings, state: ClusterState, now: datetime) -> Diagnosis:
    """Reads only, but for ``cache/ram.json``: the readings that tell whether RAM climbs."""
    readings = ram.read(home, read_record(home) if state.running else None, state.pss_mb)
    seen, newest, trouble = _look(home, now)
    findings: list[Finding] = []
    if seen is not None:
        findings += [judge(seen) for judge in _CLASSIC]
    else:
        findings.append(_unreadable(trouble))
    findings.append(classic.climbs(readings))
    findings += [
        house.disk(home),
        house.clock(newest, now),
        house.keys(home),
        house.embedder(settings.embedding.model, seen.embedders if seen else ()),
        house.heads(settings.embedding.model),
        house.constitution(home),
        house.versions(),
        house.jobs(home),
        house.model(state.model, state.running),
    ]
    return Diagnosis(online=state.running, healthy=all(one.state != "fault" for one in findings), findings=findings)


_CLASSIC: tuple[Callable[[Symptoms], Finding], ...] = (classic.no_effect, classic.mixed, classic.returns, classic.worsened)


def _look(home: Path, now: datetime) -> tuple[Symptoms | None, datetime | None, str]:
    try:
        with closing(connect(home)) as lake:
            return symptoms(lake, now), newest_turn(lake), ""
    except (duckdb.Error, LaomaError, OSError, RuntimeError, ValueError) as error:
        return None, None, " ".join(str(error).split())[:200]


def _unreadable(trouble: str) -> Finding:
    return Finding(
        check="lake",
        title=Words(en="lake", zh="数据湖"),
        state="fault",
        found=Words(en=f"it can't be read: {trouble}", zh=f"无法读取：{trouble}"),
        remedy=Words(en="`laoma snapshot list`, `laoma snapshot restore`", zh="`laoma snapshot list`、`laoma snapshot restore`"),
    )


def present() -> datetime:
    """The clock of this machine, UTC."""
    return datetime.now(UTC)
