"""An offline job as clients see it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.record import Moment


class JobIn(BaseModel):
    """Which job to run, with its arguments as the command line would take them."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "seal"}]})

    name: Literal["seal"]
    arguments: list[str] = Field(default=[], max_length=50)


class Job(BaseModel):
    """A submitted job; ``detail`` is the last word about its state."""

    id: str
    name: str
    state: Literal["pending", "running", "succeeded", "failed", "stopped"]
    submitted_at: Moment | None = None
    ended_at: Moment | None = None
    detail: str | None = None


class JobList(BaseModel):
    """Jobs, latest first."""

    data: list[Job]


class JobLogs(BaseModel):
    """What a job printed so far."""

    id: str
    text: str
