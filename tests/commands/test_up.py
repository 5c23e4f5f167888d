"""up, down, status: what they print and how they end; the cluster itself is tested in tests/serve."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from commands.up import model_line, working_curl
from schemas.cluster import AppStatus, ClusterState, ProcessUse
from schemas.errors import LaomaError
from schemas.settings import Settings, load_settings
from schemas.status import ModelState
from serve import cluster
from serve.keys import KeyRing
from tests.commands.conftest import Laoma
from tests.commands.scripted_service import Script

MODEL = ModelState(name="pocket", state="loading", detail="converting")


class Box:
    """Stands for the cluster: records what is asked of it."""

    def __init__(self) -> None:
        self.state = ClusterState(state="stopped", model=MODEL)
        self.started: list[Settings] = []
        self.fails: LaomaError | None = None

    def start(self, home: Path, settings: Settings) -> ClusterState:
        if self.fails:
            raise self.fails
        self.started.append(settings)
        processes = [ProcessUse(pid=11, name="raylet", pss_mb=200.4), ProcessUse(pid=12, name="Gateway", pss_mb=100.1)]
        apps = {"memory": AppStatus(status="RUNNING")}
        self.state = ClusterState(state="running", http="http://127.0.0.1:1", apps=apps, model=MODEL, processes=processes)
        return self.state

    def stop(self, home: Path) -> bool:
        ran = self.state.state != "stopped"
        self.state = ClusterState(state="stopped", model=MODEL)
        return ran


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Box:
    """No Ray: these tests are about words."""
    box = Box()
    monkeypatch.setattr(cluster, "start", box.start)
    monkeypatch.setattr(cluster, "stop", box.stop)
    monkeypatch.setattr(cluster, "state", lambda home, settings: box.state)
    return box


@pytest.fixture
def configured(home: Path, service: Script) -> Path:
    """A home whose port is the scripted service's."""
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(f"http:\n  port: {urlsplit(service.address).port}\n")
    return home


def test_the_first_start_shows_the_owners_key_once(laoma: Laoma, box: Box, configured: Path, service: Script) -> None:
    first = laoma("up")
    assert first.code == 0
    key = (configured / "owner.key").read_text().strip()
    assert f"Your key (shown this once): {key}" in first.out
    owner = KeyRing(configured / "keys.json").find(key)
    assert owner is not None
    assert set(owner.roles) == {"user", "admin"}
    assert stat.S_IMODE((configured / "owner.key").stat().st_mode) == 0o600
    second = laoma("up")
    assert key not in second.out
    assert f"Your key lies in {configured / 'owner.key'}" in second.out


def test_up_names_address_curl_and_the_models_state(laoma: Laoma, box: Box, configured: Path, service: Script) -> None:
    done = laoma("up")
    assert f"laoma is up: {service.address}" in done.out
    assert working_curl(service.address, str(configured / "owner.key")) in done.out
    log = configured / "logs" / "model.log"
    assert f"Model: pocket is loading; chat answers when it is ready: `laoma status`. Log: {log}" in done.out


def test_up_speaks_chinese(laoma: Laoma, box: Box, configured: Path, service: Script) -> None:
    assert laoma("up", LANG="zh_CN.UTF-8").out.startswith(f"老马已启动：{service.address}")


def test_up_json(laoma: Laoma, box: Box, configured: Path, service: Script) -> None:
    told = json.loads(laoma("up", "--json").out)
    assert told["url"] == service.address
    assert told["new_key"].startswith("laoma-")
    assert told["model"]["state"] == "loading"


def test_a_fresh_home_gets_a_commented_config_that_says_the_defaults(laoma: Laoma, box: Box, home: Path) -> None:
    box.fails = LaomaError("port 8317 is taken")
    done = laoma("up")
    assert done.code == 1
    assert done.err.endswith("laoma: port 8317 is taken\n")
    assert load_settings(home) == Settings()
    assert (home / "owner.key").read_text().strip() in done.err
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_down_says_whether_anything_ran(laoma: Laoma, box: Box, configured: Path) -> None:
    laoma("up")
    assert laoma("down").out == "laoma is stopped.\n"
    assert json.loads(laoma("down", "--json").out) == {"stopped": False}


def test_status_of_a_stopped_box_exits_with_1_and_says_laoma_up(laoma: Laoma, box: Box, home: Path) -> None:
    done = laoma("status")
    assert (done.code, done.out) == (1, "")
    assert done.err == "laoma: laoma does not run: start it with `laoma up`\n"
    assert json.loads(laoma("status", "--json").out)["state"] == "stopped"


def test_status_shows_apps_model_memory_lake_and_jobs(laoma: Laoma, box: Box, configured: Path) -> None:
    laoma("up")
    (configured / "owner.key").write_text("laoma-test")
    (configured / "lake").mkdir()
    (configured / "lake" / "x").write_bytes(b"x" * 1500)
    done = laoma("status")
    assert done.code == 0
    for expected in ("memory: RUNNING", "Model: pocket is loading", "lake 1.5 KB", "raylet", "in all (PSS)", "seal  succeeded  j1"):
        assert expected in done.out
    told = json.loads(laoma("status", "--json").out)
    assert told["pss_mb"] == 300.5
    assert told["bytes"]["lake"] == 1500
    assert [job["id"] for job in told["jobs"]] == ["j1"]
    assert told["ready"] is True


def test_a_new_model_restarts_a_running_box(laoma: Laoma, box: Box, configured: Path) -> None:
    laoma("up")
    done = laoma("model", "use", "Qwen/Qwen3-8B")
    assert done.code == 0
    assert [settings.model.source for settings in box.started] == [None, "Qwen/Qwen3-8B"]
    assert "It loads now" in done.err


def test_the_commands_that_up_prints_work_when_pasted(
    laoma: Laoma, box: Box, configured: Path, service: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a checkout" / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "laoma").write_text("#!/bin/sh\necho it is $1\n")
    (folder / "laoma").chmod(0o700)
    monkeypatch.setattr("sys.executable", str(folder / "python"))
    lines = laoma("up", PATH="/usr/bin:/bin").out.splitlines()
    (path_line,) = [line.strip() for line in lines if line.strip().startswith("export PATH=")]
    (remember,) = [line.strip() for line in lines if line.strip().startswith("laoma remember")]
    pasted = subprocess.run(
        ["bash", "-c", f"{path_line}\n{remember}"], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )
    assert pasted.stdout == "it is remember\nit is recall\n"
    assert "export PATH" not in laoma("up", PATH=f"{folder}:/usr/bin").out


def test_the_pocket_model_is_said_to_prove_the_pipe_only(tmp_path: Path) -> None:
    assert "only proves that everything is connected" in model_line(ModelState(name="pocket", state="ready"), tmp_path)
    assert model_line(ModelState(name="qwen3:8b", state="ready"), tmp_path) == "Model: qwen3:8b is ready."
    assert str(tmp_path / "logs" / "model.log") in model_line(ModelState(name="x", state="failed", detail="no such model"), tmp_path)
