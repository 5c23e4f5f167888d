"""Offline jobs: which there are, and how one looks to clients."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from schemas.record import Moment

State = Literal["pending", "running", "succeeded", "failed", "stopped"]
UNDER_WAY: tuple[State, ...] = ("pending", "running")


class JobKind(BaseModel):
    """What can be submitted. ``module`` has a coroutine ``run(task: jobs.frame.Task) -> schemas.job.Report``.

    ``cron`` is when it runs by itself, in the user's zone (E16; ``schedule`` in ``config.yaml`` overrides it); of several that are due the
    one with the highest ``priority`` goes first. ``alone``: never twice at a time.
    """

    model_config = ConfigDict(frozen=True)

    module: str
    english: str
    chinese: str
    cron: str | None = None
    priority: int = 0
    alone: bool = True


JOBS: dict[str, JobKind] = {
    "seal": JobKind(
        module="jobs.seal",
        english="moves old turns and events from the hot tables to Parquet logs",
        chinese="把较早的对话和事件移入 Parquet 日志",
        cron="0 4 * * *",
        priority=20,
    ),
    "decay": JobKind(
        module="jobs.decay",
        english="what time does to memories: doubts, archives, merges old events",
        chinese="时间对记忆的作用：降低把握、归档、合并旧事件",
        cron="0 0 * * *",
        priority=50,
    ),
    "drift": JobKind(
        module="jobs.drift",
        english="compares memories that changed often with what was said",
        chinese="把多次改动过的记忆与原话对照",
        cron="30 1 * * 0",
        priority=40,
    ),
    "feedback": JobKind(
        module="jobs.feedback",
        english="gathers what users said about replies and proposes changes of behaviour",
        chinese="汇总用户对回答的反馈，提出行为修订",
        cron="0 */6 * * *",
        priority=30,
    ),
    "gate": JobKind(
        module="jobs.gate",
        english="tries proposed changes of behaviour on the scenarios (`laoma revisions test` submits it)",
        chinese="用情景题检验行为修订（由 `laoma revisions test` 提交）",
        alone=False,
    ),
    "purge": JobKind(
        module="jobs.purge",
        english="removes the bytes of deleted rows from old table versions and snapshots",
        chinese="从旧版本和快照中清除已删除内容的字节",
        cron="30 4 * * *",
        priority=10,
    ),
    "import": JobKind(
        module="jobs.imports.run",
        english="reads old chats that were uploaded and keeps what lasts (`laoma import` submits it)",
        chinese="读入上传的旧聊天并保留值得记住的内容（由 `laoma import` 提交）",
        alone=False,
    ),
}
"""Every job, by name: one entry here is all that it takes to have it submitted, scheduled, listed and logged."""


def required_kind(name: str) -> JobKind:
    """The kind of a job. Raises ValueError that lists what there is."""
    if name not in JOBS:
        raise ValueError(f"no job {name!r}; there is: {', '.join(JOBS)}")
    return JOBS[name]


class JobIn(BaseModel):
    """Which job to run, with its arguments as the command line would take them."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "seal"}]})

    name: str
    arguments: list[str] = Field(default=[], max_length=50)

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        required_kind(name)
        return name


class Report(BaseModel):
    """What a job did, in one table; the rows are as long as ``columns``."""

    model_config = ConfigDict(frozen=True)

    columns: list[str]
    rows: list[list[str | int | float | None]]


class Progress(BaseModel):
    """How far a job has come: ``done`` of ``total`` (unknown: None)."""

    model_config = ConfigDict(frozen=True)

    done: int
    total: int | None = None
    what: str = ""


class Job(BaseModel):
    """A submitted job; ``detail`` is the last word about its state, ``due`` the moment of the schedule that it was started for."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$")]
    name: str
    arguments: list[str] = []
    state: State
    submitted_at: Moment | None = None
    started_at: Moment | None = None
    ended_at: Moment | None = None
    due: Moment | None = None
    progress: Progress | None = None
    report: Report | None = None
    detail: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.state not in UNDER_WAY


class JobList(BaseModel):
    """Jobs, latest first."""

    data: list[Job]


class JobLogs(BaseModel):
    """What a job printed so far."""

    id: str
    text: str


class Scheduled(BaseModel):
    """A job of the schedule: when it runs (``cron`` in ``zone``), when it ran last and will run next; paused ones have no next run."""

    name: str
    cron: str
    zone: str
    priority: int
    paused: bool
    last_due: Moment | None = None
    last_job: str | None = None
    last_state: State | None = None
    next_due: Moment | None = None


class ScheduleView(BaseModel):
    """The schedule, next run first. ``paused``: nothing runs by itself."""

    data: list[Scheduled]
    paused: bool


class Pause(BaseModel):
    """Whether to hold the schedule, or one job of it."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"paused": True}]})

    paused: bool
