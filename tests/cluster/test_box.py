"""How the running box behaves: loopback only, small, seals its logs, answers SQL."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from ipaddress import ip_address
from pathlib import Path

import psutil
import pytest

from tests.cluster.conftest import Running

pytestmark = pytest.mark.ray
CHECKOUT = Path(__file__).resolve().parents[2]
IDLE_MB = 1400


def laoma(running: Running, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(CHECKOUT / "laoma.py"), *arguments],
        env={**os.environ, "LAOMA_HOME": str(running.home)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_listener_is_on_loopback(running: Running) -> None:
    ours = {process.pid for process in running.state().processes}
    listeners = [one for one in psutil.net_connections("inet") if one.status == psutil.CONN_LISTEN and one.pid in ours]
    assert len(listeners) > 5
    open_to_others = [one for one in listeners if not ip_address(one.laddr.ip.removeprefix("::ffff:")).is_loopback]
    assert open_to_others == []


def test_the_whole_without_the_model_fits_in_its_memory_budget(running: Running) -> None:
    assert sum(process.pss_mb for process in running.state().processes) < IDLE_MB


def test_the_key_and_the_lake_are_for_the_owner_alone(running: Running) -> None:
    assert (running.home / "keys.json").stat().st_mode & 0o077 == 0
    assert (running.home / "owner.key").stat().st_mode & 0o077 == 0
    assert running.key not in (running.home / "keys.json").read_text()


def test_a_seal_job_runs_on_the_cluster_and_sql_reads_what_is_hot_and_sealed(running: Running) -> None:
    with running.client() as client:
        old = {"role": "user", "content": "老话：阳台的薄荷又长虫了", "at": "2024-05-01T02:00:00Z", "id": "old"}
        new = {"role": "user", "content": "新话：季度报表周五交", "id": "new"}
        assert client.post("/v1/turns", json={"conversation_id": "seal", "messages": [old, new], "wait": True}).status_code == 200
        job = client.post("/v1/jobs", json={"name": "seal"}).json()
        for _ in range(600):
            state = client.get(f"/v1/jobs/{job['id']}").json()
            if state["state"] not in ("pending", "running"):
                break
            time.sleep(0.1)
        assert state["state"] == "succeeded", client.get(f"/v1/jobs/{job['id']}/logs").json()["text"]
    assert list((running.home / "logs" / "turns" / "date=2024-05-01").glob("*.parquet"))
    rows = laoma(running, "sql", "--json", "select content from turns where conversation = 'seal' order by at")
    assert "老话" in rows
    assert "新话" in rows


def test_a_memory_told_by_the_command_line_is_recalled_by_it(running: Running) -> None:
    laoma(running, "remember", "我对芒果过敏")
    assert "芒果" in laoma(running, "recall", "水果有什么要避开的？")
    assert '"芒果' not in laoma(running, "memories", "--json", "--q", "菠萝")
