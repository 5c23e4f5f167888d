"""The frame of every job: record, log, progress, final table, exit status, one at a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobs import __main__ as entry
from jobs import frame
from jobs.frame import Task, drawn
from lake.job_records import KEPT, JobRecords
from schemas.errors import Conflict, InvalidRequest, Unavailable
from schemas.job import JOBS, Job, JobKind, Report
from tests.jobs.house import task
from tests.serve.house import START

MODULE = "tests.jobs.test_frame"
CHECKOUT = Path(__file__).resolve().parents[2]


async def run_counts(task: Task) -> Report:
    for number in range(3):
        task.progress(number + 1, 3, "users")
    return Report(columns=["what", "count"], rows=[["users", 3], ["记忆", 1200]])


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOBS, "count", JobKind(module=MODULE, english="counts", chinese="计数"))
    monkeypatch.setattr(sys.modules[MODULE], "run", run_counts, raising=False)


@pytest.mark.usefixtures("counting")
def test_a_job_leaves_its_table_in_log_and_record(tmp_path: Path) -> None:
    one = task(tmp_path, "count")
    assert frame.run(one) == 0
    assert one.out.getvalue().splitlines() == ["what   count", "users  3", "记忆   1,200"]  # type: ignore[attr-defined]
    record = JobRecords(tmp_path).find("j1")
    assert record is not None
    assert (record.state, record.ended, record.report) == (
        "succeeded",
        True,
        Report(columns=["what", "count"], rows=[["users", 3], ["记忆", 1200]]),
    )
    assert record.progress is not None
    assert (record.progress.done, record.progress.total) == (3, 3)


@pytest.mark.parametrize(("error", "code"), [(Unavailable("it does not run"), 1), (InvalidRequest("no such file"), 2)])
def test_a_failure_is_one_line_and_an_exit_status(
    tmp_path: Path, error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(_task: Task) -> Report:
        raise error

    monkeypatch.setitem(JOBS, "fail", JobKind(module=MODULE, english="fails", chinese="失败"))
    monkeypatch.setattr(sys.modules[MODULE], "run", fail, raising=False)
    assert frame.run(task(tmp_path, "fail")) == code
    assert capsys.readouterr().err == f"fail: {error}\n"
    record = JobRecords(tmp_path).find("j1")
    assert record is not None
    assert (record.state, record.detail) == ("failed", str(error))


def test_an_error_of_the_code_is_recorded_and_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_task: Task) -> Report:
        raise KeyError("oops")

    monkeypatch.setitem(JOBS, "fail", JobKind(module=MODULE, english="fails", chinese="失败"))
    monkeypatch.setattr(sys.modules[MODULE], "run", fail, raising=False)
    with pytest.raises(KeyError):
        frame.run(task(tmp_path, "fail"))
    record = JobRecords(tmp_path).find("j1")
    assert record is not None
    assert (record.state, record.detail) == ("failed", "KeyError: 'oops'")


@pytest.mark.usefixtures("counting")
def test_a_job_never_runs_twice_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with JobRecords(tmp_path).alone("count", "the-first"):
        assert frame.run(task(tmp_path, "count", id="the-second")) == 1
        assert "runs already (the-first)" in capsys.readouterr().err
        with pytest.raises(Conflict), JobRecords(tmp_path).alone("count", "x"):
            pass
    assert frame.run(task(tmp_path, "count", id="the-third")) == 0


def test_a_killed_job_leaves_no_lock_behind(tmp_path: Path) -> None:
    hold = f"""
import sys, time
from pathlib import Path
from lake.job_records import JobRecords
with JobRecords(Path({str(tmp_path)!r})).alone("count", "killed"):
    print("held", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, cwd=CHECKOUT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        os.kill(process.pid, signal.SIGKILL)
    with JobRecords(tmp_path).alone("count", "next"):
        pass


def test_an_unknown_job_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["dance"], tmp_path) == 2
    assert "there is: seal" in capsys.readouterr().err


def test_seal_takes_no_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["seal", "--now"], tmp_path) == 2
    assert "'--now'" in capsys.readouterr().err


def test_old_records_go_with_their_logs_and_running_ones_stay(tmp_path: Path) -> None:
    records = JobRecords(tmp_path)
    for number in range(KEPT + 5):
        records.save(Job(id=f"j{number:04}", name="seal", state="succeeded", submitted_at=START))
        records.log_path(f"j{number:04}").write_text("x")
    records.save(Job(id="a-running", name="seal", state="running", submitted_at=START))
    records.prune()
    assert len(records.all()) == KEPT + 1
    assert records.find("a-running") is not None
    assert records.find("j0004") is None
    assert not records.log_path("j0004").exists()


def test_a_record_is_looked_up_by_its_id_alone(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps({"id": "secret", "name": "seal", "state": "failed"}))
    assert JobRecords(tmp_path).find("../secret") is None


def test_a_table_lines_up() -> None:
    assert drawn(Report(columns=["a", "b"], rows=[["长的", None], ["x", 0.5]])) == "a     b\n长的\nx     0.500"


def test_every_job_can_be_imported_and_scheduled() -> None:
    from importlib import import_module
    from inspect import iscoroutinefunction

    from croniter import croniter

    for name, kind in JOBS.items():
        assert iscoroutinefunction(import_module(kind.module).run), name
        assert kind.cron is None or croniter.is_valid(kind.cron), name
