"""Checks of the house itself: disk, clock, keys, embedder, heads, versions, jobs, model."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from evolution.constitution import FILE, read_constitution
from lake.job_records import JobRecords
from lake.place import Place
from memory.heads import load
from schemas.doctor import Finding, State, Words
from schemas.errors import SettingsError
from schemas.status import ModelState

FREE_BYTES = 2 * 1000**3
"""Less free disk than this is a fault: compaction needs room."""
AHEAD = timedelta(minutes=5)
"""A row this far in the future tells that the clock was set back."""
HEADS = (
    ("memory", "lasting"),
    ("memory", "pairs"),
    ("memory", "statements"),
    ("evolution", "signals"),
    ("evolution", "zones"),
    ("evolution", "risks"),
)
PARTS = ("ray", "lancedb", "pyarrow", "duckdb", "pydantic", "fastapi")


def disk(home: Path) -> Finding:
    """Room where the lake lies."""
    free = shutil.disk_usage(home).free / 1000**3
    return _finding(
        "disk",
        Words(en="disk", zh="磁盘"),
        free * 1000**3 < FREE_BYTES,
        Words(en=f"{free:.1f} GB free", zh=f"剩余 {free:.1f} GB"),
        Words(en="free some: `laoma snapshot prune`, models that are not used", zh="腾出空间：`laoma snapshot prune`，删除不用的模型"),
    )


def clock(latest: datetime | None, now: datetime) -> Finding:
    """``latest``: the time of the newest turn; None where there is none."""
    wrong = now.year < 2025 or (latest is not None and latest > now + AHEAD)
    return _finding(
        "clock",
        Words(en="clock", zh="时钟"),
        wrong,
        Words(en=f"it is {now:%Y-%m-%d %H:%M} UTC", zh=f"现在是 {now:%Y-%m-%d %H:%M} UTC"),
        Words(
            en="the newest turn lies in the future, or the clock was never set: switch on time synchronisation (NTP)",
            zh="最新的话轮在未来，或时钟从未校准：请打开时间同步（NTP）",
        ),
    )


def keys(home: Path) -> Finding:
    """Keys are for their owner's eyes only."""
    open_ones = [path.name for path in (Place(home).keys, home / "owner.key") if path.exists() and path.stat().st_mode & 0o077]
    names = ", ".join(open_ones)
    paths = " ".join(str(home / name) for name in open_ones)
    return _finding(
        "keys",
        Words(en="permissions of keys", zh="密钥文件权限"),
        bool(open_ones),
        Words(en=f"readable by others: {names}", zh=f"他人可读：{names}")
        if open_ones
        else Words(en="readable by their owner only", zh="仅所有者可读"),
        Words(en=f"chmod 600 {paths}", zh=f"chmod 600 {paths}"),
    )


def embedder(configured: str, stored: tuple[str, ...]) -> Finding:
    """Vectors of two models are never compared."""
    others = ", ".join(name for name in stored if name != configured)
    return _finding(
        "embedder",
        Words(en="embedder", zh="向量模型"),
        bool(others),
        Words(
            en=f"config.yaml says {configured}" + (f", memories hold vectors of {others}" if others else ""),
            zh=f"config.yaml 为 {configured}" + (f"，而记忆的向量来自 {others}" if others else ""),
        ),
        Words(en=f"set `embedding.model` back to {others}", zh=f"把 `embedding.model` 改回 {others}"),
    )


def jobs(home: Path) -> Finding:
    """The last run of each job."""
    last: dict[str, tuple[datetime, str, str]] = {}
    for job in JobRecords(home).all():
        if job.ended and job.submitted_at and (job.name not in last or job.submitted_at > last[job.name][0]):
            last[job.name] = (job.submitted_at, job.state, job.id)
    failed = [(name, id) for name, (_, state, id) in sorted(last.items()) if state == "failed"]
    names = ", ".join(name for name, _ in failed)
    logs = ", ".join(f"`laoma job logs {id}`" for _, id in failed)
    return _finding(
        "jobs",
        Words(en="last runs of jobs", zh="任务的最近一次运行"),
        bool(failed),
        Words(en=f"failed: {names}", zh=f"失败：{names}")
        if failed
        else Words(en=f"{len(last)} jobs, none failed", zh=f"{len(last)} 种任务，均未失败"),
        Words(en=f"{logs} says why; submit it again: it goes on where it was", zh=f"{logs} 说明原因；再次提交会接着做"),
    )


def heads(embedder: str) -> Finding:
    """Without the classifier heads of its embedder the offline tier reads by rules alone."""
    missing = ", ".join(f"{package}/{name}" for package, name in HEADS if load(package, name, embedder) is None)
    return _finding(
        "heads",
        Words(en="classifier heads", zh="分类头"),
        bool(missing),
        Words(en=f"none for {embedder}: {missing}", zh=f"{embedder} 缺少：{missing}") if missing else Words(en="present", zh="齐全"),
        Words(
            en="`python -m eval.teach` makes them for an embedder; without them rules alone decide",
            zh="`python -m eval.teach` 可为向量模型训练；缺少时只凭规则判断",
        ),
    )


def constitution(home: Path) -> Finding:
    """The sentences that no revision may touch can be read; their hash tells which are in force."""
    own = (home / FILE).exists()
    try:
        digest, trouble = read_constitution(home).digest[:12], ""
    except (SettingsError, OSError) as error:
        digest, trouble = "", str(error)
    return _finding(
        "constitution",
        Words(en="constitution", zh="宪章"),
        not digest,
        Words(
            en=trouble or f"{digest}, {'your own' if own else 'the one that comes with laoma'}",
            zh=trouble or f"{digest}，{'你自己的' if own else '随老马附带的'}",
        ),
        Words(
            en="mend constitution.yaml, or move it away: no proposal is judged and none approved before",
            zh="修好 constitution.yaml 或把它移走：在那之前不审也不批任何修订",
        ),
    )


def versions() -> Finding:
    """What is installed."""
    found, missing = [], []
    for name in PARTS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    told = ", ".join(found) + (f"; -{', -'.join(missing)}" if missing else "")
    return _finding(
        "versions", Words(en="versions", zh="版本"), bool(missing), Words(en=told, zh=told), Words(en="`make up`", zh="`make up`")
    )


def model(state: ModelState, online: bool) -> Finding:
    """Whether the chat model answers; a cluster that is down can't say."""
    title = Words(en="chat model", zh="聊天模型")
    if not online:
        return Finding(check="model", title=title, state="skipped", found=Words(en="laoma does not run", zh="老马没有在运行"))
    told = f"{state.name}: {state.state}" + (f" ({state.detail})" if state.detail else "")
    remedy = Words(
        en="`laoma model list`, `laoma model use`; logs/model.log says more",
        zh="`laoma model list`、`laoma model use`；详见 logs/model.log",
    )
    return _finding("model", title, state.state == "failed", Words(en=told, zh=told), remedy)


def _finding(check: str, title: Words, fault: bool, found: Words, remedy: Words) -> Finding:
    state: State = "fault" if fault else "ok"
    return Finding(check=check, title=title, state=state, found=found, remedy=remedy if fault else None)
