"""Several cores give the outcome of one, and leave nothing behind."""

from __future__ import annotations

import json
from pathlib import Path

import psutil
import pytest

from eval.parallel import Order, run
from eval.suite import SuiteResult
from eval.suites import SUITES
from schemas.errors import LaomaError
from schemas.settings import Settings

SAID = [("我叫林晚，住在苏州。", "你好，林晚。"), ("昨天我买了一把大提琴。", "真不错！"), ("我最近在学做泡菜。", "加油。")]


def folder_of(root: Path) -> Path:
    """Two users in MemoryBank's shape."""
    folder = root / "memorybank_cn"
    folder.mkdir()
    users, evidence = [], []
    for user in ("u1", "u2"):
        turns = [
            {"id": f"{user}#{n}", "date": f"2023-05-0{n + 1}", "user": said, "assistant": reply} for n, (said, reply) in enumerate(SAID)
        ]
        users.append({"user": user, "turns": turns, "questions": [{"id": f"{user}-q", "question": "我买了什么乐器？"}]})
        evidence.append({"id": f"{user}-q", "type": "fact", "evidence": [f"{user}#1"]})
    (folder / "logs.json").write_text(json.dumps(users, ensure_ascii=False), encoding="utf-8")
    (folder / "evidence.jsonl").write_text("\n".join(map(json.dumps, evidence)), encoding="utf-8")
    return root


def outcome(data: Path, cache: Path, workers: int, steps: list[tuple[str, int, int]]) -> SuiteResult:
    order = Order(data, cache, Settings())
    return run([SUITES["memorybank_cn"]], order, workers, lambda *step: steps.append(step))[0]


@pytest.mark.ray
def test_two_workers_find_what_one_finds_and_their_ray_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")  # a cluster that must not be joined
    data, steps = folder_of(tmp_path), []
    together = outcome(data, tmp_path / "cache", 2, steps)
    assert together == outcome(data, tmp_path / "cache", 1, [])
    assert together.n == 2
    assert together.metrics["recall_at_5"] == 1.0
    assert ("measuring", 2, 2) in steps
    assert [child.name() for child in psutil.Process().children(recursive=True) if child.name() in ("raylet", "gcs_server")] == []


def test_progress_counts_texts_then_parts(tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    outcome(folder_of(tmp_path), tmp_path / "cache", 1, steps)
    assert steps[0] == ("embedding", 0, 5)
    assert steps[-1] == ("measuring", 2, 2)


def test_a_missing_model_server_ends_the_run_with_one_clear_error(tmp_path: Path) -> None:
    broken = Settings.model_validate({"embedding": {"model": "absent", "dim": 8}})
    with pytest.raises(LaomaError, match=r"embedding\.model"):
        run([SUITES["memorybank_cn"]], Order(folder_of(tmp_path), tmp_path / "cache", broken), 1, lambda *_: None)
