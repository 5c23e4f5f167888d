"""Bodies of the health routes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class ModelState(BaseModel):
    """The chat model: ``detail`` says why it failed or what it waits for."""

    name: str
    state: Literal["loading", "ready", "failed", "disabled"]
    detail: str | None = None


class Health(BaseModel):
    """The gateway answers."""

    status: Literal["ok"] = "ok"


class ShardReadiness(BaseModel):
    """A shard's figures by name."""

    figures: dict[str, float]


class Readiness(BaseModel):
    """``ready`` is about memory; chat is ready when ``model.state`` is."""

    ready: bool
    model: ModelState
    shards: list[ShardReadiness]
    detail: str | None = None
