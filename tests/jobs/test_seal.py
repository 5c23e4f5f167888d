"""The seal job: every shard seals its own tables, and the job says what each did."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.cluster import cluster_of
from schemas.cluster import ClusterRecord
from schemas.errors import Unavailable
from serve.cluster_record import write_record
from serve.shard.service import ShardService
from tests.jobs.house import done, task


class TwoShards:
    """Records which method was asked of every shard."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def each(self, method: Callable[[ShardService], Awaitable[Any]]) -> list[Any]:
        self.asked.append(method.__name__)
        return ["3 turns sealed", "nothing to seal"]


async def test_each_shard_is_asked_to_seal_and_reports(tmp_path: Path) -> None:
    shards = TwoShards()
    report = await done(task(tmp_path, "seal", shards=shards))
    assert report.rows == [[0, "3 turns sealed"], [1, "nothing to seal"]]
    assert shards.asked == ["seal"]


def test_a_job_works_on_the_cluster_of_its_own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(Unavailable, match="laoma up"):
        cluster_of(tmp_path)
    record = ClusterRecord(address="127.0.0.1:2", http="", dashboard="", folder="", session=1, boot=0.0)
    write_record(tmp_path, record)
    assert cluster_of(tmp_path) == "127.0.0.1:2"
