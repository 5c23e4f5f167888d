"""The seal job: every shard seals its own tables, and the job says what each did."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from jobs import __main__ as entry
from jobs.cluster import cluster_of
from jobs.seal import seal
from schemas.cluster import ClusterRecord
from schemas.errors import Unavailable
from serve.cluster_record import write_record
from serve.shard.service import ShardService


class TwoShards:
    """Records which method was asked of every shard."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def each(self, method: Callable[[ShardService], Awaitable[Any]]) -> list[Any]:
        self.asked.append(method.__name__)
        return ["3 turns sealed", "nothing to seal"]

    async def call(self, method: Any, user: str, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("seal concerns no single user")


async def test_each_shard_is_asked_to_seal_and_reports() -> None:
    shards = TwoShards()
    assert await seal(shards) == ["shard 0: 3 turns sealed", "shard 1: nothing to seal"]
    assert shards.asked == ["seal"]


def test_an_unknown_job_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["dance"], tmp_path) == 2
    assert "there is: seal" in capsys.readouterr().err


def test_seal_takes_no_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["seal", "--now"], tmp_path) == 2
    assert "'--now'" in capsys.readouterr().err


def test_a_job_that_fails_says_why_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(_home: Path) -> None:
        raise Unavailable("the memory service does not run")

    monkeypatch.setattr("jobs.cluster.shards_of", unreachable)
    assert entry.main(["seal"], tmp_path) == 1
    assert capsys.readouterr().err == "seal: the memory service does not run\n"


def test_a_job_works_on_the_cluster_of_its_own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(Unavailable, match="laoma up"):
        cluster_of(tmp_path)
    record = ClusterRecord(address="127.0.0.1:2", http="", dashboard="", folder="", session=1, boot=0.0)
    write_record(tmp_path, record)
    assert cluster_of(tmp_path) == "127.0.0.1:2"
