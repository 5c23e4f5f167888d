"""status: one screen on how it stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import print_json, print_line, print_note, print_table, say, short_time, size
from commands.place import Place, here
from commands.up import model_line
from schemas.errors import LaomaError, Unavailable

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from commands.client import Json
    from schemas.cluster import ClusterState
    from schemas.status import Readiness

MIB = 1024 * 1024
JOBS = 3
"""Jobs that are shown, latest first."""
FIGURES = {
    "rows_turns": ("turns", "话轮"),
    "rows_memories": ("memories", "记忆"),
    "extraction_waiting": ("turns still to be read for memories", "待提取记忆的话轮"),
    "users_loaded": ("users at hand", "已载入的用户"),
    "journal_entries": ("entries in the journal", "日志条目"),
}
STATES = {"starting": ("is starting", "正在启动"), "running": ("is running", "正在运行"), "broken": ("is broken", "出了问题")}


def status(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """How it stands · 现状

    Applications, model, shards, memory of each process, size of the lake, last jobs. Exit 1 when it does not run.

    \b
    Example:
      laoma status --json
    """
    from serve import cluster

    place = here()
    state = cluster.state(place.home, place.settings())
    readiness = _readiness(place) if state.running else None
    jobs = _ask(place, "/v1/jobs")["data"][:JOBS] if readiness else []
    schedule = _ask(place, "/v1/schedule")["data"] if readiness else []
    on_disk = {name: _bytes(place.home / name) for name in ("lake", "logs", "models")}
    if as_json:
        told = state.model_dump(mode="json") | {"pss_mb": round(state.pss_mb, 1)}
        shards = [shard.figures for shard in readiness.shards] if readiness else []
        print_json(
            told | {"ready": bool(readiness and readiness.ready), "shards": shards, "bytes": on_disk, "jobs": jobs, "schedule": schedule}
        )
    elif state.state != "stopped":
        _show(state, readiness, on_disk)
        _show_jobs(jobs, schedule, place.zone)
    if not state.running:
        raise Unavailable(_what_to_do(state), code="not_running")


def _what_to_do(state: ClusterState) -> str:
    match state.state:
        case "starting":
            return say("laoma is starting: look again in a moment", "老马正在启动：稍后再看")
        case "broken":
            return say("laoma is broken: `laoma up` mends it", "老马出了问题：`laoma up` 可修复")
        case _:
            return say("laoma does not run: start it with `laoma up`", "老马没有在运行：用 `laoma up` 启动")


def _show(state: ClusterState, readiness: Readiness | None, on_disk: dict[str, int]) -> None:
    english, chinese = STATES[state.state]
    print_line(say(f"laoma {english}: {state.http}", f"老马{chinese}：{state.http}"))
    for name, app in state.apps.items():
        print_line(f"  {name}: {app.status}" + (f"  {app.message.splitlines()[0]}" if app.message else ""))
    print_line(model_line(readiness.model if readiness else state.model, here().home))
    if readiness and not readiness.ready:
        print_note(say(f"Memory does not answer yet: {readiness.detail}", f"记忆暂不可用：{readiness.detail}"))
    for number, shard in enumerate(readiness.shards if readiness else []):
        figures = ", ".join(f"{shard.figures[name]:.0f} {say(*words)}" for name, words in FIGURES.items() if name in shard.figures)
        print_line(say(f"Shard {number}: ", f"分片 {number}：") + figures)
    print_line(say("On disk: ", "占用磁盘：") + ", ".join(f"{name} {size(count)}" for name, count in on_disk.items()))
    used = size(state.pss_mb * MIB)
    print_line(say(f"RAM: {used} in all (PSS), by process in MB:", f"运行内存：共 {used}（PSS），各进程（MB）："))
    print_table(("pid", "process", "MB"), [(use.pid, use.name, f"{use.pss_mb:.0f}") for use in state.processes])


def _show_jobs(jobs: list[Json], schedule: list[Json], zone: ZoneInfo) -> None:
    if jobs:
        print_line(say("Last jobs:", "最近的任务："))
        print_table(
            ("submitted", "name", "state", "id"), [(short_time(j["submitted_at"], zone), j["name"], j["state"], j["id"]) for j in jobs]
        )
    if schedule:
        print_line(say("By itself:", "定时任务："))
        print_table(
            ("next", "name", "last", "state"),
            [
                (
                    say("paused", "暂停") if one["paused"] else short_time(one["next_due"], zone),
                    one["name"],
                    short_time(one["last_due"], zone),
                    one["last_state"] or "",
                )
                for one in schedule
            ],
        )


def _readiness(place: Place) -> Readiness | None:
    from commands.client import Service
    from commands.running import read_readiness

    try:
        return read_readiness(Service(place.local_url).request("GET", "/readyz", timeout=5, accept=(503,)))
    except LaomaError:
        return None


def _ask(place: Place, path: str) -> Json:
    from commands.client import Service

    try:
        return Service(place.local_url, place.key()).get(path)
    except LaomaError:  # the key may be no admin's: jobs are the last thing to fail a status for
        return {"data": []}


def _bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).lstat().st_size
            except FileNotFoundError:  # compaction removes files meanwhile
                continue
    return total
