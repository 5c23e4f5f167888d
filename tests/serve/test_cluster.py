"""A cluster starts, reports, recovers and stops, and leaves its neighbours alone; with a small application in the place of ours."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from schemas.cluster import ClusterState
from schemas.errors import LaomaError
from schemas.settings import Http, Model, Settings
from serve import cluster, processes
from serve.cluster_record import read_record, write_record
from serve.ports import free_ports, is_free
from serve.session_folder import logs_of

TINY = "tests.serve.tiny_app:build"


@dataclass
class Box:
    """A home with a cluster of its own."""

    home: Path
    settings: Settings

    def start(self, target: str = TINY) -> ClusterState:
        return cluster.start(self.home, self.settings, target=target, with_model=False)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{self.settings.http.port}{path}", timeout=10)

    def state(self) -> ClusterState:
        return cluster.state(self.home, self.settings)


def box(home: Path) -> Box:
    (port,) = free_ports([None])
    return Box(home, Settings(http=Http(port=port), model=Model(enabled=False)))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    made = box(tmp_path_factory.mktemp("one"))
    try:
        made.start()
        yield made
    finally:
        cluster.stop(made.home)
        shutil.rmtree(cluster.folder_of(made.home), ignore_errors=True)


def eventually(look: Callable[[], Any], seconds: float = 60) -> Any:
    """What ``look`` gives once it gives something and raises nothing."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if found := look():
                return found
        except httpx.HTTPError:
            pass
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.1)


@pytest.mark.ray
class TestRunning:
    def test_it_answers_when_start_returns_and_its_hop_too(self, one: Box) -> None:
        assert one.get("/healthz").status_code == 200
        assert one.get("/greeting").json() == "hello"

    def test_its_state_names_address_apps_and_processes(self, one: Box) -> None:
        state = one.state()
        assert (state.state, state.apps["memory"].status, state.model.state) == ("running", "RUNNING", "disabled")
        assert state.http == f"http://127.0.0.1:{one.settings.http.port}"
        names = {process.name for process in state.processes}
        assert {"gcs_server", "raylet", "ray::ServeController", "ray::ServeReplica:memory:Front", "ray-dashboard-JobHead-0"} <= names
        assert 100 < state.pss_mb < 1000

    def test_no_process_of_it_listens_beyond_loopback(self, one: Box) -> None:
        ours = {process.pid for process in one.state().processes}
        listening = [c for c in psutil.net_connections("inet") if c.status == psutil.CONN_LISTEN and c.pid in ours]
        assert len(listening) > 10
        assert [c for c in listening if not ip_address(c.laddr.ip.removeprefix("::ffff:")).is_loopback] == []

    def test_its_record_is_for_its_owner_alone(self, one: Box) -> None:
        assert (one.home / "cluster.json").stat().st_mode & 0o777 == 0o600
        assert cluster.folder_of(one.home).stat().st_mode & 0o777 == 0o700

    def test_starting_again_changes_nothing(self, one: Box) -> None:
        before = {process.pid for process in one.state().processes}
        assert one.start().running
        assert before <= {process.pid for process in one.state().processes}

    def test_a_killed_entrance_comes_back_on_its_port(self, one: Box) -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{one.settings.http.port}") as kept_open:
            pid = kept_open.get("/healthz").json()["pid"]
            os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: one.get("/healthz").json()["pid"]) != pid

    def test_a_dashboard_for_jobs_answers(self, one: Box) -> None:
        dashboard = one.state().dashboard
        jobs = httpx.get(f"{dashboard}/api/jobs/", timeout=10).json()
        assert [job for job in jobs if job["type"] == "SUBMISSION"] == []


@pytest.mark.ray
def test_a_neighbour_starts_fails_and_stops_beside_it(one: Box, tmp_path: Path) -> None:
    other = box(tmp_path / "other")
    with pytest.raises(LaomaError, match="the cellar is flooded"):
        other.start("tests.serve.tiny_app:build_broken")
    assert other.state().state == "stopped"
    assert processes.belonging(str(cluster.folder_of(other.home))) == []
    assert cluster.stop(other.home) is False
    assert one.get("/greeting").json() == "hello"


@pytest.mark.ray
def test_after_its_head_was_killed_it_starts_afresh(tmp_path: Path) -> None:
    crashed = box(tmp_path)
    try:
        crashed.start()
        first = crashed.state()
        for process in first.processes:
            if process.name in ("gcs_server", "raylet"):
                os.kill(process.pid, signal.SIGKILL)
        eventually(lambda: not crashed.state().running)
        assert crashed.start().running
        assert crashed.get("/greeting").json() == "hello"
        assert not {process.pid for process in first.processes} & {process.pid for process in crashed.state().processes}
    finally:
        assert cluster.stop(crashed.home) is True
    assert crashed.state().state == "stopped"
    assert processes.belonging(str(cluster.folder_of(crashed.home))) == []
    assert is_free("127.0.0.1", crashed.settings.http.port)
    folder = cluster.folder_of(crashed.home)
    assert {entry.name for entry in logs_of(folder).resolve().parent.iterdir()} == {"logs"}
    shutil.rmtree(folder)


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings = Settings(http=Http(port=taken.getsockname()[1]))
        with pytest.raises(LaomaError, match=rf"^port {taken.getsockname()[1]} on 127\.0\.0\.1 is taken by .*config\.yaml$"):
            cluster.start(tmp_path, settings)


def test_a_record_from_before_a_reboot_is_nothing_to_stop(tmp_path: Path) -> None:
    from schemas.cluster import ClusterRecord

    bystander = os.getsid(0)
    stale = ClusterRecord(
        address="127.0.0.1:1", http="", dashboard="http://127.0.0.1:1", folder=os.getcwd(), session=bystander,
        boot=processes.boot_time() - 1000, ready=True,
    )  # fmt: skip
    write_record(tmp_path, stale)
    assert cluster.state(tmp_path, Settings()).state == "stopped"
    assert cluster.stop(tmp_path) is False
    assert read_record(tmp_path) is None


def test_stopping_where_nothing_ever_ran_says_so(tmp_path: Path) -> None:
    assert cluster.stop(tmp_path / "nowhere") is False


def test_two_starts_at_once_are_one_and_a_clear_word(tmp_path: Path) -> None:
    with cluster._alone(tmp_path), pytest.raises(LaomaError, match="under way"):
        cluster.start(tmp_path, Settings())
