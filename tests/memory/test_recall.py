from __future__ import annotations

import json
from datetime import timedelta

import numpy as np
import pytest

from eval.calibrate import read_pairs
from memory.calibration import calibration_of
from memory.memory_index import MemoryIndex
from memory.recall import Question, recall, recency
from schemas.settings import Recall
from tests.memory.worlds import NOW, ask, embedder, index_of, memory

HOUSEHOLD = (
    "我早上喝燕麦拿铁。",
    "My brother lives in Oslo.",
    "女儿在学小提琴。",
    "I park the car in the basement, spot 14.",
    "周末去爬山。",
    "The plumber is called Igor.",
)


def household(*more: str) -> MemoryIndex:
    return index_of(*(memory(i, text) for i, text in enumerate((*HOUSEHOLD, *more))))


@pytest.mark.parametrize(
    ("stored", "asked"),
    [("我对青霉素过敏", "penicillin allergy"), ("I am allergic to penicillin", "青霉素"), ("我家的猫叫芝麻糊", "What is my cat called?")],
)
def test_a_question_finds_a_memory_in_the_other_language(stored: str, asked: str) -> None:
    ranking = ask(household(stored), asked).ranking
    assert str(len(HOUSEHOLD)) in [ranked.id for ranked in ranking[:3]]


def test_the_answer_is_kept_and_its_parts_make_its_score() -> None:
    best = ask(household(), "我女儿在学什么乐器？").kept[0]
    assert best.text == "女儿在学小提琴。"
    parts = best.parts
    expected = 0.55 * parts.semantic + 0.25 * parts.recency + 0.10 * parts.frequency + 0.10 * parts.confidence
    assert best.score == pytest.approx(expected, abs=1e-3)
    assert parts.confidence == pytest.approx(0.9)
    assert parts.frequency == 0.0


@pytest.mark.parametrize(
    "small_talk", ["光合作用需要什么条件？", "What's the cube root of 512?", "哈哈，谢谢你", "Write a haiku about autumn."]
)
def test_nothing_is_injected_when_nothing_is_relevant(small_talk: str) -> None:
    assert ask(household(), small_talk).kept == []


def test_never_more_than_the_limit() -> None:
    index = index_of(*(memory(i, f"我喜欢吃第{i}号餐厅的面") for i in range(12)))
    assert len(ask(index, "我喜欢吃哪家的面？", Recall(threshold=0.0)).kept) == 5
    assert len(ask(index, "我喜欢吃哪家的面？", Recall(threshold=0.0), limit=2).kept) == 2


@pytest.mark.parametrize("status", ["pending", "deprecated", "archived"])
def test_what_may_not_be_recalled_is_excluded_before_ranking(status: str) -> None:
    index = index_of(memory(1, "The plumber is called Igor.", status=status), memory(2, "My brother lives in Oslo."))
    assert [ranked.id for ranked in ask(index, "Who is the plumber?").ranking] == ["2"]


def test_probation_is_recalled_and_archived_on_demand() -> None:
    index = index_of(
        memory(1, "The plumber is called Igor.", status="probation"), memory(2, "The plumber is called Anton.", status="archived")
    )
    assert [ranked.id for ranked in ask(index, "plumber").ranking] == ["1"]
    assert {ranked.id for ranked in ask(index, "plumber", include_archived=True).ranking} == {"1", "2"}


def test_as_of_an_earlier_time_the_memory_of_then_is_recalled() -> None:
    switch = NOW - timedelta(days=5)
    old = memory("old", "项目预算二十万", status="deprecated", valid_to=switch)
    new = memory("new", "项目预算三十万", created_at=switch)
    index = index_of(old, new)
    assert [ranked.id for ranked in ask(index, "项目预算多少").ranking] == ["new"]
    assert [ranked.id for ranked in ask(index, "项目预算多少", at=switch - timedelta(days=1)).ranking] == ["old"]


def test_validity_bounds_what_is_recalled() -> None:
    index = index_of(
        memory("later", "下月起坐七号线", valid_from=NOW + timedelta(days=9)),
        memory("over", "坐五号线", expires_at=NOW - timedelta(days=1)),
        memory("now", "坐三号线"),
    )
    assert [ranked.id for ranked in ask(index, "我坐几号线").ranking] == ["now"]


def test_kinds_limit() -> None:
    index = index_of(memory(1, "喜欢喝茶", kind="preference"), memory(2, "周二喝茶会", kind="event"))
    assert [ranked.id for ranked in ask(index, "喝茶", kinds=("event",)).ranking] == ["2"]


