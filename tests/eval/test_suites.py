from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from eval import logistic
from eval.cached_embedder import CachedEmbedder, bundled
from eval.dialogues import read_dialogue
from eval.metrics import hit_at, means, ndcg_at, recall_at
from eval.suite import find
from eval.suites import SUITES
from schemas.settings import Settings
from tests.memory.worlds import embedder

DATA = Path(os.environ.get("LAOMA_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
needs_data = pytest.mark.skipif(not DATA.exists(), reason=f"evaluation data not found at {DATA} (set LAOMA_DATA)")

SAID = ["My sister got a parrot last week.", "How lovely! What's its name?", "It is called Mango.", "I have to paint the fence."]
SMALL = {
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "AB"[i % 2], "dia_id": f"D1:{i + 1}", "text": text} for i, text in enumerate(SAID)],
        "session_2_date_time": "",
    },
    "qa": [
        {"question": "What is the parrot's name?", "evidence": ["D1:3"], "category": 1},
        {"question": "Who got a parrot?", "evidence": ["D1:1; D9:17", "D"], "category": 2, "answer": 7},
        {"question": "unanswerable", "evidence": [], "category": 3},
        {"question": "malformed", "evidence": ["D:1:4"], "category": 2},
    ],
}


def test_metrics_by_hand() -> None:
    ranked = ["a", "b", "c"]
    assert hit_at(ranked, {"b"}, 1) == 0
    assert hit_at(ranked, {"b"}, 2) == 1
    assert recall_at(ranked, {"a", "z"}, 3) == 0.5
    assert ndcg_at(ranked, {"a"}, 10) == 1.0
    assert ndcg_at(ranked, {"b"}, 10) == pytest.approx(1 / np.log2(3))
    assert means([{"x": 1.0}, {"x": 0.0}]) == {"x": 0.5}
    assert means([]) == {}


def test_malformed_evidence_is_read_leniently_and_unanswerable_questions_are_left_out() -> None:
    dialogue = read_dialogue("d", SMALL)
    assert [(question.text, sorted(question.evidence)) for question in dialogue.questions] == [
        ("What is the parrot's name?", ["D1:3"]),
        ("Who got a parrot?", ["D1:1"]),
        ("malformed", ["D1:4"]),
    ]
    assert [turn.at.isoformat() for turn in dialogue.turns[:2]] == ["2023-05-08T13:56:00+00:00", "2023-05-08T13:56:30+00:00"]


def test_realtalk_reads_a_folder_of_chats(tmp_path: Path) -> None:
    folder = tmp_path / "realtalk"
    folder.mkdir()
    chat = {
        "name": {"speaker_1": "A", "speaker_2": "B"},
        "session_1": [{"speaker": "A", "dia_id": "D1:1", "clean_text": "My sister got a parrot.", "date_time": "29.12.2023, 22:14:06"}],
        "qa": [{"question": "Who got a parrot?", "evidence": ["D1:1"], "category": 1}],
    }
    (folder / "Chat_1.json").write_text(json.dumps(chat), encoding="utf-8")
    result = SUITES["realtalk"].run(tmp_path, embedder(), Settings())
    assert (result.n, result.metrics["recall_at_5"]) == (1, 1.0)


def test_locomo_has_the_contracts_form(tmp_path: Path) -> None:
    (tmp_path / "locomo10.json").write_text(json.dumps([SMALL]), encoding="utf-8")
    result = SUITES["locomo"].run(tmp_path, embedder(), Settings())
    assert result.suite == "locomo"
    assert result.n == 3
    assert set(result.metrics) == {f"{part}{name}" for part in ("", "micro_") for name in ("ndcg_at_10", "recall_at_5", "recall_at_10")}
    assert set(result.by) == {"1", "2"}
    assert result.metrics["recall_at_5"] == 1.0
    assert result == SUITES["locomo"].run(tmp_path, embedder(), Settings())


def test_absent_data_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no facts\.jsonl at .*--data"):
        find(tmp_path, "facts.jsonl", inside="evalsets")


def test_a_known_text_is_embedded_once_across_runs(tmp_path: Path) -> None:
    asked: list[str] = []

    class Counting:
        name, dim = "counting", 2

        def query(self, texts: list[str]) -> np.ndarray:
            asked.extend(texts)
            return np.ones((len(texts), 2), dtype=np.float32)

        passage = query

    for _ in range(2):
        CachedEmbedder(Counting, tmp_path, name="counting", dim=2).query(["a", "b", "a"])
    assert asked == ["a", "b"]


def test_logistic_regression_finds_a_separating_direction() -> None:
    table = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    found = logistic.fit(table, np.array([0.0, 0, 1, 1]), l2=0.1)
    assert found[0] > 1
    assert found[1] == pytest.approx(0, abs=1e-6)


@needs_data
@pytest.mark.data
def test_facts_reach_their_figures(tmp_path: Path) -> None:
    metrics = SUITES["facts"].run(DATA, bundled(tmp_path), Settings()).metrics
    assert metrics["hit_at_5"] >= 0.88
    assert metrics["hit_at_10"] >= 0.94
    assert metrics["hit_at_5_injected"] >= 0.80
    assert metrics["injected_when_irrelevant"] <= 0.15


@needs_data
@pytest.mark.data
def test_memorybank_finds_what_its_first_user_told(tmp_path: Path) -> None:
    source, folder = DATA / "memorybank_cn", tmp_path / "memorybank_cn"
    folder.mkdir()
    (folder / "evidence.jsonl").write_text((source / "evidence.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    first = json.loads((source / "logs.json").read_text(encoding="utf-8"))[:1]
    (folder / "logs.json").write_text(json.dumps(first), encoding="utf-8")
    result = SUITES["memorybank_cn"].run(tmp_path, bundled(tmp_path), Settings())
    assert result.n == 7
    assert result.metrics["recall_at_5"] >= 0.85


def test_extraction_is_told_apart_by_odd_and_even_lines(tmp_path: Path) -> None:
    def row(name: str, said: str, expect: list[dict[str, object]]) -> str:
        dialogue = [{"role": "user", "content": said}]
        return json.dumps({"id": name, "lang": "zh", "category": "x", "dialogue": dialogue, "expect": expect, "forbid": ["泉州"]})

    wanted: list[dict[str, object]] = [{"type": "profile", "key": "k", "value_contains": [["火星"]]}]
    (tmp_path / "extraction.jsonl").write_text("\n".join([row("a", "谢谢", []), row("b", "我住在泉州", wanted)]), encoding="utf-8")
    result = SUITES["extraction"].run(tmp_path, embedder(), Settings())
    odd, even = result.by["odd lines"], result.by["even lines"]
    assert (odd["precision"], odd["recall"], odd["forbidden_stored"]) == (1.0, 1.0, 0.0)
    assert (even["precision"], even["recall"], even["forbidden_stored"]) == (0.0, 0.0, 1.0)
