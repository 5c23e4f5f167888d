"""The process that brings the chat model up beside a running cluster and ends: ``python -m serve.model_start HOME``, settings on stdin.

It may take minutes (fetching, converting, loading); how far it is lies in ``LAOMA_HOME/model.json``.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from schemas.errors import LaomaError, Unavailable
from schemas.settings import Settings
from schemas.status import ModelState
from serve.cluster_record import read_record
from serve.launch import connect, quiet_logs
from serve.model_state import MODEL_APP, report
from serve.ports import LOOPBACK

_LOOK_S = 1.0
_LONGEST_S = 3600.0
_BACK_OFF = 10
"""Niceness of fetching and converting: the memory routes answer meanwhile."""


def main(home: Path, settings: Settings) -> None:
    """Returns when the model answers. Raises LaomaError where it can't be had."""
    from serve import vllm_log
    from serve.llm import build_llm_app, source_of

    model = settings.model
    if not model.enabled or model.url:
        _remove(home, settings)
        return

    def tell(what: str) -> None:
        report(home, ModelState(name=model.name, state="loading", detail=what))

    tell("looking for the weights")
    source = source_of(model, home, tell)
    tell("loading into vLLM")
    _join(home, settings)
    from ray import serve

    if MODEL_APP in serve.status().applications:
        serve.delete(MODEL_APP)  # two models at once are too much for a small box
    logging_to = vllm_log.configured(home) if settings.cluster.node_ip == LOOPBACK else None  # other nodes lack this folder
    target = serve.RunTarget(build_llm_app(model, source, logging_to), name=MODEL_APP, route_prefix=None, logging_config=quiet_logs())
    serve.run_many([target], wait_for_applications_running=False)
    _wait()
    report(home, ModelState(name=model.name, state="ready"))


def _remove(home: Path, settings: Settings) -> None:
    from ray import serve

    _join(home, settings)
    if MODEL_APP in serve.status().applications:
        serve.delete(MODEL_APP)


def _join(home: Path, settings: Settings) -> None:
    record = read_record(home)
    if record is None:
        raise Unavailable("laoma does not run: `laoma up`")
    connect(record.address, settings.cluster.node_ip)


def _wait() -> None:
    from ray import serve

    deadline = time.monotonic() + _LONGEST_S
    while time.monotonic() < deadline:
        app = serve.status().applications.get(MODEL_APP)
        if app is None:
            raise Unavailable("the model was removed while it loaded")
        if app.status == "RUNNING":
            return
        if app.status == "DEPLOY_FAILED":
            failed = [one.message for one in app.deployments.values() if one.message]
            raise LaomaError(" ".join([*failed, app.message]), code="model_failed")
        time.sleep(_LOOK_S)
    raise Unavailable(f"the model did not load within {_LONGEST_S / 60:.0f} minutes")


if __name__ == "__main__":
    home, settings = Path(sys.argv[1]), Settings.model_validate_json(sys.stdin.read())
    os.nice(_BACK_OFF)
    try:
        main(home, settings)
    except Exception as error:
        reason = error.message if isinstance(error, LaomaError) else f"{type(error).__name__}: {error}"
        report(home, ModelState(name=settings.model.name, state="failed", detail=" ".join(reason.split())[-500:]))
        raise
