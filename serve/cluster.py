"""Starts, stops and looks at the Ray cluster of a home, without importing Ray into the caller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from types import FrameType

import psutil

from schemas.cluster import ClusterState
from schemas.errors import LaomaError, Unavailable
from schemas.settings import Settings
from serve import dashboard, processes
from serve.cluster_record import forget_record, read_record, write_record
from serve.launch import FAILURE, MEMORY_APP
from serve.model_state import forget_progress, log_of, read_model_state
from serve.ports import holder, is_free
from serve.ray_head import environment
from serve.session_folder import folder_of, logs_of, prepare, settle

MEMORY_TARGET = "serve.app:build"
_LAUNCH, _MODEL_START = "serve.launch", "serve.model_start"
_END_S = 4.0
_ROUNDS = 5
"""Looks for processes that came up while others were being ended."""
_STOP_SIGNALS = (signal.SIGHUP, signal.SIGTERM)
_LOOK_S = 0.2
_HOW = {"RUNNING": "running", "DEPLOYING": "starting", "UNHEALTHY": "starting"}
"""Our state by Serve's: a part that died is being replaced while it says the latter two."""


def start(home: Path, settings: Settings, *, target: str = MEMORY_TARGET, with_model: bool = True) -> ClusterState:
    """Bring the cluster of ``home`` up; returns when the memory routes answer, while the model still loads.

    Where it runs already nothing is done; leftovers of a broken one are ended first. ``target`` is ``module:function`` of the
    application. Raises LaomaError with the one line that says what is wrong (port taken, start failed).
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(home):
        found = _settled(home, settings)
        if found.running:
            _adopt(home)
        else:
            _end_all(home)
            _require_port(settings)
            forget_progress(home)
            _launch(home, settings, target)
            found = state(home, settings)
        if with_model and found.model.state in ("loading", "failed") and not _starters(home):
            restart_model(home, settings)
            found = state(home, settings)
    return found


def restart_model(home: Path, settings: Settings) -> bool:
    """Have the running cluster take the model of ``settings``; returns at once, :func:`state` tells how it goes. False: nothing runs."""
    record = read_record(home)
    if record is None or not processes.of(record):
        return False
    _end_starters(home)
    log_of(home).parent.mkdir(exist_ok=True)
    with log_of(home).open("ab") as log:
        child = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", _MODEL_START, str(home)],
            stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=record.folder, start_new_session=True,
            env={**os.environ, **environment(home, settings)},
        )  # fmt: skip
    assert child.stdin is not None
    child.stdin.write(settings.model_dump_json().encode())
    child.stdin.close()
    return True


def stop(home: Path) -> bool:
    """End what :func:`start` started for this home and nothing else; False where nothing ran."""
    if not home.is_dir():
        return False
    with _alone(home):
        record = read_record(home)
        if record is not None and record.ready and processes.of(record):
            dashboard.shut_applications(record)
        ran = _end_all(home)
        settle(folder_of(home))
        return ran


def state(home: Path, settings: Settings) -> ClusterState:
    """How it stands: processes with their memory, applications, model."""
    record = read_record(home)
    alive = processes.of(record) if record else []
    if record is None or not alive:
        return ClusterState(state="stopped", model=read_model_state(home, settings.model, None))
    apps = dashboard.applications(record)
    memory = apps.get(MEMORY_APP) if apps else None
    how = _HOW.get(memory.status, "broken") if memory else "starting" if _is_launched(alive) else "broken"
    return ClusterState.model_validate(
        {
            "state": how,
            "http": record.http,
            "dashboard": record.dashboard,
            "address": record.address,
            "apps": apps or {},
            "model": read_model_state(home, settings.model, apps),
            "processes": processes.measured(alive),
        }
    )


def _adopt(home: Path) -> None:
    """What came up by itself after its start was killed is a cluster like any other, to be ended as gently."""
    record = read_record(home)
    if record is not None and not record.ready:
        write_record(home, record.model_copy(update={"ready": True}))


def _is_launched(alive: Iterable[psutil.Process]) -> bool:
    """Whether a start is under way: one that was killed leaves a part of a cluster, which is no start any more."""
    return any(processes.runs(process, _LAUNCH) for process in alive)


def _settled(home: Path, settings: Settings) -> ClusterState:
    """The state once Serve has replaced what died, if it does so in time."""
    deadline = time.monotonic() + settings.cluster.start_s / 2
    while True:
        found, record = state(home, settings), read_record(home)
        if found.state != "starting" or record is None or not record.ready or time.monotonic() > deadline:
            return found
        time.sleep(_LOOK_S)


def _launch(home: Path, settings: Settings, target: str) -> None:
    folder = folder_of(home)
    prepare(folder)
    child = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", _LAUNCH, str(home), str(folder), target, str(os.getpid())],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder, start_new_session=True,
        env={**os.environ, **environment(home, settings)},
    )  # fmt: skip
    try:
        with _signals(_leave):
            _, said = child.communicate(settings.model_dump_json().encode(), timeout=settings.cluster.start_s)
    except subprocess.TimeoutExpired:
        _abandon(home, child)
        raise Unavailable(f"the memory routes did not answer within {settings.cluster.start_s:.0f} s; logs: {logs_of(folder)}") from None
    except BaseException:
        _abandon(home, child)
        raise
    if child.returncode != 0:
        _end_all(home)
        text = said.decode("utf-8", "replace")
        reason = next((line.removeprefix(FAILURE) for line in text.splitlines() if line.startswith(FAILURE)), text.strip()[-300:])
        raise LaomaError(f"laoma did not start: {reason}; logs: {logs_of(folder)}", code="start_failed")


def _abandon(home: Path, child: subprocess.Popen[bytes]) -> None:
    with _signals(signal.SIG_IGN, signal.SIGINT):  # an impatient second Ctrl-C must not leave half of it standing
        child.kill()
        child.wait()
        _end_all(home)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers, *more: signal.Signals) -> Iterator[None]:
    """While the block runs, the signals that end a command do this instead; only Python's main thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in (*_STOP_SIGNALS, *more)}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _end_all(home: Path) -> bool:
    """Every process of this home, those too that were being started while the first were ended; False where there was none."""
    _end_starters(home)
    ran = False
    for _ in range(_ROUNDS):
        ours = _ours(home)
        if not ours:
            break
        ran = True
        processes.end(ours, _END_S)
    forget_record(home)
    return ran


def _ours(home: Path) -> list[psutil.Process]:
    record = read_record(home)
    ours = {process.pid: process for process in processes.belonging(str(folder_of(home)))}
    if record is not None:
        ours.update((process.pid, process) for process in processes.of(record))
    return list(ours.values())


def _end_starters(home: Path) -> None:
    for starter in _starters(home):
        processes.end([*starter.children(recursive=True), starter], _END_S)


def _starters(home: Path) -> list[psutil.Process]:
    """What brings a model up now; known by its command line before it has said anything."""
    return [process for process in processes.belonging(str(folder_of(home))) if processes.runs(process, _MODEL_START)]


def _require_port(settings: Settings) -> None:
    host, port = settings.http.host, settings.http.port
    if not is_free(host, port):
        by = holder(port)
        raise LaomaError(
            f"port {port} on {host} is taken{f' by {by}' if by else ''}: end that, or set another `http.port` in config.yaml",
            code="port_taken",
        )


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One start or stop of a home at a time."""
    with (home / ".cluster.lock").open("w") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise Unavailable("another `laoma up` or `laoma down` is under way: wait for it") from None
        yield


__all__ = ["folder_of", "restart_model", "start", "state", "stop"]
