"""How the chat model stands: what the process that brings it up last said, and what Serve says of its application."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import psutil
from pydantic import BaseModel, ValidationError

from lake.durable import replace_text
from schemas.cluster import AppStatus
from schemas.settings import Model
from schemas.status import ModelState
from serve.absence import last_line

MODEL_APP = "llm"
_LOG = "model.log"
_NAME = "model.json"
_FAILED = {"DEPLOY_FAILED", "UNHEALTHY"}


class Progress(BaseModel):
    """``LAOMA_HOME/model.json``: written by the process ``pid`` (started at ``since``, Unix seconds) while it brings the model up."""

    state: ModelState
    pid: int
    since: float


def report(home: Path, state: ModelState) -> None:
    """Say how far this process has come with the model."""
    progress = Progress(state=state, pid=os.getpid(), since=psutil.Process().create_time())
    replace_text(home / _NAME, progress.model_dump_json(indent=2))


def log_of(home: Path) -> Path:
    """What the model's start and vLLM say, vLLM from INFO on."""
    return home / "logs" / _LOG


def forget_progress(home: Path) -> None:
    """What an earlier cluster's model had come to means nothing to a new one."""
    (home / _NAME).unlink(missing_ok=True)


def read_model_state(home: Path, model: Model, apps: Mapping[str, AppStatus] | None) -> ModelState:
    """The model's state; ``apps`` are Serve's applications, None where no cluster answers."""
    if not model.enabled:
        return ModelState(name=model.name, state="disabled", detail="memory only: `laoma model use …` chooses a model")
    if model.url:
        return ModelState(name=model.name, state="ready", detail=f"served at {model.url}")
    if apps is None:
        return ModelState(name=model.name, state="loading", detail="laoma does not run")
    app = apps.get(MODEL_APP)
    if app is not None and app.status == "RUNNING":
        return ModelState(name=model.name, state="ready")
    if app is not None and app.status in _FAILED:
        return ModelState(name=model.name, state="failed", detail=last_line(app.message) or app.status)
    return _progress(home, model)


def _progress(home: Path, model: Model) -> ModelState:
    progress = _read(home)
    if progress is None:
        return ModelState(name=model.name, state="loading", detail="about to start")
    if progress.state.state == "ready":
        return ModelState(name=model.name, state="loading", detail="it went away: Serve starts it again")
    if progress.state.state == "loading" and not _lives(progress):
        return ModelState(name=model.name, state="failed", detail="its start was cut off: `laoma up` tries again")
    if progress.state.state == "loading":
        detail = f"{progress.state.detail}, {time.time() - progress.since:.0f} s so far"
        return ModelState(name=model.name, state="loading", detail=detail)
    return progress.state.model_copy(update={"name": model.name})


def _read(home: Path) -> Progress | None:
    try:
        return Progress.model_validate_json((home / _NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def _lives(progress: Progress) -> bool:
    try:
        return abs(psutil.Process(progress.pid).create_time() - progress.since) < 1
    except psutil.Error:
        return False
