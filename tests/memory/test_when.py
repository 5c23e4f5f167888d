from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.when import times_in

SHANGHAI = ZoneInfo("Asia/Shanghai")
SATURDAY = datetime(2025, 12, 20, 20, 0, tzinfo=SHANGHAI)


def days(text: str, at: datetime = SATURDAY, zone: ZoneInfo = SHANGHAI) -> list[tuple[str, str]]:
    return [(f"{time.since:%Y-%m-%d}", f"{time.until:%Y-%m-%d}") for time in times_in(text, at, zone)]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("上周三我们聊了什么", "2025-12-10", "2025-12-11"),
        ("上上周五", "2025-12-05", "2025-12-06"),
        ("这周一", "2025-12-15", "2025-12-16"),
        ("上个周末去了哪", "2025-12-13", "2025-12-15"),
        ("周三说的那本书", "2025-12-17", "2025-12-18"),
        ("去年夏天", "2024-06-01", "2024-09-01"),
        ("前年", "2023-01-01", "2024-01-01"),
        ("12月5日有什么安排", "2025-12-05", "2025-12-06"),
        ("十一月三号", "2025-11-03", "2025-11-04"),
        ("去年五月", "2024-05-01", "2024-06-01"),
        ("二〇二三年五月", "2023-05-01", "2023-06-01"),
        ("2023年4月30日", "2023-04-30", "2023-05-01"),
        ("十月中旬", "2025-10-11", "2025-10-21"),
        ("上个月五号", "2025-11-05", "2025-11-06"),
        ("三天前", "2025-12-17", "2025-12-18"),
        ("两个月前", "2025-10-01", "2025-11-01"),
        ("昨晚", "2025-12-19", "2025-12-20"),
        ("大前天", "2025-12-17", "2025-12-18"),
        ("12号那天", "2025-12-12", "2025-12-13"),
        ("last March", "2025-03-01", "2025-04-01"),
        ("in May", "2025-05-01", "2025-06-01"),
        ("on 8 May, 2023", "2023-05-08", "2023-05-09"),
        ("on May 8th, 2023", "2023-05-08", "2023-05-09"),
        ("in June 2023", "2023-06-01", "2023-07-01"),
        ("in 2022", "2022-01-01", "2023-01-01"),
        ("last Friday", "2025-12-19", "2025-12-20"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("this summer", "2025-06-01", "2025-09-01"),
        ("the summer of 2022", "2022-06-01", "2022-09-01"),
        ("two weeks ago", "2025-12-01", "2025-12-08"),
        ("last weekend", "2025-12-13", "2025-12-15"),
        ("the day before yesterday", "2025-12-18", "2025-12-19"),
        ("2023-04-30", "2023-04-30", "2023-05-01"),
    ],
)
def test_a_time_is_resolved_against_the_time_of_who_speaks(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    "text", ["", "She may do it", "坐9号线", "12号楼", "2月31日", "31 June 2023", "5.8分", "May I come in?", "我们一起去", "9999年前"]
)
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert days(text) == []


def test_several_times_come_in_the_order_of_the_text() -> None:
    assert days("从12月1日到12月5日") == [("2025-12-01", "2025-12-02"), ("2025-12-05", "2025-12-06")]


def test_a_date_without_a_year_may_lie_just_ahead() -> None:
    assert days("12月25日去哪") == [("2025-12-25", "2025-12-26")]


def test_days_are_cut_in_the_zone_of_who_speaks() -> None:
    late = datetime(2025, 7, 25, 2, 0, tzinfo=ZoneInfo("UTC"))
    assert days("today", late, ZoneInfo("America/Los_Angeles")) == [("2025-07-24", "2025-07-25")]
    assert days("今天", late) == [("2025-07-25", "2025-07-26")]


def test_a_day_on_which_clocks_change_is_whole() -> None:
    [time] = times_in("yesterday", datetime(2025, 3, 31, 12, tzinfo=ZoneInfo("Europe/Lisbon")), ZoneInfo("Europe/Lisbon"))
    assert (time.until.timestamp() - time.since.timestamp()) / 3600 == 23