def test_the_same_text_in_other_spelling_comes_once() -> None:
    index = index_of(memory(1, "Pump code is 4-4-1."), memory(2, "pump code is 4-4-1"), memory(3, "Ｐump code is 4-4-1."))
    result = ask(index, "pump code?")
    assert len(result.ranking) == 1
    assert len(result.kept) == 1


def test_recency_falls_by_a_fifth_each_week_to_a_floor() -> None:
    days = np.array([0.0, 1.0, 8.0, 15.0, 1000.0])
    assert recency(days, Recall()) == pytest.approx([1.0, 1.0, 0.8, 0.64, 0.1])
    slower = Recall(fresh_days=8.0, fading_factor=0.5, recency_floor=0.2)
    assert recency(days, slower) == pytest.approx([1.0, 1.0, 1.0, 0.5, 0.2])


def test_frequency_is_whole_from_as_many_accesses_as_the_settings_say() -> None:
    index = index_of(memory(1, "Pump code is 4-4-1.", access_count=20))
    for accesses, expected in ((20, 1.0), (10, 1.0), (440, 0.5)):
        (found,) = ask(index, "pump code?", Recall(full_accesses=accesses)).kept
        assert found.parts.frequency == pytest.approx(expected, abs=1e-3)


def test_of_two_equal_memories_the_confirmed_and_used_one_comes_first() -> None:
    index = index_of(
        memory("stale", "I take the tram to work.", created_at=NOW - timedelta(days=200)),
        memory("fresh", "I take the tram to the office.", created_at=NOW - timedelta(days=200), accessed_at=NOW, access_count=20),
    )
    assert ask(index, "How do I commute?").ranking[0].id == "fresh"


def test_a_deleted_memory_is_gone_at_once_and_the_others_stay_found() -> None:
    index = household()
    assert index.drop("0")
    assert not index.drop("0")
    assert index.get("0") is None
    assert ask(index, "谁来修水管？ plumber").ranking[0].id == "5"
    assert len(index) == len(index.all()) == len(HOUSEHOLD) - 1


def test_a_changed_memory_is_found_by_its_new_words_only() -> None:
    index = index_of(memory(1, "My dentist is Dr. Pell."), memory(2, "周末去爬山。"))
    new = memory(1, "My dentist is Dr. Quill.", version=2)
    index.put(new, embedder().passage([new.text])[0])
    assert index.get("1") == new
    assert not index.words.score("Pell").any()


def test_without_a_vector_words_still_find() -> None:
    index = MemoryIndex(embedder().name, embedder().dim)
    index.put(memory(1, "The plumber is called Igor."), None)
    index.put(memory(2, "周末去爬山。"), None)
    result = recall(index, Question("plumber Igor", None, NOW), Recall())
    assert [kept.id for kept in result.kept] == ["1"]


def test_a_question_of_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="384 dimensions"):
        recall(household(), Question("x", np.zeros(3, dtype=np.float32), NOW), Recall())


def test_an_empty_index_recalls_nothing() -> None:
    assert ask(MemoryIndex(embedder().name, embedder().dim), "anything").kept == []


def test_old_but_fitting_memories_stay_in_the_pool_among_many_fresh_ones() -> None:
    index = MemoryIndex(embedder().name, embedder().dim)
    filler = embedder().passage(["今天也很开心"])[0]
    for i in range(300):
        index.put(memory(f"f{i}", f"开心的第{i}天", created_at=NOW), filler)
    old = memory("old", "The plumber is called Igor.", created_at=NOW - timedelta(days=700))
    index.put(old, embedder().passage([old.text])[0])
    assert "old" in [ranked.id for ranked in ask(index, "Who is the plumber?").ranking]


def test_the_memory_of_an_index_is_accounted() -> None:
    index = household()
    before = index.nbytes
    index.put(memory("x", "很长的一句话" * 50), None)
    assert index.nbytes > before


def test_the_shipped_calibration_belongs_to_the_bundled_embedder_and_the_pairs() -> None:
    calibration = calibration_of(embedder().name, embedder().dim)
    assert calibration.passage_means.shape == (2, 384)
    assert calibration.from_json(calibration.to_json()).bias == pytest.approx(calibration.bias, abs=1e-4)
    pairs = read_pairs()
    assert len(pairs.questions) == len(pairs.answer) == len(pairs.personal)
    assert json.loads(calibration.to_json())["embedder"] == embedder().name


def test_an_unknown_embedder_works_uncalibrated() -> None:
    assert not calibration_of("somebody/else", 16).passage_means.any()
