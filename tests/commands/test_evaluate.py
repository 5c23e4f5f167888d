"""eval on small data of our own: figures, JSON, comparison, failures, the lake's view."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Laoma

FACTS = [("f1", "我对花生过敏"), ("f2", "My sister got a parrot called Mango"), ("f3", "我每周三晚上去游泳"), ("f4", "女儿在学大提琴")]
QUERIES = [
    ("q1", "mono", "我对什么过敏？", ["f1"]),
    ("q2", "mono", "What is the parrot called?", ["f2"]),
    ("q3", "irrelevant", "法国首都是哪里？", []),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "evalsets"
    folder.mkdir(parents=True)
    facts = [{"id": id, "lang": "zh", "type": "fact", "text": text} for id, text in FACTS]
    queries = [{"id": id, "kind": kind, "query": query, "relevant": relevant} for id, kind, query, relevant in QUERIES]
    for name, rows in (("facts", facts), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return folder.parent


def test_a_suite_is_measured_printed_written_and_logged(laoma: Laoma, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "now.json"
    ended = laoma("eval", "facts", "--data", str(data), "--json", str(file))
    assert (ended.code, ended.err) == (0, "")
    written = json.loads(file.read_text(encoding="utf-8"))
    assert set(written) == {"suite", "n", "metrics", "by", "failures"}
    assert (written["suite"], written["n"], written["metrics"]["hit_at_1"]) == ("facts", 3, 1.0)
    assert "hit_at_5_injected" in ended.out
    rows = json.loads(laoma("sql", "--json", "SELECT suite, n, value FROM evals WHERE measure = 'hit_at_1' AND part = ''").out)
    assert rows == [{"suite": "facts", "n": 3, "value": 1.0}]


def test_live_memory_is_not_touched(laoma: Laoma, data: Path, home: Path) -> None:
    assert laoma("eval", "facts", "--data", str(data)).code == 0
    assert not list((home / "lake").iterdir())


def test_a_fall_beyond_the_tolerance_fails_and_names_the_measure(laoma: Laoma, data: Path, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    laoma("eval", "facts", "--data", str(data), "--json", str(before))
    assert laoma("eval", "facts", "--data", str(data), "--compare", str(before), "--tolerance", "0").code == 0
    earlier = json.loads(before.read_text(encoding="utf-8"))
    earlier["metrics"]["hit_at_1"] = 1.5
    before.write_text(json.dumps(earlier), encoding="utf-8")
    ended = laoma("eval", "facts", "--data", str(data), "--compare", str(before))
    assert ended.code == 1
    assert "facts hit_at_1" in ended.err


def test_a_failure_says_what_was_wanted_and_what_came(laoma: Laoma, data: Path) -> None:
    queries = data / "evalsets" / "queries.jsonl"
    row = {"id": "q9", "kind": "mono", "query": "我对什么过敏？", "relevant": ["f4"]}
    queries.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    ended = laoma("eval", "facts", "--data", str(data))
    assert "q9  我对什么过敏？" in ended.out
    assert "wanted: f4 女儿在学大提琴" in ended.out
    assert "f1 (" in ended.out


def test_an_unknown_suite_is_misuse_and_absent_data_a_failure_in_one_line(laoma: Laoma, tmp_path: Path) -> None:
    assert laoma("eval", "fatcs").code == 2
    ended = laoma("eval", "locomo", "--data", str(tmp_path))
    assert ended.code == 1
    assert ended.err.count("\n") == 1
    assert "--data" in ended.err


def test_wrong_sizes_are_misuse(laoma: Laoma) -> None:
    assert laoma("bench", "recall", "--sizes", "many").code == 2


@pytest.mark.parametrize("absent", ["locomo", "conflicts", "extraction", "memorybank_cn", "realtalk"])
def test_data_that_is_absent_is_said_before_anything_is_measured(laoma: Laoma, data: Path, absent: str) -> None:
    done = laoma("eval", "facts", absent, "--data", str(data))
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert f"at {data}: say where it lies with --data or LAOMA_DATA; where it can be had: docs/evaluation.md" in done.err
