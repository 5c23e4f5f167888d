"""One real cluster a session: Ray, Serve, gateway, shard, embedder, on ports of its own, without a model."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from schemas.cluster import ClusterState
from schemas.settings import Settings, parse_settings
from serve import cluster
from serve.ports import free_ports


@dataclass(frozen=True)
class Running:
    """A cluster and its owner's key."""

    home: Path
    settings: Settings
    key: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.http.port}"

    def client(self, **options: object) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=60, **options)  # type: ignore[arg-type]

    def state(self) -> ClusterState:
        return cluster.state(self.home, self.settings)

    def pids(self, deployment: str) -> list[int]:
        return [process.pid for process in self.state().processes if deployment in process.name]


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("home")
    config = f"http: {{port: {free_ports([None])[0]}}}\ncluster: {{start_s: 400}}\n"
    (home / "config.yaml").write_text(config)
    settings = parse_settings(config)
    try:
        cluster.start(home, settings, with_model=False)
        yield Running(home, settings, (home / "owner.key").read_text().strip())
    finally:
        cluster.stop(home)
        shutil.rmtree(cluster.folder_of(home), ignore_errors=True)
