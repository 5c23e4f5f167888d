"""What is said of now comes first (R21), a crowd of candidates is sifted (R24), somebody new is asked one thing (R28)."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.first_question import first_question
from memory.situation import fit, names_a_time
from schemas.settings import Recall
from tests.memory.worlds import ask, index_of, memory

ZONE = ZoneInfo("Asia/Shanghai")
WEDNESDAY_EVENING = datetime(2025, 12, 17, 12, 0, tzinfo=UTC)
WEDNESDAY_MORNING = datetime(2025, 12, 17, 0, 0, tzinfo=UTC)
SATURDAY_NIGHT = datetime(2025, 12, 19, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("晚上只喝白水", WEDNESDAY_EVENING, 1),
        ("早上要一杯拿铁", WEDNESDAY_EVENING, -1),
        ("早上要一杯拿铁", WEDNESDAY_MORNING, 1),
        ("I run on weekday mornings", WEDNESDAY_MORNING, 1),
        ("每週三晚上練琴", WEDNESDAY_EVENING, 1),
        ("每周四晚上练琴", WEDNESDAY_EVENING, -1),
        ("choir on Wednesdays", WEDNESDAY_EVENING, 1),
        ("on weekends I sleep in", WEDNESDAY_MORNING, -1),
        ("半夜常醒", SATURDAY_NIGHT, 1),
        ("on weekends I sleep in", SATURDAY_NIGHT, 1),
        ("我养了一只刺猬", WEDNESDAY_EVENING, 0),
        ("the Monday.com board is mine to keep, so are other boards", WEDNESDAY_EVENING, -1),
    ],
)
def test_a_text_fits_the_hour_and_the_weekday_of_the_users_zone(text: str, at: datetime, expected: int) -> None:
    assert fit(text, at, ZONE) == expected
    assert names_a_time(text) == (expected != 0)


DRINKS = (memory(1, "我早上习惯喝黑咖啡", scene="早上"), memory(2, "我晚上习惯喝洋甘菊茶", scene="晚上"))


@pytest.mark.parametrize(("at", "first"), [(WEDNESDAY_MORNING, "1"), (WEDNESDAY_EVENING, "2")])
def test_of_two_habits_the_one_for_now_comes_first(at: datetime, first: str) -> None:
    index = index_of(*DRINKS)
    kept = ask(index, "我习惯喝什么？", at=at, zone=ZONE).kept
    assert {one.id for one in kept} == {"1", "2"}
    assert kept[0].id == first


def test_a_question_that_names_its_time_is_not_about_now() -> None:
    index = index_of(*DRINKS)
    asked = "我晚上习惯喝什么？"
    kept = [one.id for one in ask(index, asked, at=WEDNESDAY_MORNING, zone=ZONE).kept]
    assert kept == [one.id for one in ask(index, asked, at=WEDNESDAY_MORNING).kept]
    assert kept[0] == "2"


def test_of_a_crowd_three_to_five_are_kept() -> None:
    towns = ("泉州", "厦门", "漳州", "福州", "莆田", "宁德", "三明", "龙岩", "南平", "武夷山")
    index = index_of(*(memory(number, f"我去{town}出差时住过一家民宿", key=f"备忘/{town}") for number, town in enumerate(towns)))
    everything = ask(index, "我出差住过哪些民宿？", limit=50).kept
    assert len(everything) > 8
    assert 3 <= len(ask(index, "我出差住过哪些民宿？").kept) <= 5
    assert len(ask(index, "我出差住过哪些民宿？", Recall(crowd_share=1)).kept) == 3
    assert len(ask(index, "我出差住过哪些民宿？", Recall(crowd=50)).kept) == 5


@pytest.mark.parametrize("said", ["周末去哪儿走走好？", "hello, what can you do?"])
def test_somebody_new_is_asked_one_thing_in_their_language(said: str) -> None:
    line = first_question(said)
    assert ("称呼" in line) == (said[0] > "一")
    assert line.startswith(("（", "("))


@pytest.mark.parametrize("said", ["", "你好，我叫阿澄", "Hi, my name is Ravi", "I’m Noor, hi"])
def test_who_says_who_they_are_is_not_asked(said: str) -> None:
    assert first_question(said) == ""
